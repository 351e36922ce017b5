import type { Catalogue } from '../catalogue/catalogue.ts';
import { requiredOfUdfDefinition, udfDataTypes, udfDefinitionShape } from './udf-definition.ts';
import { describeField, describeShape, idMetadata, picklistOf, type FieldMetadata } from './field-metadata.ts';

/**
 * The fields of a definition of a user-defined field. `listValues` is an array of `{"value","label"}`, for which there is
 * no data type, and which no operator compares.
 */
export function udfDefinitionMetadata(catalogue: Catalogue): FieldMetadata[] {
  const picklists = new Map([
    ['entityType', entityTypesWithUdfs(catalogue)],
    ['dataType', [...udfDataTypes]],
  ]);
  return [
    idMetadata,
    ...describeShape(udfDefinitionShape, requiredOfUdfDefinition).map((field) => describePicklist(field, picklists)),
    describeField('listValues', 'string', { isQueryable: false }),
  ];
}

/** The entities that can have user-defined fields. */
function entityTypesWithUdfs({ entities }: Catalogue): string[] {
  return entities.filter((one) => one.hasUserDefinedFields).map((one) => one.entityType);
}

function describePicklist(field: FieldMetadata, picklists: ReadonlyMap<string, readonly string[]>): FieldMetadata {
  const values = picklists.get(field.name);
  if (values === undefined) return field;
  const entries = values.map((value) => ({ value, label: value }));
  return { ...field, isPickList: true, picklistValues: picklistOf(entries, { isSystem: true }) };
}
