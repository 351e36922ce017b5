import type { EntityDefinition, FieldDefinition } from '../catalogue/catalogue.ts';
import { defaultText } from '../catalogue/field-default.ts';
import { metadataOf, type FieldMetadata } from './field-metadata.ts';
import type { Field, FieldTable, WholeWrite } from './field.ts';

/** The fields of a record, as declared in the catalogue, which writes, queries and webhooks also use. */
export function recordFields(entity: EntityDefinition): FieldTable {
  return Object.fromEntries(entity.fields.map((field) => [field.name, recordField(field)]));
}

function recordField(field: FieldDefinition): Field {
  const isId = field.name === 'id';
  return {
    description: field.description,
    dataType: field.dataType,
    length: field.length,
    isReadOnly: field.isReadOnly,
    isChosenByCreate: isId,
    requiredOf: isId ? [] : requiredOf(field),
    isNullable: !isId,
    takesNull: !field.isRequired,
    referenceEntityType: field.referenceEntityType,
    ...(field.isPickList && { picklistValues: field.picklistValues, takesOtherValues: field.takesOtherValues }),
    ...(field.default && { defaultValue: defaultText(field.default) }),
    soapName: field.soapName,
    fieldID: field.fieldID,
    isSupportedWebhookField: field.isSupportedWebhookField,
  };
}

/** A read-only required field is set once, by the create. */
function requiredOf({ isRequired, isReadOnly }: FieldDefinition): readonly WholeWrite[] {
  if (!isRequired) return [];
  return isReadOnly ? ['create'] : ['create', 'replace'];
}

/**
 * The metadata of a record's fields. Every record has an id, which the catalogue requires, though bodies need no id.
 */
export function recordMetadata(entity: EntityDefinition): FieldMetadata[] {
  const isRequired = (name: string) => entity.fieldByName(name)?.isRequired ?? false;
  return metadataOf(recordFields(entity)).map((field) => ({ ...field, isRequired: isRequired(field.name) }));
}
