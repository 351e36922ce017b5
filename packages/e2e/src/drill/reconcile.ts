import type { Arrival } from './arrivals.ts';
import { grouped } from './grouped.ts';
import { readHistory, type StoredEvent } from './history.ts';
import type { LedgerEntry } from './ledger.ts';
import { expectCallouts, type OwedCallout } from './model.ts';
import type { DrillWebhook } from './webhooks.ts';

/** Everything that is known after a drill, from three sides: the client's, the database's and the receivers'. */
export interface Books {
  readonly ledger: readonly LedgerEntry[];
  readonly events: readonly StoredEvent[];
  readonly webhooks: readonly DrillWebhook[];
  /** In the order in which they came. */
  readonly arrivals: readonly Arrival[];
}

export interface Outcome {
  /** Callouts that events owed webhooks. */
  readonly owed: number;
  /** Requests that repeated a callout although the receiver had answered it with 2xx. */
  readonly duplicates: number;
  /** Requests that repeated a callout because the receiver had failed. */
  readonly retries: number;
  /** What does not add up, in words. */
  readonly problems: readonly string[];
}

/**
 * Events accepted × webhooks owed = callouts delivered, each at least once; the first arrivals of a record in the order
 * of its events; sequence numbers without a gap; repeats with the same body; every request signed.
 */
export function reconcile({ ledger, events, webhooks, arrivals }: Books): Outcome {
  const history = readHistory(events, ledger);
  const expected = expectCallouts(history, ledger, webhooks);
  const problems = [...history.problems, ...expected.problems, ...arrivals.flatMap((arrival) => arrival.problems)];
  let duplicates = 0;
  let retries = 0;
  const firsts: Arrival[] = [];
  for (const repeats of grouped(arrivals, ({ webhook, calloutId }) => `${webhook}/${calloutId}`).values()) {
    const [first] = repeats;
    if (first === undefined) continue;
    firsts.push(first);
    const welcome = repeats.findIndex(({ isWelcome }) => isWelcome);
    if (welcome === -1) problems.push(`${nameOf(first)} never got through`);
    else duplicates += repeats.length - 1 - welcome;
    retries += welcome === -1 ? repeats.length - 1 : welcome;
    if (repeats.some(({ bodyText }) => bodyText !== first.bodyText)) problems.push(`${nameOf(first)} changed its body`);
  }
  const firstsOf = grouped(firsts, ({ webhook }) => webhook);
  const owedOf = grouped(expected.owed, ({ webhook }) => webhook);
  for (const { name } of webhooks) problems.push(...compare(name, owedOf.get(name) ?? [], firstsOf.get(name) ?? []));
  return { owed: expected.owed.length, duplicates, retries, problems };
}

/** The callouts of one webhook. `firsts` are in the order of their first arrival. */
function compare(webhook: string, owed: readonly OwedCallout[], firsts: readonly Arrival[]): string[] {
  const problems: string[] = [];
  const numbers = firsts.map(({ body }) => body.SequenceNumber).toSorted((a, b) => a - b);
  const gap = numbers.findIndex((number, index) => number !== index + 1);
  if (gap !== -1)
    problems.push(`${webhook}: sequence number ${gap + 1} is missing or came twice; next is ${numbers[gap]}`);

  const cameOf = grouped(firsts, ({ body }) => String(body.Id));
  const owedOf = grouped(owed, ({ recordId }) => String(recordId));
  for (const record of new Set([...cameOf.keys(), ...owedOf.keys()])) {
    const came = cameOf.get(record) ?? [];
    const inOrder = came.toSorted((a, b) => a.body.SequenceNumber - b.body.SequenceNumber);
    const overtaken = came.find((arrival, index) => arrival !== inOrder[index]);
    if (overtaken) problems.push(`${nameOf(overtaken)} came out of the order of its record`);
    problems.push(...compareRecord(`${webhook}, record ${record}`, owedOf.get(record) ?? [], inOrder));
  }
  return problems;
}

/** One record's callouts to one webhook: the nth that came must be the nth that was owed. */
function compareRecord(where: string, owed: readonly OwedCallout[], came: readonly Arrival[]): string[] {
  const problems: string[] = [];
  const cameIds = new Set(came.map(({ eventId }) => eventId));
  const owedIds = new Set(owed.map(({ eventId }) => eventId));
  for (const { eventId } of owed)
    if (!cameIds.has(eventId)) problems.push(`${where}: the callout of ${eventId} is lost`);
  for (const { eventId } of came) if (!owedIds.has(eventId)) problems.push(`${where}: nothing was owed for ${eventId}`);
  if (problems.length > 0) return problems;
  if (came.length !== owed.length) return [`${where}: ${came.length} callouts came, ${owed.length} were owed`];
  for (const [index, expected] of owed.entries()) {
    const [wanted, got] = [wordsOf(expected), wordsOf(whatCame(came[index], expected))];
    if (wanted !== got) problems.push(`${where}: expected ${wanted}, got ${got}`);
  }
  return problems;
}

/** An arrival in the terms of the model; its time only where the model knows it. */
function whatCame(arrival: Arrival | undefined, { eventTime, webhook }: OwedCallout): OwedCallout | undefined {
  if (arrival === undefined) return undefined;
  const { Id, Action, Fields, PersonID, EventTime } = arrival.body;
  const time = eventTime === null ? null : EventTime;
  const { eventId } = arrival;
  return { webhook, recordId: Id, eventId, action: Action, fields: Fields, personId: PersonID, eventTime: time };
}

/** The order of `fields` matters: it is the order of the webhook's Field records. */
function wordsOf(callout: OwedCallout | undefined): string {
  return JSON.stringify(callout);
}

function nameOf({ webhook, calloutId, body }: Arrival): string {
  return `${webhook}: callout ${calloutId} (number ${body.SequenceNumber}, record ${body.Id})`;
}
