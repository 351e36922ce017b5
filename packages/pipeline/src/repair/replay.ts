import type { Catalogue } from '@callout/domain/catalogue/catalogue';
import type { CalloutRange } from '@callout/domain/callout/callout-filter';
import { previousValues, type StoredPrevious } from '@callout/domain/previous-values';
import type { Client, Transaction } from '@callout/database/connection/database';
import { inTransaction } from '@callout/database/connection/transaction/transaction';
import { jsonArray, statement, statementFrom } from '@callout/database/connection/statement/statement';
import type { WebhookAddress } from '@callout/database/locked-webhook';
import { boundsOf, idNear, newId } from '@callout/database/schema/ids';
import { isEventNear } from '../payload/callout-bodies.ts';
import { createSubscriptionReader, groupKeyOf, type StoredEvent } from '../match/load.ts';
import { createYield } from '@callout/runtime/concurrency/yield-to-others';
import { judgeEvent, type CompiledSubscription, type Verdict } from '../match/match.rules.ts';
import { makeCallouts, type NewCallout, type WebhookMatch } from '../match/match-events.rules.ts';
import { lockRecords, mergeCallouts, storeMerges } from '../match/merge/merge.ts';
import { layoutsOf, reserveSequenceNumbers, storeMatched } from '../match/store.ts';
import { type Redelivery, sumOfRedeliveries } from './redelivery-order.rules.ts';
import { idBounds, lockActiveWebhook, type RepairDeps } from './repairs.ts';
import { inOrder, isMissed, missedRules, type StoredVerdicts, withVerdict } from './replay.rules.ts';

/** Events whose verdicts one statement reads. */
const EVENTS_PER_LOOK = 5_000;
const EVENTS_PER_TRANSACTION = 500;
/** Characters of values in memory at once, but for the last event. */
const MOST_CHARACTERS = 4 * 1024 * 1024;
/** Ids of the events of a record come from clocks that differ by less than this. */
const clockSlackMs = 3_600_000;
/** Nothing is kept for another request. */
const keptSubscriptions = { maxKept: 1, maxBytes: 1_000_000 };

export interface ReplayDeps extends RepairDeps {
  readonly catalogue: Catalogue;
}

/** The events that are meant, of all that the webhook missed while it was inactive. */
export type ReplayRange = Pick<CalloutRange, 'since' | 'until' | 'recordId' | 'actions'>;

interface MissedEvents {
  /** In the order of their ids. */
  readonly ids: string[];
  readonly recordIds: number[];
  readonly recordVersions: number[];
  /** The last event that was looked at; null: none was left. */
  readonly last: string | null;
}

/** SQL: the event under `e` was missed by webhook $1; `m` has its verdicts. */
const wasMissed = `e.accepted_at >= (SELECT created_at FROM webhooks WHERE key = $1) AND EXISTS (
  SELECT FROM json_array_elements(json_build_array(${missedRules.map((rule) => `m.verdicts -> '${rule}'`).join(', ')})) AS rule,
    json_array_elements(CASE json_typeof(rule) WHEN 'array' THEN rule ELSE '[]' END) AS verdict
  WHERE (verdict ->> 0)::bigint = $1)`;

const findMissed = statement<MissedEvents>(
  'replay_find_missed',
  `WITH looked AS MATERIALIZED (
     SELECT id, entity_type, record_id, record_version, action, accepted_at, characters FROM events
     WHERE tenant_id = $2 AND id > $4 AND id < $5 ORDER BY id LIMIT ${EVENTS_PER_LOOK}
   ), missed AS MATERIALIZED (
     SELECT e.id, e.record_id, e.record_version, sum(e.characters) OVER (ORDER BY e.id) - e.characters AS before,
       row_number() OVER (ORDER BY e.id) AS nth
     FROM looked AS e, LATERAL (
       SELECT verdicts FROM event_matches WHERE event_id = e.id AND event_id > $4 AND event_id < $5 OFFSET 0
     ) AS m
     WHERE e.entity_type = $3 AND ($6::bigint IS NULL OR e.record_id = $6) AND ($7::text[] IS NULL OR e.action = ANY($7))
       AND ${wasMissed}
   ), taken AS MATERIALIZED (
     SELECT * FROM missed WHERE nth <= ${EVENTS_PER_TRANSACTION} AND before < ${MOST_CHARACTERS}
   )
   SELECT coalesce(array_agg(id ORDER BY id), '{}') AS ids, coalesce(array_agg(record_id ORDER BY id), '{}') AS "recordIds",
     coalesce(array_agg(record_version ORDER BY id), '{}') AS "recordVersions",
     CASE WHEN count(*) < (SELECT count(*) FROM missed) THEN (SELECT id FROM taken ORDER BY id DESC LIMIT 1)
       ELSE (SELECT id FROM looked ORDER BY id DESC LIMIT 1) END AS last
   FROM taken`,
);

