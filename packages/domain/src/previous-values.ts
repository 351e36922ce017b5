import { emptyFieldValues, type FieldValue, type FieldValues } from './values/values.ts';

/**
 * The values of the changed fields before an event, in wire form. null: empty. A missing name was not known, or has not
 * changed: then the value is the value in the event.
 */
export interface PreviousValues {
  /** By catalogue name. */
  readonly fields: FieldValues;
  /** By the id of the user-defined field's definition, as text. */
  readonly udfFields: FieldValues;
}

/** The names of what an event changed. */
interface Changes {
  readonly changedFields: readonly string[];
  readonly changedUdfs: readonly number[];
}

/**
 * Previous values as stored with the event: a value for each changed field, then for each changed user-defined field,
 * in the order of the event, which has the names. 0: unknown. 0: not known.
 */
export type StoredPrevious = readonly (FieldValue | 0)[];

/** What to store of the values before a change; null: none of them is known, as with a new record. */
export function storedPrevious({ changedFields, changedUdfs }: Changes, before: PreviousValues): StoredPrevious | null {
  const values = [
    ...changedFields.map((name) => valueOf(before.fields, name)),
    ...changedUdfs.map((id) => valueOf(before.udfFields, String(id))),
  ];
  return values.every((value) => value === 0) ? null : values;
}

/** Own keys only: values that were parsed from JSON have a prototype. */
function valueOf(values: FieldValues, name: string): FieldValue | 0 {
  return Object.hasOwn(values, name) ? (values[name] ?? null) : 0;
}

/** The known ones of the values that belong to the names. */
function valuesOf(names: readonly (string | number)[], stored: StoredPrevious): FieldValues {
  if (names.length === 0) return noPreviousValues.fields;
  const values = emptyFieldValues();
  for (let index = 0; index < names.length; index += 1) {
    const value = stored[index];
    if (value !== 0 && value !== undefined) values[String(names[index])] = value;
  }
  return values;
}

/** No value was known before, or none changed. */
export const noPreviousValues: PreviousValues = { fields: emptyFieldValues(), udfFields: emptyFieldValues() };

/** Reads what `storedPrevious` made for the same changes. */
export function previousValues({ changedFields, changedUdfs }: Changes, stored: StoredPrevious | null): PreviousValues {
  if (stored === null) return noPreviousValues;
  const { length } = changedFields;
  const udfFields = valuesOf(changedUdfs, stored.slice(length));
  return { fields: valuesOf(changedFields, stored), udfFields };
}
