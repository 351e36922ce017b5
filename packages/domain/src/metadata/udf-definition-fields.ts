import type { Catalogue, DataType } from '../catalogue/catalogue.ts';
import { oneOf, ownId, picklistOfWords, text, type FieldTable } from './field.ts';

/** Data types that a user-defined field may have. */
export const udfDataTypes = [
  'string',
  'integer',
  'decimal',
  'datetime',
  'boolean',
  'list',
] as const satisfies readonly DataType[];
export type UdfDataType = (typeof udfDataTypes)[number];

/** One value of a list. */
export const listValueFields = {
  value: { dataType: 'list', requiredOf: ['create'], description: 'What is stored.' },
  label: { ...text(255), requiredOf: ['create'], description: 'What people see.' },
} as const satisfies FieldTable;

/** The fields of a definition of a user-defined field. */
export const udfDefinitionFields = {
  id: { ...ownId, description: 'The id of the definition.' },
  entityType: { ...text(100), requiredOf: ['create'], description: 'The entity that has the field.' },
  name: { ...text(255), requiredOf: ['create'], description: 'The name of the field, unique within the entity.' },
  label: { ...text(255), description: 'The key in callouts, exactly so; the name when it is left out.' },
  dataType: { ...oneOf(udfDataTypes), requiredOf: ['create'], description: 'The type of its values.' },
  // There is no data type for a list of objects, and no operator compares one.
  listValues: {
    dataType: 'string',
    isQueryable: false,
    items: listValueFields,
    description: 'The values of a list.',
  },
} as const satisfies FieldTable;

/** The same with the entities of an installation that can have user-defined fields. */
export function udfDefinitionFieldsOf({ entities }: Catalogue): FieldTable {
  const able = entities.filter((one) => one.hasUserDefinedFields).map((one) => one.entityType);
  return {
    ...udfDefinitionFields,
    entityType: { ...udfDefinitionFields.entityType, picklistValues: picklistOfWords(able) },
  };
}
