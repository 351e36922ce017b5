import { isDeactivation, type Arrival } from '../receivers/arrivals.ts';
import type { Chronicle, Chronicles } from '../traffic/chronicle.ts';
import { grouped } from './grouped.ts';
import { readHistory, type StoredEvent } from './history.ts';
import type { LedgerEntry } from '../traffic/ledger.ts';
import { expectCallouts, type ExpectedCallout } from './model.ts';
import { compareMerged } from './merged.ts';
import type { CancelledCallout, MergedCallout } from './settled.ts';

/** Everything that is known after a drill, from three sides: the client's, the database's and the receivers'. */
export interface Books {
  readonly ledger: readonly LedgerEntry[];
  readonly events: readonly StoredEvent[];
  /** The result of each webhook. */
  readonly chronicles: Chronicles;
  /** Callouts that are cancelled in the database. */
  readonly cancelled: readonly CancelledCallout[];
  /** Callouts that are merged in the database. */
  readonly merged: readonly MergedCallout[];
  /** Whose resource changes webhooks. */
  readonly meddlerId: number;
  /** In the order of arrival. */
  readonly arrivals: readonly Arrival[];
}

export interface Outcome {
  /** The number of expected callouts. */
  readonly owed: number;
  /** Requests that repeated a callout although the receiver had responded to it with 2xx. */
  readonly duplicates: number;
  /** Requests that repeated a callout because the receiver had failed. */
  readonly retries: number;
  /** Deactivation calls. */
  readonly deactivations: number;
  /** The inconsistencies, a sentence each. */
  readonly problems: readonly string[];
}

/**
 * Events accepted × webhooks matched = callouts delivered, each at least once; the first arrivals of a record in the
 * order of its events; sequence numbers without a gap; repeats with the same body; every request signed; one call for
 * each deactivation. Callouts that were cancelled since their webhook was deactivated may come or not.
 */
export function reconcile({ ledger, events, chronicles, cancelled, merged, meddlerId, arrivals }: Books): Outcome {
  const history = readHistory(events, ledger);
  const expected = expectCallouts(history, ledger, chronicles);
  const cancelledOf = grouped(cancelled, ({ webhook }) => webhook);
  const mergedOf = grouped(merged, ({ webhook }) => webhook);
  const wasCancelled = new Set(cancelled.map(({ webhook, sequenceNumber }) => `${webhook}/${sequenceNumber}`));
  const problems = [...history.problems, ...expected.problems, ...arrivals.flatMap((arrival) => arrival.problems)];
  let duplicates = 0;
  let retries = 0;
  const firsts: Arrival[] = [];
  for (const repeats of grouped(arrivals, ({ webhook, calloutId }) => `${webhook}/${calloutId}`).values()) {
    const [first] = repeats;
    if (first === undefined) continue;
    firsts.push(first);
    const welcome = repeats.findIndex(({ isWelcome }) => isWelcome);
    const isCancelled = wasCancelled.has(`${first.webhook}/${first.body.SequenceNumber}`);
    if (welcome === -1 && !isCancelled) problems.push(`${nameOf(first)} never got through`);
    if (welcome !== -1) duplicates += repeats.length - 1 - welcome;
    retries += welcome === -1 ? repeats.length - 1 : welcome;
    if (repeats.some(({ bodyText }) => bodyText !== first.bodyText)) problems.push(`${nameOf(first)} changed its body`);
  }
  const firstsOf = grouped(firsts, ({ webhook }) => webhook);
  const expectedOf = grouped(expected.owed, ({ webhook }) => webhook);
  for (const [name, chronicle] of chronicles) {
    const cancelledHere = cancelledOf.get(name) ?? [];
    const came = firstsOf.get(name) ?? [];
    const [calls, callouts] = split(came, isDeactivation);
    const mergedHere = mergedOf.get(name) ?? [];
    problems.push(...checkNumbers(name, came, [...cancelledHere, ...mergedHere]));
    problems.push(...checkCalls(name, chronicle, calls, meddlerId));
    const owed = expectedOf.get(name) ?? [];
    const isMerging = chronicle.chapters.some(({ webhook }) => webhook.merges === true);
    if (isMerging)
      problems.push(...compareMerged(name, owed, callouts, { merged: mergedHere, cancelled: cancelledHere }));
    else problems.push(...compare(name, owed, callouts, cancelledHere));
    if (!isMerging && mergedHere.length > 0)
      problems.push(`${name} does not merge, but ${mergedHere.length} were merged`);
  }
  const deactivations = firsts.filter(isDeactivation).length;
  return { owed: expected.owed.length, duplicates, retries, deactivations, problems };
}

/** Numbers without a gap: missing ones were cancelled. */
function checkNumbers(webhook: string, firsts: readonly Arrival[], cancelled: readonly CancelledCallout[]): string[] {
  const came = firsts.map(({ body }) => body.SequenceNumber);
  const neverCame = cancelled.map(({ sequenceNumber }) => sequenceNumber).filter((number) => !came.includes(number));
  const numbers = [...came, ...neverCame].toSorted((a, b) => a - b);
  const gap = numbers.findIndex((number, index) => number !== index + 1);
  return gap === -1 ? [] : [`${webhook}: sequence number ${gap + 1} is missing or came twice; next is ${numbers[gap]}`];
}

