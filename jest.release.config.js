// `npm run test:release`: what a release publishes, as others get it. Behaviour is tested by `npm test`.
import all from './jest.config.js';

/** @type {import('jest').Config} */
export default {
  ...all,
  testMatch: ['<rootDir>/{packages,tools}/*/src/**/*.release.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
};
