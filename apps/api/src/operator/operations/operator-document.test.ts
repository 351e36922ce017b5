import { describe, expect, it } from '@jest/globals';
import { operationNames } from '@callout/domain/operations/operations';
import { operatorDocument } from './operator-document.ts';

describe('the document of the operator API', () => {
  it('has every operation once, each with its own id', () => {
    const operations = Object.values(operatorDocument().paths).flatMap((item) => Object.values(item));
    expect(operations).toHaveLength(operationNames.length);
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operationNames.length);
  });

  it('refers to nothing that it does not have', () => {
    const document = operatorDocument();
    const targets = [...JSON.stringify(document).matchAll(/"#\/components\/(\w+)\/(\w+)"/gu)];
    const missing = targets.filter(([, kind, name]) => {
      const components = document.components as unknown as Record<string, Record<string, unknown>>;
      return components[kind ?? '']?.[name ?? ''] === undefined;
    });
    expect(targets.length).toBeGreaterThan(0);
    expect(missing).toEqual([]);
  });

  it('says of every body that it may stop coming', () => {
    const operations = Object.values(operatorDocument().paths).flatMap((item) => Object.values(item));
    const withBody = operations.filter(({ requestBody }) => requestBody !== undefined);
    expect(withBody.length).toBeGreaterThan(0);
    expect(withBody.filter(({ responses }) => responses['408'] === undefined)).toEqual([]);
  });

  it('types parameters that are numbers as numbers', () => {
    const { parameters } = operatorDocument().paths['/tenants']?.['get'] ?? { parameters: [] };
    const limit = parameters.find((one) => 'name' in one && one.name === 'limit');
    expect(limit).toMatchObject({
      in: 'query',
      required: false,
      schema: { type: 'integer', minimum: 1, maximum: 500 },
    });
  });
});
