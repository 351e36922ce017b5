// `npm run drill`: failures that take minutes to go through, on real servers. `npm run drill -- failover` runs one of them.
import all from './jest.config.js';

/** @type {import('jest').Config} */
export default {
  ...all,
  testMatch: ['<rootDir>/tools/e2e/src/**/*.drill.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  // Each has servers and processes of its own.
  maxWorkers: 1,
  // A drill of a thousand faults takes as long as it takes.
  testTimeout: 24 * 3_600_000,
};
