import { createConfig, lintFromString } from '@redocly/openapi-core';
import { expect, it } from '@jest/globals';
import { runTestApi } from '../fixtures/run-test-api.ts';

const api = runTestApi();

/** Warnings of the recommended rules are errors here. */
const severities = ['error', 'warn'];
const rules = {
  // examples.test.ts compares all of them with their schemas, and sends them.
  'no-invalid-media-type-examples': 'off',
  // `/Companies/{id}` and `/{collection}/entityInformation`: an id is a number.
  'no-ambiguous-paths': 'off',
  // The failures of all operations are their default response.
  'operation-4xx-response': 'off',
} as const;

it('the document has nothing that a linter of OpenAPI would find', async () => {
  const source = await (await fetch(`${api.url}/openapi.json`)).text();
  const config = await createConfig({ extends: ['recommended'], rules });
  const problems = await lintFromString({ source, config, absoluteRef: 'openapi.json' });
  const found = problems.filter(({ severity }) => severities.includes(severity));
  expect(found.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
});

it('every schema is one that generators make a type of: no list of several types but null', async () => {
  const source = (await (await fetch(`${api.url}/openapi.json`)).json()) as object;
  const found: string[] = [];
  const look = (value: unknown, at: string): void => {
    if (typeof value !== 'object' || value === null) return;
    const { type, additionalProperties: others } = value as {
      type?: unknown;
      additionalProperties?: { type?: unknown };
    };
    if (Array.isArray(type) && type.filter((one) => one !== 'null').length > 1) found.push(`${at}: ${type.join(', ')}`);
    if (Array.isArray(others?.type)) found.push(`${at}: additionalProperties`);
    for (const [key, one] of Object.entries(value)) look(one, `${at}/${key}`);
  };
  look(source, '');
  expect(found).toEqual([]);
});

it('the linter finds what is wrong', async () => {
  const source = '{"openapi":"3.1.0","info":{"title":"x","version":"1"},"paths":{"/a":{"get":{"responses":{}}}}}';
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source, config, absoluteRef: 'openapi.json' });
  expect(problems.map(({ ruleId }) => ruleId)).toContain('operation-operationId');
});
