import { describe, expect, it } from '@jest/globals';
import { buildCatalogue } from '../catalogue/catalogue.ts';
import { recordFields, recordMetadata } from './record-fields.ts';

const field = {
  dataType: 'string',
  length: 0,
  isRequired: false,
  isReadOnly: false,
  isReference: false,
  referenceEntityType: '',
  isPickList: false,
  isSupportedWebhookField: false,
};
const [lamp] = buildCatalogue([
  {
    collection: 'DeskLamps',
    singular: 'DeskLamp',
    entityType: 'Lamp',
    webhookCollection: '',
    hasUserDefinedFields: false,
    supportsWebhookCallouts: false,
    fields: [
      { ...field, fieldID: 1, name: 'id', dataType: 'long', isRequired: true, isReadOnly: true },
      { ...field, fieldID: 2, name: 'isOn', dataType: 'boolean', isRequired: true },
      { ...field, fieldID: 3, name: 'makerID', dataType: 'integer', isRequired: true, isReadOnly: true },
      { ...field, fieldID: 4, name: 'lumen', dataType: 'integer', description: 'How bright it is.' },
    ],
  },
]).entities;
if (lamp === undefined) throw new Error('the catalogue has no lamps');

describe('a field of the catalogue', () => {
  it('is described by its file, or otherwise by its name', () => {
    const descriptions = Object.values(recordFields(lamp)).map(({ description }) => description);
    expect(descriptions).toEqual([
      'The id of the desk lamp.',
      'Whether the desk lamp is on.',
      'Maker.',
      'How bright it is.',
    ]);
  });

  it('is required by the writes that can set it', () => {
    const required = Object.values(recordFields(lamp)).map(({ requiredOf }) => requiredOf);
    expect(required).toEqual([[], ['create', 'replace'], ['create'], []]);
  });

  it('is required in metadata where the catalogue says so, including the id', () => {
    expect(recordMetadata(lamp).map(({ isRequired }) => isRequired)).toEqual([true, true, true, false]);
  });
});
