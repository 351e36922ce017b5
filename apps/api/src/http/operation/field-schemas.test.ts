import { describe, expect, it } from '@jest/globals';
import type { FieldTable } from '@callout/domain/metadata/field';
import { createSchemaReader } from '../../openapi/zod-schemas.ts';
import { bodySchema, recordSchema } from './field-schemas.ts';

const things: FieldTable = {
  id: { dataType: 'long', minimum: 1, isReadOnly: true, description: 'The id.' },
  name: { dataType: 'string', minLength: 1, length: 5, requiredOf: ['create', 'replace'], description: 'The name.' },
  size: {
    dataType: 'integer',
    picklistValues: ['1', '2'].map((value) => ({
      value,
      label: value === '1' ? 'Small' : 'Large',
      isDefaultValue: false,
      sortOrder: 1,
      parentValue: '',
      isActive: true,
      isSystem: true,
    })),
    isNullable: true,
    takesNull: true,
    description: 'The size.',
  },
  isSeen: { dataType: 'boolean', isReadOnly: true, description: 'Whether it was seen.' },
  owner: { dataType: 'integer', requiredOf: ['create'], referenceEntityType: 'Resource', description: 'The owner.' },
  ownerName: { dataType: 'string', only: 'bodies', insteadOf: 'owner', description: 'The name of the owner.' },
  parts: {
    dataType: 'string',
    only: 'create',
    items: { label: { dataType: 'string', requiredOf: ['create'], description: 'The label.' } },
    description: 'The parts.',
  },
};

const id = { type: 'integer', format: 'int64', minimum: 1, description: 'The id.' };
const name = { type: 'string', minLength: 1, maxLength: 5, description: 'The name.' };
const size = {
  type: ['integer', 'null'],
  format: 'int32',
  enum: [1, 2, null],
  description: 'The size. 1 = Small, 2 = Large.',
};
const owner = { type: 'integer', format: 'int32', description: 'The owner. The id of a Resource.' };
const ownerName = { type: 'string', description: 'The name of the owner.' };

function componentOf(schema: ReturnType<typeof recordSchema>): unknown {
  return createSchemaReader([schema]).components['Thing'];
}

describe('the fields of a collection in the document', () => {
  it('are what reads show, none of them certain', () => {
    const isSeen = { type: 'boolean', description: 'Whether it was seen.' };
    expect(componentOf(recordSchema('Thing', things))).toEqual({
      type: 'object',
      properties: { id, name, size, isSeen, owner },
    });
  });

  it('accept the fields of a create, with a name in place of an id', () => {
    const label = { type: 'string', description: 'The label.' };
    const items = { type: 'object', properties: { label }, required: ['label'] };
    expect(componentOf(bodySchema('Thing', things, 'create'))).toEqual({
      allOf: [
        {
          type: 'object',
          properties: { name, size, owner, ownerName, parts: { type: 'array', items, description: 'The parts.' } },
          required: ['name'],
        },
        { anyOf: [{ required: ['owner'] }, { required: ['ownerName'] }] },
      ],
    });
  });

  it('accept the fields of a create that is not complete yet', () => {
    const create = componentOf(bodySchema('Thing', things, 'create')) as { allOf: [{ properties: unknown }] };
    const { properties } = create.allOf[0];
    expect(componentOf(bodySchema('Thing', things, 'draft'))).toEqual({ type: 'object', properties });
  });

  it('accept the fields of a change, which may name the id', () => {
    const properties = { id, name, size, owner, ownerName };
    expect(componentOf(bodySchema('Thing', things, 'update'))).toEqual({ type: 'object', properties });
    expect(componentOf(bodySchema('Thing', things, 'replace'))).toEqual({
      type: 'object',
      properties,
      required: ['name'],
    });
  });
});
