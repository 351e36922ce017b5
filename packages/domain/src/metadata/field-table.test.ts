import { describe, expect, it } from '@jest/globals';
import { boolean, flag, idValue, oneOf, ownId, text, type FieldTable } from './field.ts';
import { describeField, metadataOf } from './field-metadata.ts';
import { inputsOf, keysOf, requiredOf } from './field-table.ts';

const things = {
  id: { ...ownId, description: 'The id.' },
  name: { ...text(5), requiredOf: ['create', 'replace'], description: 'The name.' },
  size: { ...oneOf(['small', 'large']), requiredOf: ['create'], description: 'The size.' },
  isNew: { ...flag, description: 'Whether it is new.' },
  isSeen: { dataType: 'boolean', isReadOnly: true, description: 'Whether it was seen.' },
  owner: { ...idValue, referenceEntityType: 'Resource', isQueryable: false, description: 'The owner.' },
  ownerName: { ...text(5), only: 'bodies', insteadOf: 'owner', description: 'The name of the owner.' },
  parts: {
    dataType: 'string',
    only: 'create',
    items: { isSpare: { ...boolean, description: 'Whether it is spare.' } },
    description: 'The parts.',
  },
} as const satisfies FieldTable;

describe('the declaration of a field', () => {
  it('determines how a body is read', () => {
    const inputs = inputsOf(things);
    expect(Object.keys(inputs)).toEqual(['name', 'size', 'isNew', 'owner', 'ownerName']);
    expect(inputs.name.safeParse('123456').error?.issues).toMatchObject([{ message: 'must be 5 characters or fewer' }]);
    expect(inputs.size.parse('LARGE')).toBe('large');
    expect(inputs.isNew.parse(null)).toBe(false);
  });

  it('determines what a body must have, and which of its keys are known', () => {
    expect(requiredOf(things, 'create')).toEqual(['name', 'size']);
    expect(requiredOf(things, 'replace')).toEqual(['name']);
    expect(keysOf(things)).toEqual({
      id: null,
      itemId: null,
      name: null,
      size: null,
      isNew: null,
      isSeen: null,
      owner: null,
      ownerName: null,
      parts: { isSpare: null },
    });
  });

  it('determines the metadata of fields that reads show', () => {
    const metadata = metadataOf(things);
    expect(metadata.map(({ name }) => name)).toEqual(['id', 'name', 'size', 'isNew', 'isSeen', 'owner']);
    expect(metadata).toMatchObject([
      { description: things.id.description, dataType: 'long', isReadOnly: true, isRequired: false },
      { dataType: 'string', length: 5, isReadOnly: false, isRequired: true, isPickList: false, picklistValues: null },
      { isRequired: true, isPickList: true, picklistValues: [{ value: 'small' }, { value: 'large' }] },
      { dataType: 'boolean', isRequired: false },
      { isReadOnly: true },
      { isReference: true, referenceEntityType: 'Resource', isQueryable: false },
    ]);
  });

  it('makes no picklist without values, and one of any value with none defined', () => {
    expect(describeField('a', { description: 'A.', dataType: 'integer' })).toMatchObject({
      isPickList: false,
      picklistValues: null,
    });
    const open = describeField('a', { description: 'A.', dataType: 'integer', picklistValues: [] });
    expect(open).toMatchObject({ isPickList: true, picklistValues: [] });
  });
});
