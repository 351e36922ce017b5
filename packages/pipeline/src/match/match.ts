import type { Catalogue } from '@callout/domain/catalogue/catalogue';
import {
  countByWebhook,
  isMerging,
  judgedTogether,
  judgeEvents,
  makeCallouts,
  type MatchEvent,
  numberVerdicts,
  recordsOf,
} from './match-events.rules.ts';
import type { Client, Database, Transaction } from '@callout/database/connection/database';
import {
  inTransactionEndingWith,
  type Sent,
  AssumptionFailed,
  isAssumptionFailed,
} from '@callout/database/connection/transaction/transaction';
import { isDatabaseAway } from '@callout/database/connection/database-away';
import {
  keyOfLayout,
  layoutsOf,
  lockOpenTails,
  type NewLayout,
  type NumberedWebhook,
  noLease,
  storeMatched,
  reserveSequenceNumbers,
} from './store.ts';
import {
  type ClaimLimits,
  claimPendingEvents,
  type GroupVersions,
  stillPending,
  groupKeyOf,
  type Subscriptions,
} from './load.ts';
import { isEventNear } from '../payload/callout-bodies.ts';
import { lockForMerge, mergeCallouts, storeMerges } from './merge/merge.ts';
import { createYield } from '@callout/runtime/concurrency/yield-to-others';
import { newId } from '@callout/database/schema/ids';
import { nothingCounted, type CountedAttempts, type LeaseAtMatch, type MatchLease } from './lease-at-match.ts';

export interface MatchDeps extends ClaimLimits {
  pool: Database['pool'];
  catalogue: Catalogue;
  readSubscriptions: (client: Client, groups: readonly GroupVersions[]) => Promise<Subscriptions>;
  /** Reports why events could not be matched when others of the same job were. */
  onError: (error: unknown) => void;
  /** Layouts that are stored, as `<webhook>/<id>`: a cache, from which entries may disappear. */
  storedLayouts: { has: (key: string) => boolean; set: (key: string, value: true) => unknown };
  /** Sends new callouts at once where possible; null when this process does not deliver. */
  leaseAtMatch: LeaseAtMatch | null;
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
  /** Given events that are still pending: other events, such as older ones of their records, reached a limit. */
  leftEventIds: string[];
  /** The traces of the events that are matched now. */
  traceParents: (string | null)[];
}

/**
 * Events × webhooks → verdicts → callouts, in one transaction: either an event is pending, or all of its verdicts and
 * callouts are stored. The same job may come any number of times, to any number of workers.
 *
 * Events that cannot be matched together (one of them cannot be at all, or their callouts do not fit into one
 * statement) are matched in halves, down to one by one, so that the others do not have to wait.
 * @throws when none of them could be matched.
 */
export async function matchEvents(deps: MatchDeps, eventIds: readonly string[]): Promise<MatchResult> {
  try {
    return await matchTogether(deps, eventIds);
  } catch (error) {
    if (deps.maxEvents <= 1 || isDatabaseAway(error)) throw error;
    const half = Math.ceil(eventIds.length / 2);
    const parts = eventIds.length > 1 ? [eventIds.slice(0, half), eventIds.slice(half)] : [eventIds];
    const fewer = { ...deps, maxEvents: Math.ceil(deps.maxEvents / 2) };
    const results: MatchResult[] = [];
    const errors: unknown[] = [];
    for (const part of parts) {
      try {
        results.push(await matchEvents(fewer, part));
      } catch (partError) {
        errors.push(partError);
      }
    }
    if (results.length === 0) throw errors[0];
    // The sweep enqueues the remaining events again, at growing intervals.
    for (const partError of errors) deps.onError(partError);
    return {
      matched: results.reduce((sum, { matched }) => sum + matched, 0),
      callouts: results.reduce((sum, { callouts }) => sum + callouts, 0),
      webhookKeys: [...new Set(results.flatMap(({ webhookKeys }) => webhookKeys))],
      pulledKeys: [...new Set(results.flatMap(({ pulledKeys }) => pulledKeys))],
      leftEventIds: results.flatMap(({ leftEventIds }) => leftEventIds),
      traceParents: results.flatMap(({ traceParents }) => traceParents),
    };
  }
}

async function matchTogether(deps: MatchDeps, eventIds: readonly string[]): Promise<MatchResult> {
  // Ends when no webhook changed between being judged and being locked; each round judges the committed configuration.
  for (;;) {
    const lease = deps.leaseAtMatch?.() ?? null;
    try {
      const { counted, layouts, ...result } = await inTransactionEndingWith(deps.pool, (transaction) =>
        matchOnce(deps, lease, transaction, eventIds),
      );
      for (const layout of layouts) deps.storedLayouts.set(keyOfLayout(layout), true);
      await lease?.send(await counted);
      return result;
    } catch (error) {
      if (!isAssumptionFailed(error)) throw error;
    } finally {
      lease?.end();
    }
  }
}

