// One configuration for every package: tests run on the sources, nothing has to be built first.
// Started by `npm test` with `-C source`: workspace packages resolve to src/.
import { printTallyAtExit } from './tools/testing/jest/tally-reporter.js';

// Here and not in the reporter alone: a run that finds no test, or fails before the first, never makes a reporter.
printTallyAtExit();

// Tests run as CommonJS, although the sources are ES modules: Node never frees the context of a `vm.SourceTextModule`
// (nodejs/node#59118), so as ES modules each test file would leave its whole import graph behind in its worker. What is in
// node_modules is loaded by Node itself: tools/testing/jest/runtime.js.

/** @type {import('jest').Config} */
export default {
  testMatch: ['<rootDir>/{apps,packages,tools}/*/src/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '\\.(bench|drill|release)\\.test\\.ts$'], // each has a jest.*.config.js
  modulePathIgnorePatterns: ['<rootDir>/((apps|packages|tools)/[^/]+|docs)/dist/'],
  transform: {
    '\\.ts$': [
      '@swc/jest',
      {
        swcrc: false,
        module: { type: 'commonjs' },
        jsc: { parser: { syntax: 'typescript' }, target: 'es2023', transform: { verbatimModuleSyntax: true } },
      },
    ],
  },
  testEnvironment: '<rootDir>/tools/testing/jest/environment.js',
  testSequencer: '<rootDir>/tools/testing/jest/sequencer.js',
  runtime: '<rootDir>/tools/testing/jest/runtime.js',
  testEnvironmentOptions: { customExportConditions: ['source', 'node', 'node-addons'] },
  injectGlobals: false,
  // A transaction that locks rows out of order fails: packages/database/src/connection/locks/lock-order.ts.
  globals: { calloutChecksLockOrder: true },
  globalSetup: '<rootDir>/tools/testing/src/global-setup.ts',
  globalTeardown: '<rootDir>/tools/testing/src/global-teardown.ts',
  reporters: ['default', '<rootDir>/tools/testing/jest/tally-reporter.js'],
  // Twice the two cores of a small machine: tests wait for PostgreSQL, receivers and processes much of their time.
  maxWorkers: 4,
  // Jest kills what has not ended half a second after a run, which on a busy machine is not long enough for a process whose
  // handles are all closed.
  workerGracefulExitTimeout: 30_000,
  // Tests wait for facts, not for time: this only ends one that hangs, also on a machine that is ten times slower. It goes
  // for all of them and their hooks; none has a limit of its own.
  testTimeout: 600_000,
};
