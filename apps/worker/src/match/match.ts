import {
  calloutBody,
  judgeEvent,
  payloadFields,
  type Catalogue,
  type CompiledSubscription,
  type VerdictRule,
} from '@callout/core';
import {
  claimPendingEvents,
  groupKeyOf,
  inTransaction,
  isDatabaseAway,
  lockOpenTails,
  newId,
  stillPending,
  storeNewCallouts,
  storeVerdicts,
  takeSequenceNumbers,
  type Client,
  type Database,
  type EventVerdicts,
  type NewCallout,
  type NumberedWebhook,
  type StoredEvent,
  type Subscriptions,
  type Transaction,
  type WebhookGroup,
} from '@callout/db';

export interface MatchDeps {
  pool: Database['pool'];
  catalogue: Catalogue;
  readSubscriptions: (client: Client, groups: readonly WebhookGroup[]) => Promise<Subscriptions>;
  /** Events matched in one transaction at most. */
  maxEvents: number;
  /** Told why events could not be matched when others of the same job were. */
  onError: (error: unknown) => void;
}

export interface MatchResult {
  /** How many events are matched now that were pending before. */
  matched: number;
  /** Webhooks that have new callouts, or whose callouts were locked meanwhile. */
  webhookKeys: number[];
  /** Named events that are pending still: other events, of the same records or before them, took all there was room for. */
  leftEventIds: string[];
}

/**
 * Events × webhooks → verdicts → callouts, in one transaction: either an event is pending, or all of its verdicts and
 * callouts are stored. The same job may come any number of times, to any number of workers.
 *
 * Events that cannot be matched together (one of them cannot be at all, or their callouts are more than fits into a
 * statement) are matched in halves, down to one by one, so that the others are not kept waiting.
 * @throws when nothing of it could be matched.
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
    // What is left is woken again by the sweep, with growing pauses.
    for (const partError of errors) deps.onError(partError);
    return {
      matched: results.reduce((sum, { matched }) => sum + matched, 0),
      webhookKeys: [...new Set(results.flatMap(({ webhookKeys }) => webhookKeys))],
      leftEventIds: results.flatMap(({ leftEventIds }) => leftEventIds),
    };
  }
}

async function matchTogether(deps: MatchDeps, eventIds: readonly string[]): Promise<MatchResult> {
  // Ends as soon as no webhook changed between being judged and being locked; each round judges what is committed then.
  for (;;) {
    const result = await inTransaction(deps.pool, (transaction) => matchOnce(deps, transaction, eventIds)).catch(
      (error: unknown) => {
        if (error instanceof ConfigurationChanged) return null;
        throw error;
      },
    );
    if (result) return result;
  }
}

/** A webhook was changed after it was judged and before it was locked. */
class ConfigurationChanged extends Error {}

async function matchOnce(
  { catalogue, readSubscriptions, maxEvents }: MatchDeps,
  transaction: Transaction,
  eventIds: readonly string[],
): Promise<MatchResult> {
  const events = await claimPendingEvents(transaction, eventIds, maxEvents);
  const claimed = new Set(events.map((event) => event.id));
  const unclaimed = eventIds.filter((id) => !claimed.has(id));
  // Named events that are not among the claimed are matched already, or there was no room for them.
  const leftEventIds = unclaimed.length > 0 ? await stillPending(transaction, unclaimed) : [];
  if (events.length === 0) return { matched: 0, webhookKeys: [], leftEventIds };
  const subscriptions = await readSubscriptions(transaction, groupsOf(events));
  const { verdicts, owed } = judgeAll(events, subscriptions);
  const numbers = await takeSequenceNumbers(transaction, countByWebhook(owed));
  for (const { subscription } of owed) {
    if (numbers.get(subscription.webhookKey)?.version !== subscription.version) throw new ConfigurationChanged();
  }
  const tails = await lockOpenTails(transaction, pairsOf(owed));
  const busy = new Set(tails.map(({ webhookKey, recordId }) => `${webhookKey}/${recordId}`));
  const callouts = makeCallouts(catalogue, owed, numbers, busy);
  await storeNewCallouts(transaction, callouts);
  await storeVerdicts(transaction, numberVerdicts(verdicts, callouts));
  return { matched: events.length, webhookKeys: [...numbers.keys()], leftEventIds };
}

