import type { Action } from '@callout/domain/event';
import type { PreviousValues } from '@callout/domain/previous-values';
import {
  shownValues,
  type PayloadInput,
  type PayloadLayout,
  type ShownSystemField,
} from '@callout/domain/callout/payload';
import { emptyFieldValues, type FieldValues } from '@callout/domain/values/values';
import { nothingKnown, type Confirmed } from '../sent-values.rules.ts';

/** The content of a callout that has not been tried, apart from the values, which come from the last event. */
export interface Carried {
  readonly action: Action;
  /** The subscribed fields that the events have changed, by catalogue name. */
  readonly changedFields: readonly string[];
  /** The subscribed user-defined fields that the events have changed, by the ids of the definitions. */
  readonly changedUdfs: readonly number[];
  /** The values of the changed fields before the first event that changed the field. */
  readonly previous: PreviousValues;
  /** The eventIDs as callers know the events, in order. */
  readonly eventIds: readonly string[];
}

/** The data of an event that is merged. */
export interface MergedEvent extends PayloadInput {
  /** The eventID as the caller knows the event. */
  readonly eventId: string;
}

/** How a callout that has not been tried goes on when the record changes again. */
export type NetChange =
  | { readonly kind: 'carried'; readonly carried: Carried; readonly input: PayloadInput }
  /** The changes have undone each other, and the receiver knows no change: nothing is left to send. */
  | { readonly kind: 'nothing' }
  /** Not merged: the later event gets a callout of its own. */
  | { readonly kind: 'apart' };

/** More events make a new callout: the ids of events are a part of the body. */
export const mostCarried = 500;

/** What a new callout carries: one event. */
export function carriedBy(event: MergedEvent, layout: PayloadLayout): Carried {
  const none: Carried = { action: event.action, eventIds: [event.eventId], ...noChanges };
  return event.action === 'Update' ? withChangesOf(none, event, layout) : none;
}

/**
 * Merges an event into a callout of its record that has not been tried: the net change, with the values right after
 * the event. A field that returns to the value that the receiver confirmed last is dropped.
 * @param confirmed absent: not looked for. Then it is asked for by `onAsk` where it matters, and nothing counts as confirmed.
 */
export function mergeEvent(
  carried: Carried,
  event: MergedEvent,
  layout: PayloadLayout,
  confirmed: Confirmed | undefined,
  onAsk: () => void,
): NetChange {
  if (carried.eventIds.length >= mostCarried) return { kind: 'apart' };
  const eventIds = [...carried.eventIds, event.eventId];
  const known = (): Confirmed => {
    if (confirmed === undefined) onAsk();
    return confirmed ?? nothingKnown;
  };
  if (carried.action === 'Create' && event.action === 'Update') return carriedOn({ ...carried, eventIds }, event);
  if (carried.action === 'Create' && event.action === 'Delete') {
    if (known().isGone) return { kind: 'nothing' };
    return carriedOn({ action: 'Delete', eventIds, ...noChanges }, event);
  }
  if (carried.action === 'Update' && event.action === 'Delete') {
    return carriedOn({ action: 'Delete', eventIds, ...noChanges }, event);
  }
  if (carried.action === 'Update' && event.action === 'Update') {
    const all = withChangesOf({ ...carried, eventIds }, event, layout);
    const left = withoutReturned(all, event, layout, known);
    const isSubscribed = left.changedFields.length + left.changedUdfs.length > 0;
    return isSubscribed || !isAllConfirmed(left, event, layout, known) ? carriedOn(left, event) : { kind: 'nothing' };
  }
  return { kind: 'apart' };
}

const noChanges = {
  changedFields: [],
  changedUdfs: [],
  previous: { fields: emptyFieldValues(), udfFields: emptyFieldValues() },
} as const;

function carriedOn(carried: Carried, event: MergedEvent): NetChange {
  return { kind: 'carried', carried, input: inputOf(carried, event) };
}

