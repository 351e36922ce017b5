import { changedFields as differences } from '@callout/domain/event';
import type { IngestEvent } from './request.rules.ts';
import type { FieldValues } from '@callout/domain/values/values';

/** The known values of a record. The value of an absent name is not known; null is known to be empty. */
export interface KnownRecord {
  /** Rises with every event of the record, in their order, and with values given without one. 0: never seen. */
  version: number;
  fields: FieldValues;
  udfFields: FieldValues;
  isDeleted: boolean;
}

/** A change of a record, as its caller reports it. */
export type RecordChange = Pick<IngestEvent, 'action' | 'fields' | 'udfFields' | 'changed'>;

/** The effect of a change on a record. */
export type ChangeResult =
  | {
      kind: 'changed';
      record: KnownRecord;
      changedFields: string[];
      changedUdfs: number[];
      /** What was known of the record before. */
      before: KnownRecord;
    }
  /** No event, but new values: the next event has them. */
  | { kind: 'valuesOnly'; record: KnownRecord }
  | { kind: 'unchanged' }
  /** The change lists a field as changed whose value was never given. */
  | { kind: 'unknownValue'; name: string };

const nothingKnown: FieldValues = Object.create(null) as FieldValues;

export const unseenRecord: KnownRecord = {
  version: 0,
  fields: nothingKnown,
  udfFields: nothingKnown,
  isDeleted: false,
};

/**
 * Applies one change to the known values of a record.
 * - A Create starts without known values, also where a record with the id existed before: only values of the Create are
 *   known.
 * - An Update adds the sent values to the known values. Without a list of changed names the differences are the change;
 *   with a list, the list is the change. Sent values are stored whether the list names them or not: values are the
 *   caller's data, and the list says what to report. An Update without changes makes no event, also with an empty list.
 * - A Delete keeps the last known values.
 */
export function applyChange(current: KnownRecord, change: RecordChange): ChangeResult {
  const before = change.action === 'Create' || current.isDeleted ? unseenRecord : current;
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
  const record = { version: current.version + 1, fields, udfFields, isDeleted: change.action === 'Delete' };
  if (change.action !== 'Update' || changedFields.length > 0 || changedUdfs.length > 0) {
    return { kind: 'changed', record, changedFields, changedUdfs, before };
  }
  const hasNewValues =
    changed !== null && !(hasValues(before.fields, change.fields) && hasValues(before.udfFields, change.udfFields));
  return hasNewValues ? { kind: 'valuesOnly', record } : { kind: 'unchanged' };
}

function hasValues(before: FieldValues, sent: FieldValues): boolean {
  return differences(before, sent).length === 0;
}

function overlay(before: FieldValues, sent: FieldValues): FieldValues {
  const values = Object.create(null) as FieldValues;
  for (const name in before) values[name] = before[name] as string | null;
  for (const name in sent) values[name] = sent[name] as string | null;
  return values;
}