/** One callout that an event owes a webhook. */
interface Owed {
  event: StoredEvent;
  subscription: CompiledSubscription;
}

function groupsOf(events: readonly StoredEvent[]): WebhookGroup[] {
  return [...new Map(events.map((event) => [groupKeyOf(event), event])).values()];
}

function judgeAll(
  events: readonly StoredEvent[],
  subscriptions: Subscriptions,
): { verdicts: Verdicts[]; owed: Owed[] } {
  const owed: Owed[] = [];
  const verdicts = events.map((event) => {
    const byRule: Verdicts['byRule'] = {};
    for (const subscription of subscriptions.get(groupKeyOf(event)) ?? []) {
      const verdict = judgeEvent(event, subscription);
      (byRule[verdict.rule] ??= []).push([verdict.webhookKey, verdict.version]);
      if (verdict.owed) owed.push({ event, subscription });
    }
    return { event, byRule };
  });
  return { verdicts, owed };
}

/** How each webhook was judged: rule → webhook key, configuration version, and the callout's number where it is owed one. */
interface Verdicts {
  event: StoredEvent;
  byRule: Partial<Record<VerdictRule, [webhookKey: number, version: number, sequenceNumber?: number][]>>;
}

/** The verdicts as they are stored: a number leads from a verdict to its callout. */
function numberVerdicts(verdicts: readonly Verdicts[], callouts: readonly NewCallout[]): EventVerdicts[] {
  // Callouts are made in the order in which they were found to be owed.
  let next = 0;
  return verdicts.map(({ event, byRule }) => {
    for (const verdict of byRule.owed ?? []) verdict[2] = callouts[next++]?.sequenceNumber ?? 0;
    return { eventId: event.id, tenantId: event.tenantId, verdictsJson: JSON.stringify(byRule) };
  });
}

function countByWebhook(owed: readonly Owed[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { subscription } of owed) {
    counts.set(subscription.webhookKey, (counts.get(subscription.webhookKey) ?? 0) + 1);
  }
  return counts;
}

/** Each webhook and record once. */
function pairsOf(owed: readonly Owed[]): { webhookKey: number; recordId: number }[] {
  const pairs = new Map<string, { webhookKey: number; recordId: number }>();
  for (const { event, subscription } of owed) {
    const { webhookKey } = subscription;
    pairs.set(`${webhookKey}/${event.recordId}`, { webhookKey, recordId: event.recordId });
  }
  return [...pairs.values()];
}

/**
 * Builds the callouts. Events come oldest first of each record, so sequence numbers rise along each record.
 * @param busy webhook/record pairs with an open callout; grows as callouts are made, since the next one waits for this.
 */
function makeCallouts(
  catalogue: Catalogue,
  owed: readonly Owed[],
  numbers: ReadonlyMap<number, NumberedWebhook>,
  busy: Set<string>,
): NewCallout[] {
  const next = new Map([...numbers].map(([key, { firstSequenceNumber }]) => [key, firstSequenceNumber]));
  return owed.map(({ event, subscription }) => {
    const { webhookKey } = subscription;
    const { entityType, recordId, action } = event;
    const entity = catalogue.byEntityType(entityType);
    if (!entity) throw new Error(`the catalogue has no entity ${entityType}: event ${event.id} cannot be matched`);
    const sequenceNumber = next.get(webhookKey) ?? 0;
    next.set(webhookKey, sequenceNumber + 1);
    const pair = `${webhookKey}/${recordId}`;
    const state = busy.has(pair) ? ('waiting' as const) : ('due' as const);
    busy.add(pair);
    const body = calloutBody({
      action,
      webhookGuid: subscription.webhookGuid,
      entityType,
      recordId,
      eventTime: event.eventTime,
      sequenceNumber,
      personId: event.personId,
      fields: payloadFields(event, subscription, entity),
    });
    const { tenantId } = event;
    const publicEventId = event.eventKey ?? event.id;
    const callout = { id: newId(), tenantId, webhookKey, sequenceNumber, eventId: event.id, publicEventId };
    return { ...callout, entityType, recordId, action, state, body };
  });
}