// With a later id than the last event that was looked at, but older by the version of their record.
const findOlder = statement<{ id: string }>(
  'replay_find_older',
  `SELECT DISTINCT e.id FROM unnest($4::bigint[], $5::bigint[]) AS r (record_id, record_version), LATERAL (
     SELECT * FROM events WHERE tenant_id = $2 AND record_id = r.record_id AND id > $6 AND id < $7
       AND entity_type = $3 AND record_version < r.record_version
   ) AS e, LATERAL (SELECT verdicts FROM event_matches WHERE event_id = e.id OFFSET 0) AS m
   WHERE ${wasMissed}`,
);

type EventRow = Omit<StoredEvent, 'previous'> & {
  storedPrevious: StoredPrevious | null;
  verdicts: StoredVerdicts;
};

const lockEvents = statementFrom<EventRow>('repair/replay_lock_events');

const readVersion = statementFrom<{ version: number }>('repair/replay_read_version');

const storeVerdicts = statementFrom('repair/replay_store_verdicts');

const mark = statementFrom('repair/replay_mark_callouts');

const findDelivered = statementFrom<{ recordId: number; eventId: string }>('repair/replay_find_delivered');

/**
 * Judges the events that a webhook missed while it was inactive by its present configuration, and makes callouts of those
 * that it is subscribed to, in the order of the events and with new numbers. The verdict of each event is replaced, so a
 * repeated request finds only what is left. In transactions of bounded size: some callouts are sent already while other
 * events are still to be judged. The threshold, merging and the limits of the webhook apply as for any new callout.
 * @returns how many callouts were made, or would be, and how many of them are older than what was delivered since.
 * @throws a Problem: `notFound` without such a webhook, `conflict` when it is inactive, also when it becomes so
 * meanwhile.
 */
export async function replayMissed(
  deps: ReplayDeps,
  address: WebhookAddress,
  range: ReplayRange,
  { isDryRun = false }: { readonly isDryRun?: boolean } = {},
): Promise<Redelivery> {
  const { pool } = deps.database;
  const { key } = await inTransaction(pool, (transaction) => lockActiveWebhook(transaction, address));
  const readSubscriptions = createSubscriptionReader(deps.catalogue, keptSubscriptions);
  const [first, end] = idBounds(range);
  const ofWebhook = [key, address.tenantId, address.entityType];
  const parts: Redelivery[] = [];
  for (let after: string | null = first; after !== null;) {
    const [found] = await findMissed(pool, [...ofWebhook, after, end, range.recordId ?? null, range.actions ?? null]);
    after = found?.last ?? null;
    if (found === undefined || after === null || found.ids.length === 0) continue;
    const upTo = idNear(after, clockSlackMs);
    const older = await findOlder(pool, [...ofWebhook, found.recordIds, found.recordVersions, after, upTo]);
    const ids = [...found.ids, ...older.map(({ id }) => id)].toSorted();
    const part = await inTransaction(pool, async (transaction) => {
      const rows = await lockEvents(transaction, [ids, ...boundsOf(ids)]);
      await lockActiveWebhook(transaction, address);
      const events = inOrder(rows.filter(({ verdicts }) => isMissed(verdicts, key)).map(withPrevious));
      const [{ version } = { version: 0 }] = await readVersion(transaction, [key]);
      const group = { tenantId: address.tenantId, entityType: address.entityType };
      const subscriptions = await readSubscriptions(transaction, [{ ...group, webhooks: [[key, version]] }]);
      const [subscription] = subscriptions.get(groupKeyOf(group)) ?? [];
      if (subscription === undefined) return { queued: 0, older: 0 };
      return replayEvents(deps, transaction, events, subscription, isDryRun);
    });
    parts.push(part);
    if (part.queued > 0 && !isDryRun) deps.enqueueDeliver([key]);
  }
  return sumOfRedeliveries(parts);
}

