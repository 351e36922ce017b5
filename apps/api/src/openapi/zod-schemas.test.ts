import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { createSchemaReader } from './zod-schemas.ts';

describe('a schema of a route in the document', () => {
  it('is JSON Schema as clients are made from it: null is a type, a format stands for its pattern', () => {
    const schema = z.object({
      id: z.int().min(1).meta({ format: 'int64' }).nullable().describe('The id.'),
      at: z.iso.datetime().optional(),
      kind: z.enum(['a', 'b']).nullable(),
      rows: z.array(z.object({ pattern: z.string().regex(/^x$/) })).nullable(),
      more: z.record(z.string(), z.unknown()),
    });
    expect(createSchemaReader([schema]).read(schema)).toEqual({
      type: 'object',
      properties: {
        id: { type: ['integer', 'null'], format: 'int64', minimum: 1, description: 'The id.' },
        at: { type: 'string', format: 'date-time' },
        kind: { type: ['string', 'null'], enum: ['a', 'b', null] },
        rows: {
          type: ['array', 'null'],
          items: {
            type: 'object',
            properties: { pattern: { type: 'string', pattern: '^x$' } },
            required: ['pattern'],
          },
        },
        more: { type: 'object', additionalProperties: true },
      },
      required: ['id', 'kind', 'rows', 'more'],
    });
  });

  it('is a component where it has an id, wherever it is used', () => {
    const inner = z.object({ a: z.string() }).meta({ id: 'Inner' });
    const list = z.array(inner.describe('One.'));
    const reader = createSchemaReader([inner, list]);
    const reference = { $ref: '#/components/schemas/Inner' };
    expect(reader.read(inner)).toEqual(reference);
    expect(reader.read(list)).toEqual({
      type: 'array',
      items: { ...reference, description: 'One.' },
    });
    expect(reader.components).toEqual({
      Inner: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
    });
  });

  it('cannot have the id of another one', () => {
    const schemas = ['a', 'b'].map((key) => z.object({ [key]: z.string() }).meta({ id: 'Same' }));
    expect(() => createSchemaReader(schemas)).toThrow('Duplicate schema id "Same"');
  });
});
