import type { Arrival } from '../receivers/arrivals.ts';
import { grouped } from './grouped.ts';
import type { ExpectedCallout } from './model.ts';
import { checkNetChange, receive, type Held } from './net-change.ts';
import type { CancelledCallout, MergedCallout } from './settled.ts';

/** The callouts of a webhook that were stored and not delivered. */
export interface Unsent {
  readonly merged: readonly MergedCallout[];
  readonly cancelled: readonly CancelledCallout[];
}

/**
 * The callouts of a webhook that merges: each owed event is in a callout that came, in one of which nothing was left, or
 * in one that was cancelled; the callouts of a record came in order, each with the net change of its events; and the
 * receiver ends with the values of one that got everything.
 * @param firsts the first arrival of each callout.
 */
export function compareMerged(
  webhook: string,
  owed: readonly ExpectedCallout[],
  firsts: readonly Arrival[],
  { merged, cancelled }: Unsent,
): string[] {
  const problems: string[] = [];
  const came = new Set(firsts.flatMap(eventsIn));
  const ends = new Map<string, string>(merged.map(({ eventId, end }) => [eventId, end]));
  for (const { eventId } of cancelled) ends.set(eventId, 'cancelled');
  for (const { eventId, mayBeCancelled } of owed) {
    const end = ends.get(eventId);
    if (!came.has(eventId) && (end === undefined || end === 'carried'))
      problems.push(`${webhook}: the change of ${eventId} is lost`);
    if (end === 'cancelled' && !mayBeCancelled)
      problems.push(`${webhook}: the callout of ${eventId} was cancelled for nothing`);
  }
  const owedIds = new Set(owed.map(({ eventId }) => eventId));
  for (const eventId of came) if (!owedIds.has(eventId)) problems.push(`${webhook}: nothing was owed for ${eventId}`);
  const mergedNumbers = new Set(merged.map(({ sequenceNumber }) => sequenceNumber));
  for (const { body } of firsts) {
    if (mergedNumbers.has(body.SequenceNumber))
      problems.push(`${webhook}: ${body.SequenceNumber} was merged, and came`);
  }
  // A worker that was frozen may send a cancelled one long after later ones.
  const delivered = firsts.filter(({ eventId }) => ends.get(eventId) !== 'cancelled');
  const cameOf = grouped(delivered, ({ body }) => String(body.Id));
  for (const [record, expected] of grouped(owed, ({ recordId }) => String(recordId))) {
    const isWhole = expected.every(({ eventId }) => ends.get(eventId) !== 'cancelled');
    problems.push(
      ...compareRecord(expected, cameOf.get(record) ?? [], undoneAmong(merged, expected), isWhole).map(
        (problem) => `${webhook}: record ${record} ${problem}`,
      ),
    );
  }
  return problems;
}

function eventsIn({ eventId, body }: Arrival): readonly string[] {
  return body.MergedEventIDs ?? [eventId];
}

/** What happened to a record at its receiver: a callout came, or changes undid each other and none was sent. */
interface Step {
  readonly number: number;
  readonly events: readonly ExpectedCallout[];
  /** Undefined: nothing was sent. */
  readonly arrival: Arrival | undefined;
}

/** The changes of a record that undid each other, one step for each callout of which nothing was left. */
function undoneAmong(merged: readonly MergedCallout[], expected: readonly ExpectedCallout[]): Step[] {
  const ids = new Set(expected.map(({ eventId }) => eventId));
  const undone = merged.filter(({ eventId, end }) => end === 'undone' && ids.has(eventId));
  return [...grouped(undone, ({ carrierId }) => carrierId).values()].map((group) => {
    const eventIds = new Set(group.map(({ eventId }) => eventId));
    return {
      number: Math.min(...group.map(({ sequenceNumber }) => sequenceNumber)),
      events: expected.filter(({ eventId }) => eventIds.has(eventId)),
      arrival: undefined,
    };
  });
}

/** @param isWhole none of its callouts was cancelled. */
function compareRecord(
  expected: readonly ExpectedCallout[],
  arrivals: readonly Arrival[],
  undone: readonly Step[],
  isWhole: boolean,
): string[] {
  const problems: string[] = [];
  const places = new Map(expected.map(({ eventId }, nth) => [eventId, nth]));
  const sent = arrivals.map((arrival): Step => {
    const nths = eventsIn(arrival).map((eventId) => places.get(eventId) ?? -1);
    const [first = -1] = nths;
    if (nths.some((nth, index) => nth !== first + index) || expected[first]?.eventId !== arrival.eventId)
      problems.push(`got ${eventsIn(arrival).join(', ')} in one callout, of ${arrival.eventId}`);
    const events = nths.flatMap((nth) => expected[nth] ?? []);
    return { number: arrival.body.SequenceNumber, events, arrival };
  });
  const inOrder = [...sent, ...undone].toSorted((a, b) => a.number - b.number);
  const cameInOrder = inOrder.flatMap(({ arrival }) => arrival ?? []);
  if (cameInOrder.some((arrival, nth) => arrival !== arrivals[nth])) problems.push('came out of order');
  let held: Held;
  for (const { number, events, arrival } of inOrder) {
    if (arrival === undefined) {
      if (!isUndone(events, held)) problems.push(`was not shown what was left of ${number}`);
      continue;
    }
    const { body } = arrival;
    problems.push(...checkNetChange(body, events, held).map((problem) => `got ${number}, which ${problem}`));
    held = receive(held, { action: body.Action, fields: body.Fields });
  }
  return isWhole ? [...problems, ...checkEnd(expected, held)] : problems;
}

/** Compares what a receiver holds in the end with one that got a callout of each owed event. */
function checkEnd(expected: readonly ExpectedCallout[], held: Held): string[] {
  const everything = expected.reduce<Held>(receive, undefined);
  if (everything === undefined || held === undefined)
    return everything === held ? [] : [`ended as ${JSON.stringify(held)}, not as ${JSON.stringify(everything)}`];
  return Object.keys(expected.at(-1)?.effect.values ?? {}).flatMap((key) => {
    const shown = expected.findLastIndex(({ action, fields }) => action === 'Create' || key in fields);
    // A callout of several events shows the value after the last of them, also where that change was owed no callout.
    const since = expected.slice(Math.max(0, shown)).map(({ effect }) => effect.values[key]);
    // The record was deleted and began anew without a callout: an older value may have been shown or not.
    if (since.includes(undefined)) return [];
    const isRight = [everything[key], ...since].includes(held[key]);
    return isRight ? [] : [`ended as ${held[key]} in ${key}, not as ${everything[key]}`];
  });
}

/**
 * Whether changes have left everything at a receiver as it was. What it holds of a field that is not known any more does
 * not matter: the record was deleted and began anew without a callout.
 */
function isUndone(events: readonly ExpectedCallout[], held: Held): boolean {
  const last = events.at(-1);
  if (last === undefined || last.action === 'Delete') return held === undefined;
  const { values } = last.effect;
  const changed = events.flatMap(({ effect }) => effect.changed);
  return [...changed, ...Object.keys(last.fields)].every((key) => !(key in values) || held?.[key] === values[key]);
}