/** Each deactivation has one call, with its actor, in their order. */
function checkCalls(
  webhook: string,
  { deactivations }: Chronicle,
  calls: readonly Arrival[],
  meddlerId: number,
): string[] {
  const problems: string[] = [];
  if (calls.length !== deactivations)
    problems.push(`${webhook}: ${calls.length} deactivations were notified, ${deactivations} were done`);
  for (const [index, call] of calls.entries()) {
    const { PersonID, Fields, SequenceNumber } = call.body;
    if (PersonID !== meddlerId) problems.push(`${nameOf(call)} was done by ${PersonID}`);
    if (Object.keys(Fields).length > 0) problems.push(`${nameOf(call)} has fields`);
    if (SequenceNumber < (calls[index - 1]?.body.SequenceNumber ?? 0)) problems.push(`${nameOf(call)} was overtaken`);
  }
  return problems;
}

function split<T>(things: readonly T[], belongsFirst: (thing: T) => boolean): [T[], T[]] {
  return [things.filter(belongsFirst), things.filter((thing) => !belongsFirst(thing))];
}

/**
 * The callouts of one webhook. `firsts` are in the order of their first arrival. Cancelled ones are left out of the
 * order: a worker that was frozen may send them long after later ones.
 */
function compare(
  webhook: string,
  allExpected: readonly ExpectedCallout[],
  allFirsts: readonly Arrival[],
  cancelled: readonly CancelledCallout[],
): string[] {
  const problems: string[] = [];
  const cancelledIds = new Set(cancelled.map(({ eventId }) => eventId));
  const [cancelledBefore, owed] = split(allExpected, ({ eventId }) => cancelledIds.has(eventId));
  const [firstsInVain, firsts] = split(allFirsts, ({ eventId }) => cancelledIds.has(eventId));
  for (const { eventId, mayBeCancelled } of cancelledBefore)
    if (!mayBeCancelled) problems.push(`${webhook}: the callout of ${eventId} was cancelled for nothing`);
  for (const came of firstsInVain)
    problems.push(
      ...compareRecord(
        `${webhook}, cancelled`,
        cancelledBefore.filter((one) => one.eventId === came.eventId),
        [came],
      ),
    );

  const cameOf = grouped(firsts, ({ body }) => String(body.Id));
  const expectedOf = grouped(owed, ({ recordId }) => String(recordId));
  for (const record of new Set([...cameOf.keys(), ...expectedOf.keys()])) {
    const came = cameOf.get(record) ?? [];
    const inOrder = came.toSorted((a, b) => a.body.SequenceNumber - b.body.SequenceNumber);
    const overtaken = came.find((arrival, index) => arrival !== inOrder[index]);
    if (overtaken) problems.push(`${nameOf(overtaken)} came out of the order of its record`);
    problems.push(...compareRecord(`${webhook}, record ${record}`, expectedOf.get(record) ?? [], inOrder));
  }
  return problems;
}

/** One record's callouts to one webhook: the nth arrival must be the nth expected one. */
function compareRecord(where: string, owed: readonly ExpectedCallout[], came: readonly Arrival[]): string[] {
  const problems: string[] = [];
  const cameIds = new Set(came.map(({ eventId }) => eventId));
  const expectedIds = new Set(owed.map(({ eventId }) => eventId));
  for (const { eventId } of owed)
    if (!cameIds.has(eventId)) problems.push(`${where}: the callout of ${eventId} is lost`);
  for (const { eventId } of came)
    if (!expectedIds.has(eventId)) problems.push(`${where}: nothing was owed for ${eventId}`);
  if (problems.length > 0) return problems;
  if (came.length !== owed.length) return [`${where}: ${came.length} callouts came, ${owed.length} were owed`];
  for (const [index, expected] of owed.entries()) {
    const { mayBeCancelled: _, effect: __, ...seen } = expected;
    const [wanted, got] = [wordsOf(seen), wordsOf(arrivalOf(came[index], expected))];
    if (wanted !== got) problems.push(`${where}: expected ${wanted}, got ${got}`);
  }
  return problems;
}

/** What the model says of a callout and a receiver sees. */
type Seen = Omit<ExpectedCallout, 'mayBeCancelled' | 'effect'>;

/** An arrival in the terms of the model; its time only where the model knows it. */
function arrivalOf(arrival: Arrival | undefined, { eventTime, webhook }: ExpectedCallout): Seen | undefined {
  if (arrival === undefined) return undefined;
  const { Id, Action, Fields, PreviousFields, PersonID, EventTime } = arrival.body;
  return {
    webhook,
    recordId: Id,
    eventId: arrival.eventId,
    action: Action,
    format: arrival.format,
    fields: Fields,
    ...(PreviousFields && { previousFields: PreviousFields }),
    personId: PersonID,
    eventTime: eventTime === null ? null : EventTime,
  };
}

/** The order of `fields` matters: it is the order of the webhook's Field records. */
function wordsOf(callout: Seen | undefined): string {
  return JSON.stringify(callout);
}

function nameOf({ webhook, calloutId, body }: Arrival): string {
  return `${webhook}: callout ${calloutId} (number ${body.SequenceNumber}, record ${body.Id})`;
}