/** Load, decide, commit: three round trips, the last of which stores everything and commits. */
async function matchOnce(
  { catalogue, readSubscriptions, maxEvents, maxCharacters, storedLayouts }: MatchDeps,
  lease: MatchLease | null,
  transaction: Transaction,
  eventIds: readonly string[],
): Promise<{ result: MatchResult & { counted: Promise<CountedAttempts>; layouts: NewLayout[] }; last: Sent }> {
  const { events: claimed, groups } = await claimPendingEvents(transaction, eventIds, { maxEvents, maxCharacters });
  const subscriptions: Subscriptions = claimed.length > 0 ? await readSubscriptions(transaction, groups) : new Map();
  const subscriptionsOf = (event: MatchEvent) => subscriptions.get(groupKeyOf(event)) ?? [];
  const events = judgedTogether(claimed, subscriptionsOf, maxCharacters);
  const matched = new Set(events.map((event) => event.id));
  const unclaimed = eventIds.filter((id) => !matched.has(id));
  // Given events that were not claimed are already matched, or exceeded the limit.
  const leftEventIds = unclaimed.length > 0 ? await stillPending(transaction, unclaimed) : [];
  if (events.length === 0) {
    const nothing = { matched: 0, callouts: 0, webhookKeys: [], pulledKeys: [], traceParents: [] };
    return { result: { ...nothing, leftEventIds, counted: nothingCounted, layouts: [] }, last: [] };
  }
  const { judged, matches } = await judgeEvents(events, subscriptionsOf, createYield());
  const merges = isMerging(matches);
  // Two statements, though they are sent together: the second sees everything committed under the locks of the first.
  const [webhooks, tails] = await Promise.all([
    reserveSequenceNumbers(transaction, countByWebhook(matches), lease?.reserve(matches)),
    merges ? lockForMerge(transaction, matches) : lockOpenTails(transaction, recordsOf(matches)),
  ]);
  const locked = Array.isArray(tails) ? null : tails;
  const busy = Array.isArray(tails) ? tails : tails.busy;
  for (const { subscription } of matches) {
    if (webhooks.get(subscription.webhookKey)?.version !== subscription.version) {
      throw new AssumptionFailed('a webhook was changed after it was judged and before it was locked');
    }
  }
  const firstSequenceNumbers = new Map([...webhooks].map(([key, webhook]) => [key, webhook.firstSequenceNumber]));
  const callouts = makeCallouts(matches, { catalogue, firstSequenceNumbers, busy, newId, isEventNear, maxCharacters });
  const plan = locked && (await mergeCallouts(transaction, matches, callouts, { catalogue, stored: locked.stored }));
  const open = plan?.callouts ?? callouts;
  const sendable = locked ? withoutHeld(webhooks, locked.held) : webhooks;
  const leased = lease?.choose(open, sendable, plan?.carriers ?? []) ?? noLease;
  const layouts = layoutsOf(callouts).filter((layout) => !storedLayouts.has(keyOfLayout(layout)));
  const verdicts = numberVerdicts(judged, callouts);
  const merged = plan && storeMerges(transaction, plan, leased.calloutIds);
  const counted = storeMatched(transaction, { verdicts, callouts: open, layouts }, leased);
  const dueKeys = new Set(
    open.filter(({ id, state }) => state === 'due' && !leased.calloutIds.has(id)).map((one) => one.webhookKey),
  );
  const pulled = new Set(matches.flatMap(({ subscription: one }) => (one.isPulled === true ? [one.webhookKey] : [])));
  return {
    result: {
      matched: events.length,
      callouts: callouts.length,
      webhookKeys: [...dueKeys].filter((key) => !pulled.has(key)),
      pulledKeys: [...dueKeys].filter((key) => pulled.has(key)),
      leftEventIds,
      traceParents: events.map(({ traceParent }) => traceParent),
      counted,
      layouts,
    },
    last: merged ? [merged, counted] : [counted],
  };
}

/** A callout that its threshold would hold is not sent at once: until it is released, changes are merged into it. */
function withoutHeld(
  webhooks: ReadonlyMap<number, NumberedWebhook>,
  held: ReadonlySet<number>,
): ReadonlyMap<number, NumberedWebhook> {
  return new Map(
    [...webhooks].map(([key, webhook]) => [key, held.has(key) ? { ...webhook, isPaused: true } : webhook]),
  );
}
