import { changedFields as differences, type Action } from './event.ts';
import type { FieldValues } from './values/values.ts';

/** What the service knows of a record. A name that is absent was never told; null is known to be empty. */
export interface KnownRecord {
  /** Rises with every event of the record, which is their order, and with values told without one. 0: never seen. */
  version: number;
  fields: FieldValues;
  udfFields: FieldValues;
  isDeleted: boolean;
}

/** A change of a record, as its caller reports it. */
export interface RecordChange {
  action: Action;
  fields: FieldValues;
  udfFields: FieldValues;
  /** Names of fields and ids of UDF definitions; null: compare with what is known. */
  changed: { fields: string[]; udfs: number[] } | null;
}

/** What a change makes of a record. */
export type ChangeResult =
  | { kind: 'changed'; record: KnownRecord; changedFields: string[]; changedUdfs: number[] }
  /** No event, but values that the service did not know: the next event has them. */
  | { kind: 'told'; record: KnownRecord }
  | { kind: 'unchanged' }
  /** The change names a field as changed whose value was never given. */
  | { kind: 'unknownValue'; name: string };

const nothingKnown: FieldValues = Object.create(null) as FieldValues;

export const unseenRecord: KnownRecord = {
  version: 0,
  fields: nothingKnown,
  udfFields: nothingKnown,
  isDeleted: false,
};

/**
 * Applies one change to what is known of a record.
 * - A Create begins with nothing known, also where a record of that id was there before: only what it carries is known.
 * - An Update lays the given values over the known ones. Without a list of changed names the differences are the change;
 *   with one the list is believed. Given values are kept whether the list names them or not: they are what the caller
 *   knows, the list is what it wants told. An Update that changes nothing makes no event, also when its list is empty.
 * - A Delete keeps what was known last.
 */
export function applyChange(known: KnownRecord, change: RecordChange): ChangeResult {
  const before = change.action === 'Create' || known.isDeleted ? unseenRecord : known;
  const fields = overlay(before.fields, change.fields);
  const udfFields = overlay(before.udfFields, change.udfFields);
  const { changed } = change;
  if (changed) {
    const unknown = changed.fields.find((name) => fields[name] === undefined);
    if (unknown !== undefined) return { kind: 'unknownValue', name: unknown };
    const unknownUdf = changed.udfs.find((id) => udfFields[id] === undefined);
    if (unknownUdf !== undefined) return { kind: 'unknownValue', name: String(unknownUdf) };
  }
  const changedFields = changed?.fields ?? differences(before.fields, change.fields);
  const changedUdfs = changed?.udfs ?? differences(before.udfFields, change.udfFields).map(Number);
  const record = { version: known.version + 1, fields, udfFields, isDeleted: change.action === 'Delete' };
  if (change.action !== 'Update' || changedFields.length > 0 || changedUdfs.length > 0) {
    return { kind: 'changed', record, changedFields, changedUdfs };
  }
  const tellsNews =
    changed !== null && !(isKnown(before.fields, change.fields) && isKnown(before.udfFields, change.udfFields));
  return tellsNews ? { kind: 'told', record } : { kind: 'unchanged' };
}

function isKnown(known: FieldValues, given: FieldValues): boolean {
  return differences(known, given).length === 0;
}

function overlay(known: FieldValues, given: FieldValues): FieldValues {
  const values = Object.create(null) as FieldValues;
  for (const name in known) values[name] = known[name] as string | null;
  for (const name in given) values[name] = given[name] as string | null;
  return values;
}
