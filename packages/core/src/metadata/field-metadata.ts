import type { z } from 'zod';
import type { DataType, PicklistValue } from '../catalogue/catalogue.ts';
import { valueTypes } from '../input/input-schemas.ts';

/** What `…/entityInformation/fields` says of one field. */
export interface FieldMetadata {
  /** The catalogue's number; fields of records only. */
  readonly fieldID?: number;
  readonly name: string;
  readonly dataType: DataType;
  /** The longest text in UTF-16 units; 0 = no text, or no limit. */
  readonly length: number;
  readonly isRequired: boolean;
  readonly isReadOnly: boolean;
  readonly isQueryable: boolean;
  readonly isReference: boolean;
  /** Empty when it is no reference. */
  readonly referenceEntityType: string;
  readonly isPickList: boolean;
  /** Null when it is no picklist; empty when its values are not defined, so that any is taken. */
  readonly picklistValues: readonly PicklistValue[] | null;
  readonly picklistParentValueField: string;
  readonly isSupportedWebhookField: boolean;
}

const plain = {
  length: 0,
  isRequired: false,
  isReadOnly: false,
  isQueryable: true,
  isReference: false,
  referenceEntityType: '',
  isPickList: false,
  picklistValues: null,
  picklistParentValueField: '',
  isSupportedWebhookField: false,
};

/** A field that is optional, writable and queryable unless `marks` say otherwise. */
export function describeField(name: string, dataType: DataType, marks: Partial<FieldMetadata> = {}): FieldMetadata {
  return { name, dataType, ...plain, ...marks };
}

/** The `id` of any collection: the service gives it. */
export const idMetadata = describeField('id', 'long', { isReadOnly: true });

/** A field that holds the id of something else. */
export function describeReference(
  name: string,
  dataType: DataType,
  referenceEntityType: string,
  marks: Partial<FieldMetadata> = {},
): FieldMetadata {
  return describeField(name, dataType, { isReference: true, referenceEntityType, ...marks });
}

/** The fields that a body's keys are read into, by the schemas that read them. */
export function describeShape(
  shape: Readonly<Record<string, z.ZodType>>,
  requiredKeys: readonly string[],
): FieldMetadata[] {
  return Object.entries(shape).map(([name, schema]) => {
    const type = valueTypes.get(schema);
    if (type === undefined) throw new Error(`the schema of ${name} does not say what it takes`);
    return describeField(name, type.dataType, { length: type.length, isRequired: requiredKeys.includes(name) });
  });
}

/** A picklist of things that have a number: `value` is the number as text, in the order given. */
export function picklistOf(
  entries: readonly { readonly value: number | string; readonly label: string }[],
  { isSystem }: { readonly isSystem: boolean },
): PicklistValue[] {
  return entries.map(({ value, label }, index) => ({
    value: String(value),
    label,
    isDefaultValue: false,
    sortOrder: index + 1,
    parentValue: '',
    isActive: true,
    isSystem,
  }));
}
