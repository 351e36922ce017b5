import type { Client } from '../connection/database.ts';
import { columns, statementFrom } from '../connection/statement.ts';
import type { IntakeEvent, IntakeRequest } from '@callout/core/ingest';

/**
 * A caller's id from here on does not raise the counter: one record at the top of what a number can hold would leave no
 * ids for all that come after it. Should the counter ever get there, what is taken is still never given away.
 */
const highestCounted = 2 ** 52;

interface Need {
  tenantId: number;
  entityType: string;
  /** The highest id that a caller chose. */
  highest: number;
  /** How many ids the service must choose. */
  count: number;
}

const createCounters = statementFrom('ingest/intake_create_counters');

const raiseCounters = statementFrom<{ tenant_id: number; collection: string; next_id: number }>(
  'ingest/intake_raise_counters',
);

const raiseAboveRecords = statementFrom('ingest/intake_raise_above_records');

/** Raises a counter above the ids of all records: a caller chose an id that the counter had given out already. */
export async function raiseAboveAll(client: Client, tenantId: number, entityType: string): Promise<void> {
  await raiseAboveRecords(client, [tenantId, entityType, counterName(entityType)]);
}

/** Gives an event's record its id: its own, or the next of those that were reserved. */
export type RecordIds = (tenantId: number, event: IntakeEvent) => number;

/**
 * Reserves ids: they increase, may have gaps, and lie above any id that a caller chose. Done in a transaction of its
 * own, before the one that uses them, so that no transaction waits for a counter while events are being stored; ids of
 * a request that is refused later are a gap. `seen` remembers how high counters are known to be, so that records with
 * ids of their own cost nothing.
 */
export async function reserveRecordIds(
  client: Client,
  requests: readonly IntakeRequest[],
  seen: Map<string, number>,
): Promise<RecordIds> {
  const needs = [...needsOf(requests).entries()]
    .filter(([key, need]) => need.count > 0 || need.highest >= (seen.get(key) ?? 0))
    .map(([key, need]) => ({ ...need, key, collection: counterName(need.entityType) }));
  const next = new Map<string, number>();
  if (needs.length > 0) {
    const unseen = needs.filter(({ key }) => !seen.has(key));
    if (unseen.length > 0) await createCounters(client, columns(unseen, ['tenantId', 'collection']));
    const raised = await raiseCounters(client, columns(needs, ['tenantId', 'collection', 'highest', 'count']));
    const nextIds = new Map(raised.map((row) => [keyOf(row.tenant_id, row.collection), row.next_id]));
    for (const { key, highest, count } of needs) {
      // Not in the answer: the counter was above the caller's ids already.
      const nextId = nextIds.get(key) ?? highest + 1;
      next.set(key, nextId - count);
      seen.set(key, Math.max(nextId, seen.get(key) ?? 0));
    }
  }
  return (tenantId, event) => {
    if (event.recordId !== null) return event.recordId;
    const key = keyOf(tenantId, counterName(event.entityType));
    const id = next.get(key);
    if (id === undefined) throw new Error(`no ids were reserved for ${key}`);
    next.set(key, id + 1);
    return id;
  };
}

function needsOf(requests: readonly IntakeRequest[]): Map<string, Need> {
  const needs = new Map<string, Need>();
  for (const { tenantId, events } of requests) {
    for (const { entityType, recordId, expects } of events) {
      const key = keyOf(tenantId, counterName(entityType));
      const need = needs.get(key) ?? { tenantId, entityType, highest: 0, count: 0 };
      if (recordId === null) need.count += 1;
      else if (expects !== 'present' && recordId > need.highest && recordId < highestCounted) need.highest = recordId;
      needs.set(key, need);
    }
  }
  return needs;
}

/** The records' counter; the ones of webhooks and their children have the collection's name. */
function counterName(entityType: string): string {
  return `records:${entityType}`;
}

function keyOf(tenantId: number, collection: string): string {
  return `${tenantId}/${collection}`;
}