function inputOf({ action, changedFields, changedUdfs, previous }: Carried, event: MergedEvent): PayloadInput {
  const { fields, udfFields } = event;
  return { action, fields, udfFields, changedFields, changedUdfs, previous };
}

/** Adds the subscribed fields that an event changed. What was before the first change of a field stays. */
function withChangesOf(carried: Carried, event: MergedEvent, layout: PayloadLayout): Carried {
  const fields = event.changedFields.filter((name) =>
    layout.fields.some((one) => one.name === name && one.isSubscribed),
  );
  const udfs = event.changedUdfs.filter((id) => layout.udfFields.some((one) => one.udfId === id && one.isSubscribed));
  const newFields = fields.filter((name) => !carried.changedFields.includes(name));
  const newUdfs = udfs.filter((id) => !carried.changedUdfs.includes(id));
  return {
    ...carried,
    changedFields: [...carried.changedFields, ...newFields],
    changedUdfs: [...carried.changedUdfs, ...newUdfs],
    previous: {
      fields: withValuesOf(carried.previous.fields, event.previous.fields, newFields),
      udfFields: withValuesOf(carried.previous.udfFields, event.previous.udfFields, newUdfs.map(String)),
    },
  };
}

function withValuesOf(values: FieldValues, others: FieldValues, names: readonly string[]): FieldValues {
  const all = Object.assign(emptyFieldValues(), values);
  for (const name of names) if (Object.hasOwn(others, name)) all[name] = others[name] ?? null;
  return all;
}

/**
 * Without the fields that have the value again that they had before, and that the receiver confirmed last; and without
 * fields that are no longer known, since the record was deleted and created again without a callout.
 */
function withoutReturned(
  carried: Carried,
  event: MergedEvent,
  layout: PayloadLayout,
  confirmed: () => Confirmed,
): Carried {
  const hasReturned = (now: FieldValues, before: FieldValues, name: string, key: string | undefined): boolean =>
    Object.hasOwn(before, name) &&
    now[name] === before[name] &&
    key !== undefined &&
    confirmed().values.get(key) === now[name];
  const isLeft = (now: FieldValues, before: FieldValues, name: string, key: string | undefined): boolean =>
    Object.hasOwn(now, name) && !hasReturned(now, before, name, key);
  const { previous } = carried;
  const keyOf = (name: string) => {
    const field = layout.fields.find((one) => one.name === name);
    return field && keyInBody(field, layout);
  };
  const keyOfUdf = (id: number) => layout.udfFields.find((one) => one.udfId === id)?.key;
  const changedFields = carried.changedFields.filter((name) =>
    isLeft(event.fields, previous.fields, name, keyOf(name)),
  );
  const changedUdfs = carried.changedUdfs.filter((id) =>
    isLeft(event.udfFields, previous.udfFields, String(id), keyOfUdf(id)),
  );
  return {
    ...carried,
    changedFields,
    changedUdfs,
    previous: {
      fields: withValuesOf(emptyFieldValues(), previous.fields, changedFields),
      udfFields: withValuesOf(emptyFieldValues(), previous.udfFields, changedUdfs.map(String)),
    },
  };
}

/** Whether the receiver has confirmed every value that the callout would show, as those of display-always fields. */
function isAllConfirmed(
  carried: Carried,
  event: MergedEvent,
  layout: PayloadLayout,
  confirmed: () => Confirmed,
): boolean {
  const { fields, udfFields } = shownValues(inputOf(carried, event), layout);
  return (
    fields.every(([field, value]) => confirmed().values.get(keyInBody(field, layout)) === value) &&
    udfFields.every(([{ key }, value]) => confirmed().values.get(key) === value)
  );
}

/** A label differs from each name of a field, so that one map can have both. */
function keyInBody({ key, name }: ShownSystemField, { format }: PayloadLayout): string {
  return format === undefined ? key : name;
}
