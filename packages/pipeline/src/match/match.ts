import type { Client, Database, Transaction } from '@callout/database/connection/database';
import { isDatabaseAway } from '@callout/database/connection/database-away';
import {
  AssumptionFailed,
  inTransactionEndingWith,
  type Sent,
} from '@callout/database/connection/transaction/transaction';
import { newId } from '@callout/database/schema/ids';
import type { ClaimedCallout, RecordOfWebhook } from '@callout/domain/callout/claimed';
import type { Catalogue } from '@callout/domain/catalogue/catalogue';
import { createYield } from '@callout/runtime/concurrency/yield-to-others';
import type { SharedGrants } from '../limits/share-grants.rules.ts';
import { isEventNear } from '../payload/callout-bodies.ts';
import { chooseLeased, type OfferLease } from './lease.ts';
import {
  type ClaimLimits,
  claimPendingEvents,
  type GroupVersions,
  groupKeyOf,
  stillPending,
  type Subscriptions,
} from './load.ts';
import {
  countByWebhook,
  judgedTogether,
  judgeEvents,
  makeCallouts,
  type MatchEvent,
  numberVerdicts,
  type WebhookMatch,
} from './match-events.rules.ts';
import type { CompiledSubscription } from './match.rules.ts';
import { lockRecords, mergeCallouts, storeMerges } from './merge/merge.ts';
import {
  keyOfLayout,
  layoutsOf,
  type NewLayout,
  type NumberedWebhook,
  reserveSequenceNumbers,
  storeMatched,
} from './store.ts';

export interface MatchDeps extends ClaimLimits {
  pool: Database['pool'];
  catalogue: Catalogue;
  readSubscriptions: (client: Client, groups: readonly GroupVersions[]) => Promise<Subscriptions>;
  /** Reports why events could not be matched when further events of the job were. */
  onError: (error: unknown) => void;
  /** Layouts that are stored, as `<webhook>/<id>`: a cache, from which entries may disappear. */
  storedLayouts: { has: (key: string) => boolean; set: (key: string, value: true) => unknown };
}

export interface MatchResult {
  /** The number of events that were pending and are matched now. */
  matched: number;
  /** The number of their callouts. */
  callouts: number;
  /** Webhooks with new callouts to be claimed, or whose callouts were locked meanwhile. */
  webhookKeys: number[];
  /** Webhooks with new callouts to be fetched. */
  pulledKeys: number[];
  /** Given events that are still pending: further events, such as older events of the records, reached a limit. */
  leftEventIds: string[];
  /** The traces of the events that are matched now. */
  traceParents: (string | null)[];
}

/** Matches pending events in one transaction. Throws `AssumptionFailed` when a webhook was changed meanwhile. */
export type MatchTogether = (deps: MatchDeps, eventIds: readonly string[]) => Promise<MatchResult>;

/** The plain way: every callout is left to a claim. */
export const matchPlainly: MatchTogether = async (deps, eventIds) => {
  const { result } = await matchInTransaction(deps, eventIds, () => null);
  return result;
};

/**
 * Events × webhooks → verdicts → callouts, in one transaction: either an event is pending, or all of its verdicts and
 * callouts are stored. A job may come any number of times, to any number of workers.
 *
 * Events that cannot be matched together (an event cannot be matched at all, or the callouts do not fit into a
 * statement) are matched in halves, down to single events, so that the remaining events do not have to wait.
 * @throws when no event could be matched.
 */
export async function matchEvents(
  deps: MatchDeps,
  eventIds: readonly string[],
  matchTogether = matchPlainly,
): Promise<MatchResult> {
  try {
    return await matchTogether(deps, eventIds);
  } catch (error) {
    // A webhook was changed between being judged and being locked: each round judges the committed configuration.
    if (error instanceof AssumptionFailed) return matchEvents(deps, eventIds, matchTogether);
    if (deps.maxEvents <= 1 || isDatabaseAway(error)) throw error;
    const half = Math.ceil(eventIds.length / 2);
    const parts = eventIds.length > 1 ? [eventIds.slice(0, half), eventIds.slice(half)] : [eventIds];
    const fewer = { ...deps, maxEvents: Math.ceil(deps.maxEvents / 2) };
    const results: MatchResult[] = [];
    const errors: unknown[] = [];
    for (const part of parts) {
      try {
        results.push(await matchEvents(fewer, part, matchTogether));
      } catch (partError) {
        errors.push(partError);
      }
    }
    if (results.length === 0) throw errors[0];
    // The sweep enqueues the remaining events again, at growing intervals.
    for (const partError of errors) deps.onError(partError);
    return joined(results);
  }
}

function joined(results: readonly MatchResult[]): MatchResult {
  return {
    matched: results.reduce((sum, { matched }) => sum + matched, 0),
    callouts: results.reduce((sum, { callouts }) => sum + callouts, 0),
    webhookKeys: [...new Set(results.flatMap(({ webhookKeys }) => webhookKeys))],
    pulledKeys: [...new Set(results.flatMap(({ pulledKeys }) => pulledKeys))],
    leftEventIds: results.flatMap(({ leftEventIds }) => leftEventIds),
    traceParents: results.flatMap(({ traceParents }) => traceParents),
  };
}

/** What a transaction has stored. */
export interface StoredMatch {
  readonly result: MatchResult;
  /** New callouts that are stored with a lease. */
  readonly leased: readonly ClaimedCallout[];
  /** Which of the leased callouts their thresholds grant. */
  readonly grants: SharedGrants;
  /** New callouts that wait for an earlier callout of the record, and are sent by workers. */
  readonly waiting: readonly RecordOfWebhook[];
}