type MissedEvent = StoredEvent & { readonly verdicts: StoredVerdicts };

function withPrevious(row: EventRow): MissedEvent {
  return { ...row, previous: previousValues(row, row.storedPrevious) };
}

/** One part, under the locks of its events and of the webhook. */
async function replayEvents(
  { catalogue }: ReplayDeps,
  transaction: Transaction,
  events: readonly MissedEvent[],
  present: CompiledSubscription,
  isDryRun: boolean,
): Promise<Redelivery> {
  // As if it had been active all the time.
  const subscription = { ...present, activatedAt: new Date(0) };
  const [judged, yieldToOthers] = [[] as { event: MissedEvent; verdict: Verdict }[], createYield()];
  for (const event of events) {
    await yieldToOthers();
    judged.push({ event, verdict: judgeEvent(event, subscription) });
  }
  const matches = judged.flatMap(({ event, verdict }) => (verdict.getsCallout ? [{ event, subscription }] : []));
  const redelivery = { queued: matches.length, older: await countOlder(transaction, matches) };
  if (isDryRun || events.length === 0) return redelivery;
  const callouts = await storeCallouts(transaction, matches, catalogue);
  const numbers = new Map(callouts.map(({ eventId, sequenceNumber }) => [eventId, sequenceNumber]));
  const { webhookKey } = subscription;
  const changed = judged
    .map(({ event: { id, verdicts }, verdict }) => ({
      id,
      verdicts: withVerdict(verdicts, { ...verdict, sequenceNumber: numbers.get(id), webhookKey }),
    }))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const ids = changed.map(({ id }) => id);
  const json = jsonArray(changed.map(({ verdicts }) => JSON.stringify(verdicts)));
  await storeVerdicts(transaction, [ids, json, ...boundsOf(ids)]);
  return redelivery;
}

/** Stores the callouts of matches of one webhook as match does, for a claim to send them. */
async function storeCallouts(
  transaction: Transaction,
  matches: readonly WebhookMatch[],
  catalogue: Catalogue,
): Promise<NewCallout[]> {
  const [one] = matches;
  if (one === undefined) return [];
  const { webhookKey } = one.subscription;
  const webhooks = await reserveSequenceNumbers(transaction, new Map([[webhookKey, matches.length]]));
  const { busy, mergeable } = await lockRecords(transaction, matches);
  const firstSequenceNumbers = new Map([...webhooks].map(([key, webhook]) => [key, webhook.firstSequenceNumber]));
  const options = { catalogue, firstSequenceNumbers, busy, newId, isEventNear, maxCharacters: MOST_CHARACTERS };
  const callouts = makeCallouts(matches, options);
  const plan = await mergeCallouts(transaction, matches, callouts, { catalogue, mergeable });
  await storeMerges(transaction, plan, new Map());
  // How long ago their events were accepted says nothing about how fast they are sent.
  const open = plan.callouts.map((callout) => ({ ...callout, acceptedAt: null }));
  await storeMatched(transaction, { verdicts: [], callouts: open, layouts: layoutsOf(callouts) });
  const ids = callouts.map(({ id }) => id).toSorted();
  await mark(transaction, [ids, ...boundsOf(ids)]);
  return callouts;
}

/** How many are about an older event than one of their record whose callout was delivered. */
async function countOlder(client: Client, matches: readonly WebhookMatch[]): Promise<number> {
  const [one] = matches;
  const oldest = boundsOf(matches.map(({ event }) => event.id))[0];
  if (one === undefined || oldest === null) return 0;
  const recordIds = [...new Set(matches.map(({ event }) => event.recordId))];
  const found = await findDelivered(client, [one.subscription.webhookKey, recordIds, idNear(oldest, -clockSlackMs)]);
  const delivered = new Map(found.map(({ recordId, eventId }) => [recordId, eventId]));
  return matches.filter(({ event: { id, recordId } }) => id < (delivered.get(recordId) ?? '')).length;
}
