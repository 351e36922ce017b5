import { recordName, type RecordOfWebhook } from '@callout/domain/callout/claimed';
import type { Catalogue } from '@callout/domain/catalogue/catalogue';
import type { Transaction } from '@callout/database/connection/database';
import { columns, jsonArray, statementFrom } from '@callout/database/connection/statement/statement';
import { rowSet } from '@callout/database/connection/statement/row-set';
import { boundsOf } from '@callout/database/schema/ids';
import { isMerging, type NewCallout, recordsOf, type WebhookMatch } from '../match-events.rules.ts';
import { lockOpenTails } from '../store.ts';
import { partsByBodies, readBodies } from '../../payload/callout-bodies.ts';
import { type MergeableCallout, type MergedCallout, type MergePlan, planMerges } from './plan-merges.rules.ts';
import { type EndedCallout, type Confirmed, confirmedBy } from '../sent-values.rules.ts';

/** The last open callout of a record; what it is only where its webhook merges. */
interface Tail extends RecordOfWebhook {
  id: string | null;
  sequenceNumber: number | null;
  state: string | null;
}

const lockTails = statementFrom<Tail>('match/merge/merge_lock_tails');

const lockMergeable = statementFrom<Omit<MergeableCallout, 'sequenceNumber' | 'state'>>(
  'match/merge/merge_lock_mergeable',
);

const findEpisodes = statementFrom<{ webhookKey: number }>('match/merge/merge_find_episodes');

/** The records of matches, locked. */
export interface LockedRecords {
  /** The webhooks and records that have an open callout. */
  busy: RecordOfWebhook[];
  /** The callouts into which changes may be merged, by `recordName`. */
  mergeable: Map<string, MergeableCallout>;
  /** Webhooks that merge, of whose callouts some are held by a threshold. */
  heldKeys: Set<number>;
}

/**
 * Locks the last open callout of each record, and finds the callouts that may still change. In one round trip: each of
 * the statements sees everything that is committed under the locks of the statement before.
 */
export async function lockRecords(transaction: Transaction, matches: readonly WebhookMatch[]): Promise<LockedRecords> {
  const records = recordsOf(matches);
  if (!isMerging(matches)) {
    return { busy: await lockOpenTails(transaction, records), mergeable: new Map(), heldKeys: new Set() };
  }
  const mergingKeys = new Set(
    matches.flatMap(({ subscription: one }) => (one.mergesWhileWaiting === true ? [one.webhookKey] : [])),
  );
  const merging = records.filter(({ webhookKey }) => mergingKeys.has(webhookKey));
  const merges = records.map(({ webhookKey }) => mergingKeys.has(webhookKey));
  const [tails, rows, episodes] = await Promise.all([
    lockTails(transaction, [...columns(records, ['webhookKey', 'recordId']), merges]),
    lockMergeable(transaction, columns(merging, ['webhookKey', 'recordId'])),
    findEpisodes(transaction, [[...mergingKeys]]),
  ]);
  const lastOf = new Map(tails.map((tail) => [recordName(tail), tail]));
  const mergeable = new Map<string, MergeableCallout>();
  for (const row of rows) {
    const last = lastOf.get(recordName(row));
    // Otherwise the callout has ended, or a callout that cannot change came after it.
    if (last?.id !== row.id || last.sequenceNumber === null || last.state === null) continue;
    mergeable.set(recordName(row), { ...row, sequenceNumber: last.sequenceNumber, state: last.state });
  }
  return { busy: tails, mergeable, heldKeys: new Set(episodes.map(({ webhookKey }) => webhookKey)) };
}

type EndedRow = Omit<EndedCallout, 'body'> & RecordOfWebhook & { id: string };

const readEnded = statementFrom<EndedRow>('match/merge/merge_read_ended');

/** Enough to find each field that changes often; what is not found stays in the callout. */
const endedOfRecord = 20;