/** One transaction of match. `offerLease` is asked once, after the events are judged. */
export async function matchInTransaction(
  deps: MatchDeps,
  eventIds: readonly string[],
  offerLease: OfferLease,
): Promise<StoredMatch> {
  const { layouts, grants, ...stored } = await inTransactionEndingWith(deps.pool, (transaction) =>
    matchIn(deps, transaction, eventIds, offerLease),
  );
  for (const layout of layouts) deps.storedLayouts.set(keyOfLayout(layout), true);
  return { ...stored, grants: await grants };
}

type Uncommitted = Omit<StoredMatch, 'grants'> & { grants: Promise<SharedGrants>; layouts: readonly NewLayout[] };

/** Load, decide, store: three round trips, the last of which stores everything and commits. */
async function matchIn(
  deps: MatchDeps,
  transaction: Transaction,
  eventIds: readonly string[],
  offerLease: OfferLease,
): Promise<{ result: Uncommitted; last: Sent }> {
  const { catalogue, maxCharacters, storedLayouts } = deps;
  const { events, subscriptionsOf, leftEventIds } = await loadPending(deps, transaction, eventIds);
  if (events.length === 0) return { result: nothingMatched(leftEventIds), last: [] };

  const { judged, matches } = await judgeEvents(events, subscriptionsOf, createYield());
  const offer = offerLease(matches);
  // Two statements, sent together: the second sees everything committed under the locks of the first.
  const [webhooks, records] = await Promise.all([
    reserveSequenceNumbers(transaction, countByWebhook(matches), offer?.thresholds),
    lockRecords(transaction, matches),
  ]);
  ensureUnchanged(matches, webhooks);
  const firstSequenceNumbers = new Map([...webhooks].map(([key, webhook]) => [key, webhook.firstSequenceNumber]));
  const { busy, mergeable, heldKeys } = records;
  const callouts = makeCallouts(matches, { catalogue, firstSequenceNumbers, busy, newId, isEventNear, maxCharacters });
  const plan = await mergeCallouts(transaction, matches, callouts, { catalogue, mergeable });
  const lease = chooseLeased(plan, webhooks, heldKeys, offer);

  const layouts = layoutsOf(callouts).filter((layout) => !storedLayouts.has(keyOfLayout(layout)));
  const verdicts = numberVerdicts(judged, callouts);
  const merged = storeMerges(transaction, plan, lease.callouts);
  const grants = storeMatched(transaction, { verdicts, callouts: plan.callouts, layouts }, lease);

  const pulled = new Set(
    matches.flatMap(({ subscription }) => (subscription.isPulled === true ? [subscription.webhookKey] : [])),
  );
  const toClaim = plan.callouts.filter(({ id, state }) => state === 'due' && !lease.callouts.has(id));
  const dueKeys = [...new Set(toClaim.map(({ webhookKey }) => webhookKey))];
  const result: MatchResult = {
    matched: events.length,
    callouts: callouts.length,
    webhookKeys: dueKeys.filter((key) => !pulled.has(key)),
    pulledKeys: dueKeys.filter((key) => pulled.has(key)),
    leftEventIds,
    traceParents: events.map(({ traceParent }) => traceParent),
  };
  const leased = [...lease.callouts.values()];
  const waiting = plan.callouts.filter(({ state, webhookKey }) => state === 'waiting' && !pulled.has(webhookKey));
  return { result: { result, leased, waiting, grants, layouts }, last: [merged, grants] };
}

/** The events that are matched now, with their webhooks, and the given events that stay pending. */
interface Pending {
  events: readonly MatchEvent[];
  /** The subscriptions of an event's tenant and entity, in order of the webhook's key. */
  subscriptionsOf: (event: MatchEvent) => readonly CompiledSubscription[];
  leftEventIds: string[];
}

async function loadPending(
  { readSubscriptions, maxEvents, maxCharacters }: MatchDeps,
  transaction: Transaction,
  eventIds: readonly string[],
): Promise<Pending> {
  const { events: claimed, groups } = await claimPendingEvents(transaction, eventIds, { maxEvents, maxCharacters });
  const subscriptions: Subscriptions = claimed.length > 0 ? await readSubscriptions(transaction, groups) : new Map();
  const subscriptionsOf = (event: MatchEvent) => subscriptions.get(groupKeyOf(event)) ?? [];
  const events = judgedTogether(claimed, subscriptionsOf, maxCharacters);
  const matched = new Set(events.map((event) => event.id));
  // Given events that were not claimed are already matched, or exceeded the limit.
  const unclaimed = eventIds.filter((id) => !matched.has(id));
  const leftEventIds = unclaimed.length > 0 ? await stillPending(transaction, unclaimed) : [];
  return { events, subscriptionsOf, leftEventIds };
}

function nothingMatched(leftEventIds: string[]): Uncommitted {
  const result = { matched: 0, callouts: 0, webhookKeys: [], pulledKeys: [], leftEventIds, traceParents: [] };
  const grants = Promise.resolve({ held: [], countedAt: new Map<string, Date>() });
  return { result, leased: [], waiting: [], grants, layouts: [] };
}

/** @throws AssumptionFailed when a webhook has another version than the configuration by which it was judged. */
function ensureUnchanged(matches: readonly WebhookMatch[], webhooks: ReadonlyMap<number, NumberedWebhook>): void {
  for (const { subscription } of matches) {
    if (webhooks.get(subscription.webhookKey)?.version !== subscription.version) {
      throw new AssumptionFailed('a webhook was changed after it was judged and before it was locked');
    }
  }
}
