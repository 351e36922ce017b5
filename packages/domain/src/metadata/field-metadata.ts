import type { PicklistValue } from '../catalogue/catalogue.ts';
import type { Field, FieldTable, FieldType } from './field.ts';

/** One field in the response of `…/entityInformation/fields`. */
export interface FieldMetadata {
  /** The catalogue's number; fields of records only. */
  readonly fieldID?: number;
  readonly name: string;
  /** The meaning of the field, as a sentence; empty for user-defined fields. */
  readonly description: string;
  readonly dataType: FieldType;
  /** The longest text in UTF-16 units; 0 = no text, or no limit. */
  readonly length: number;
  readonly isRequired: boolean;
  readonly isReadOnly: boolean;
  readonly isQueryable: boolean;
  readonly isReference: boolean;
  /** Empty when it is no reference. */
  readonly referenceEntityType: string;
  readonly isPickList: boolean;
  /** Null for a field without a picklist; empty when the values are not defined, and any value is accepted. */
  readonly picklistValues: readonly PicklistValue[] | null;
  readonly picklistParentValueField: string;
  readonly isSupportedWebhookField: boolean;
  /** What a create without the field stores, as text; empty: null. */
  readonly defaultValue: string;
}

/** The metadata of a collection's fields. */
export function metadataOf(table: FieldTable): FieldMetadata[] {
  const shown = Object.entries(table).filter(([, { only }]) => only === undefined);
  return shown.map(([name, field]) => describeField(name, field));
}

/** The metadata of one field. Required: a write that makes a whole record must have the field. */
export function describeField(name: string, field: Field): FieldMetadata {
  const { referenceEntityType = '', picklistValues } = field;
  return {
    name,
    description: field.description,
    dataType: field.dataType,
    length: field.length ?? 0,
    isRequired: (field.requiredOf?.length ?? 0) > 0,
    isReadOnly: field.isReadOnly ?? false,
    isQueryable: field.isQueryable ?? true,
    isReference: referenceEntityType !== '',
    referenceEntityType,
    isPickList: picklistValues !== undefined,
    picklistValues: picklistValues ?? null,
    picklistParentValueField: '',
    isSupportedWebhookField: field.isSupportedWebhookField ?? false,
    defaultValue: field.defaultValue ?? '',
    ...(field.fieldID !== undefined && { fieldID: field.fieldID }),
  };
}
