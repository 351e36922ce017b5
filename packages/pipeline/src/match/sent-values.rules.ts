import type { EntityDefinition } from '@callout/domain/catalogue/catalogue';
import type { TypedValue } from '@callout/domain/callout/typed-value';
import type { Action } from '@callout/domain/event';
import { applyChange, unseenRecord, type KnownRecord } from '../ingest/record.rules.ts';
import { emptyFieldValues, type FieldValue } from '@callout/domain/values/values';
import type { CalloutState } from '@callout/domain/callout/callout-states';

/** A callout about a record, with the exact text of its body. */
export interface SentCallout {
  readonly action: Action;
  readonly body: string;
}

/**
 * A record as the callouts of a webhook have shown the record: only the values in bodies, later values replacing
 * earlier values. A Create starts again; after a Delete the record is deleted.
 * @param callouts about a record, in the order of numbers.
 * @param udfs the user-defined fields of the entity. Bodies name them by label: a value whose label no field has now is
 * left out.
 * @param before the record as earlier callouts have shown the record.
 */
export function recordOfCallouts(
  callouts: readonly SentCallout[],
  entity: EntityDefinition,
  udfs: readonly { readonly id: number; readonly label: string }[],
  before: KnownRecord = unseenRecord,
): KnownRecord {
  const names = new Map(entity.fields.flatMap(({ payloadKey, name }) => [payloadKey, name].map((key) => [key, name])));
  const ids = new Map(udfs.map(({ id, label }) => [label, String(id)]));
  return callouts.reduce<KnownRecord>((known, { action, body }) => {
    const [fields, udfFields] = [emptyFieldValues(), emptyFieldValues()];
    for (const [key, value] of valuesInBody(body).values) {
      const [name, id] = [names.get(key), ids.get(key)];
      if (name !== undefined) fields[name] = value;
      else if (id !== undefined) udfFields[id] = value;
    }
    const result = applyChange(known, { action, fields, udfFields, changed: null });
    return 'record' in result ? result.record : known;
  }, before);
}

/** The values in a body, and whether their keys are those of the reference format. */
export interface ShownInBody {
  readonly isReference: boolean;
  /** In wire form. */
  readonly values: readonly (readonly [key: string, value: FieldValue])[];
}

/** Reads the values in a body that `bodyOf` wrote, of any format. */
function valuesInBody(body: string): ShownInBody {
  const parsed = JSON.parse(body) as TypedBody & { readonly Fields?: object; readonly data?: TypedBody };
  const { fields, userDefinedFields } = parsed.data ?? parsed;
  const values = [parsed.Fields ?? fields, userDefinedFields].flatMap((one) => Object.entries(one ?? {}));
  return {
    isReference: parsed.Fields !== undefined,
    values: values.map(([key, value]) => [key, wireValue(value as TypedValue)]),
  };
}

interface TypedBody {
  readonly fields?: object;
  readonly userDefinedFields?: object;
}

/** Numbers are in typed bodies only where their text is the same. */
function wireValue(value: TypedValue): FieldValue {
  const json = typeof value === 'object' && value !== null ? value.value : value;
  return json === null ? null : String(json);
}

/** What a receiver has confirmed to know of a record. What is not certain is absent. */
export interface Confirmed {
  /** Values by the keys in bodies of the format of the last callout. */
  readonly values: ReadonlyMap<string, FieldValue>;
  /** The receiver does not have the record: no callout showed the record, or the receiver has confirmed the deletion. */
  readonly isGone: boolean;
}

export const nothingKnown: Confirmed = { values: new Map(), isGone: false };

/** An ended callout about the record. */
export interface EndedCallout {
  readonly action: Action;
  readonly state: CalloutState;
  /** Null: the body is no longer stored. */
  readonly body: string | null;
}

/**
 * What a receiver has confirmed by its answers to the ended callouts of a record. The last callout that showed a field counts, and only if
 * it was delivered: one that failed or was cancelled may have arrived or not.
 * @param callouts the last to end first, without merged ones; the oldest may be missing, since each field is looked
 * for from the latest on.
 */
export function confirmedBy(callouts: readonly EndedCallout[]): Confirmed {
  const values = new Map<string, FieldValue>();
  const seen = new Set<string>();
  let isReference: boolean | undefined;
  const [last] = callouts;
  const isGone = last === undefined || (last.action === 'Delete' && last.state === 'delivered');
  for (const callout of callouts) {
    // What was confirmed before it is of no use: the record was deleted, or the callout may have shown each field.
    if (callout.action === 'Delete' || callout.body === null) break;
    const shown = valuesInBody(callout.body);
    isReference ??= shown.isReference;
    // Under other keys, the later callouts may have shown the same fields.
    if (shown.isReference !== isReference) break;
    for (const [key, value] of shown.values) {
      if (!seen.has(key) && callout.state === 'delivered') values.set(key, value);
      seen.add(key);
    }
    // The record began again.
    if (callout.action === 'Create') break;
  }
  return { values, isGone };
}
