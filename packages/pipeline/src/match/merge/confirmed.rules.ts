import type { CalloutState } from '@callout/domain/callout/callout-states';
import type { FieldValue } from '@callout/domain/values/values';
import type { Action } from '@callout/domain/event/event';
import { valuesInBody } from '../sent-values.rules.ts';

/** What a receiver has confirmed to know of a record. What is not certain is absent. */
export interface Confirmed {
  /** By their keys in bodies of one format, that of the last callout. */
  readonly values: ReadonlyMap<string, FieldValue>;
  /** It does not have the record: it was never shown it, or confirmed last that it is deleted. */
  readonly isGone: boolean;
}

export const nothingKnown: Confirmed = { values: new Map(), isGone: false };

/** An ended callout about the record. */
export interface EndedCallout {
  readonly action: Action;
  readonly state: CalloutState;
  /** Null: it is no longer stored. */
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