/** Merges the new callouts of a match, under the locks of `lockRecords`. */
export async function mergeCallouts(
  transaction: Transaction,
  matches: readonly WebhookMatch[],
  callouts: readonly NewCallout[],
  { catalogue, mergeable }: { catalogue: Catalogue; mergeable: ReadonlyMap<string, MergeableCallout> },
): Promise<MergePlan> {
  if (!isMerging(matches)) return { callouts, merged: [], changed: [], undone: [], carriers: [], asked: [] };
  const plan = planMerges(matches, callouts, { catalogue, mergeable, confirmed: new Map() });
  if (plan.asked.length === 0) return plan;
  const confirmed = await readConfirmed(transaction, plan.asked);
  return planMerges(matches, callouts, { catalogue, mergeable, confirmed });
}

async function readConfirmed(
  transaction: Transaction,
  records: readonly RecordOfWebhook[],
): Promise<Map<string, Confirmed>> {
  const rows = await readEnded(transaction, [...columns(records, ['webhookKey', 'recordId']), endedOfRecord]);
  const ended = new Map<string, EndedRow[]>(records.map((record) => [recordName(record), []]));
  for (const row of rows) ended.get(recordName(row))?.push(row);
  const confirmed = new Map<string, Confirmed>();
  const idsOf = (callouts: readonly EndedRow[]) => callouts.map(({ id }) => id);
  for (const part of await partsByBodies(transaction, [...ended], ([, callouts]) => idsOf(callouts))) {
    const bodies = await readBodies(
      transaction,
      part.flatMap(([, callouts]) => idsOf(callouts)),
    );
    for (const [name, callouts] of part) {
      confirmed.set(name, confirmedBy(callouts.map((row) => ({ ...row, body: bodies.get(row.id) ?? null }))));
    }
  }
  return confirmed;
}

/** The callouts that `merge_store` stores as ended. */
export const mergedSet = rowSet<MergedCallout>([
  { column: 'id', type: 'uuid', from: 'id' },
  { column: 'tenant_id', type: 'int', from: 'tenantId' },
  { column: 'webhook_key', type: 'bigint', from: 'webhookKey' },
  { column: 'sequence_number', type: 'bigint', from: 'sequenceNumber' },
  { column: 'event_id', type: 'uuid', from: 'eventId' },
  { column: 'entity_type', type: 'text', from: 'entityType' },
  { column: 'record_id', type: 'bigint', from: 'recordId' },
  { column: 'action', type: 'text', from: 'action' },
  { column: 'layout_id', type: 'bigint', from: ({ layout }) => layout?.id ?? null },
  { column: 'body', type: 'text', from: ({ body, layout }) => (layout === null ? body : null) },
  { column: 'merged_into', type: 'uuid', from: 'mergedInto' },
]);

const store = statementFrom('match/merge/merge_store');

/**
 * Stores what was merged, before the statement that stores the other callouts.
 * @param leased new callouts that this process sends at once, by their ids: their bytes are final.
 */
export async function storeMerges(
  transaction: Transaction,
  { merged, changed, undone, carriers }: MergePlan,
  leased: ReadonlyMap<string, unknown>,
): Promise<void> {
  // Where anything is merged, a callout has carried it.
  if (merged.length + changed.length + undone.length + carriers.length === 0) return;
  const open = carriers.filter(({ id }) => !leased.has(id));
  const still = new Set(open.map(recordName));
  const dropped = undone.filter((callout) => !still.has(recordName(callout)));
  await store(transaction, [
    ...mergedSet.valuesOf(merged),
    changed.map(({ id }) => id),
    changed.map(({ carried }) => carried.action),
    changed.map(({ body }) => body),
    undone.map(({ id }) => id),
    ...boundsOf([...changed, ...undone].map(({ id }) => id)),
    ...columns(open, ['webhookKey', 'recordId', 'id', 'tenantId', 'version']),
    jsonArray(open.map(({ carried }) => JSON.stringify(carried))),
    ...columns(dropped, ['webhookKey', 'recordId']),
  ]);
}
