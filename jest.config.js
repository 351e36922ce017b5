// One configuration for every package: tests run on the sources, nothing has to be built first.
// Started by `npm test` with `-C source`: workspace packages resolve to src/.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { printTallyAtExit } from './packages/testing/jest/tally-reporter.js';

// Here and not in the reporter alone: a run that finds no test, or fails before the first, never makes a reporter.
printTallyAtExit();

// Tests run as CommonJS, although the sources are ES modules: Node never frees the context of a `vm.SourceTextModule`
// (nodejs/node#59118), so as ES modules each test file would leave its whole import graph behind in its worker, 15 to
// 40 MB of it. Packages that are ES modules are compiled along with the sources.
const readJson = (...names) => JSON.parse(readFileSync(path.join(import.meta.dirname, ...names), 'utf8'));
const esModules = Object.keys(readJson('package-lock.json').packages).filter((dir) => {
  const isInstalled = dir.includes('node_modules/') && existsSync(path.join(import.meta.dirname, dir, 'package.json'));
  return isInstalled && readJson(dir, 'package.json').type === 'module';
});

/** @type {import('jest').Config} */
export default {
  testMatch: ['<rootDir>/{apps,packages}/*/src/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '\\.bench\\.test\\.ts$'], // see jest.bench.config.js
  modulePathIgnorePatterns: ['<rootDir>/(apps|packages)/[^/]+/dist/'],
  transform: {
    '\\.(ts|js|mjs)$': [
      '@swc/jest',
      {
        swcrc: false,
        module: { type: 'commonjs' },
        jsc: { parser: { syntax: 'typescript' }, target: 'es2023', transform: { verbatimModuleSyntax: true } },
      },
    ],
  },
  moduleNameMapper: { '^(@prisma/client/runtime/query_compiler.*)\\.mjs$': '$1.js' },
  // All of node_modules but these packages; what is nested in one of them is a package of its own.
  transformIgnorePatterns: [`^(?!<rootDir>/(${esModules.join('|')})/(?!.*node_modules/)).*/node_modules/`],
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
