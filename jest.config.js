// One configuration for every package: tests run on the sources, nothing has to be built first.
// Started by `npm test` with `-C source --experimental-vm-modules`: workspace packages resolve to src/, tests are ES modules.
import { printTallyAtExit } from './packages/testing/jest/tally-reporter.js';

// Here and not in the reporter alone: a run that finds no test, or fails before the first, never makes a reporter.
printTallyAtExit();

/** @type {import('jest').Config} */
export default {
  testMatch: ['<rootDir>/{apps,packages}/*/src/**/*.test.ts'],
  modulePathIgnorePatterns: ['<rootDir>/(apps|packages)/[^/]+/dist/'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        swcrc: false,
        jsc: { parser: { syntax: 'typescript' }, target: 'es2023', transform: { verbatimModuleSyntax: true } },
      },
    ],
  },
  testEnvironment: 'node',
  testEnvironmentOptions: { customExportConditions: ['source', 'node', 'node-addons'] },
  injectGlobals: false,
  // A transaction that locks rows out of order fails: packages/db/src/connection/lock-order.ts.
  globals: { calloutChecksLockOrder: true },
  globalSetup: '<rootDir>/packages/testing/src/jest/global-setup.ts',
  globalTeardown: '<rootDir>/packages/testing/src/jest/global-teardown.ts',
  reporters: ['default', '<rootDir>/packages/testing/jest/tally-reporter.js'],
  // Two cores are shared by the tests, PostgreSQL and Redis.
  maxWorkers: 2,
  // Tests wait for facts, not for time: this only ends one that hangs, also on a machine that is ten times slower. It goes
  // for all of them and their hooks; none has a limit of its own.
  testTimeout: 600_000,
};
