// `npm run test:unit`: the tests that start nothing. A test that asks for PostgreSQL or Redis fails: they
// are not started.
import all from './jest.config.js';
import { unitTests } from './tools/testing/jest/unit-tests.js';

const { globalSetup: _setup, globalTeardown: _teardown, ...config } = all;

/** @type {import('jest').Config} */
export default { ...config, testMatch: unitTests(import.meta.dirname) };
