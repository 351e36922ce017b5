// `npm run test:bench`: small runs of every benchmark over the real processes, minutes of them.
import all from './jest.config.js';

/** @type {import('jest').Config} */
export default {
  ...all,
  testMatch: ['<rootDir>/tools/bench/src/**/*.bench.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
};
