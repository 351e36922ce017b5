import { createConfig, lintFromString } from '@redocly/openapi-core';
import { expect, it } from '@jest/globals';
import { runTestApi } from '../fixtures/run-test-api.ts';

const api = runTestApi();

/** Also what the recommended rules only warn of. */
const severities = ['error', 'warn'];
/** examples.test.ts holds all of them against their schemas, and sends them. */
const rules = { 'no-invalid-media-type-examples': 'off' } as const;

it('the document has nothing that a linter of OpenAPI would find', async () => {
  const source = await (await fetch(`${api.url}/openapi.json`)).text();
  const config = await createConfig({ extends: ['recommended'], rules });
  const problems = await lintFromString({ source, config, absoluteRef: 'openapi.json' });
  const found = problems.filter(({ severity }) => severities.includes(severity));
  expect(found.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
});

it('the linter finds what is wrong', async () => {
  const source = '{"openapi":"3.1.0","info":{"title":"x","version":"1"},"paths":{"/a":{"get":{"responses":{}}}}}';
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source, config, absoluteRef: 'openapi.json' });
  expect(problems.map(({ ruleId }) => ruleId)).toContain('operation-operationId');
});
