import type { Transaction } from '../database.ts';
import { statement } from '../statement.ts';
import type { IntakeEvent, IntakeRequest } from './request.ts';

interface Need {
  tenantId: number;
  entityType: string;
  /** The highest id that a caller chose. */
  highest: number;
  /** How many ids the service must choose. */
  count: number;
}

const createCounters = statement(
  'intake_create_counters',
  `INSERT INTO counters (tenant_id, collection)
   SELECT tenant_id, collection FROM unnest($1::int[], $2::text[]) AS need (tenant_id, collection) ORDER BY 1, 2
   ON CONFLICT DO NOTHING`,
);

const raiseCounters = statement<{ tenant_id: number; collection: string; next_id: number }>(
  'intake_raise_counters',
  `WITH need AS (
     SELECT * FROM unnest($1::int[], $2::text[], $3::bigint[], $4::bigint[]) AS n (tenant_id, collection, highest, count)
   ), locked AS (
     SELECT c.tenant_id, c.collection FROM counters c JOIN need USING (tenant_id, collection)
     WHERE need.count > 0 OR c.next_id <= need.highest
     ORDER BY 1, 2 FOR NO KEY UPDATE OF c
   )
   UPDATE counters c SET next_id = greatest(c.next_id, need.highest + 1) + need.count
   FROM locked JOIN need USING (tenant_id, collection)
   WHERE c.tenant_id = locked.tenant_id AND c.collection = locked.collection
   RETURNING c.tenant_id, c.collection, c.next_id`,
);

export interface RecordIds {
  /** The event's own record id, or the next free one. */
  idOf(tenantId: number, event: IntakeEvent): number;
  /** How high counters are, once this transaction is committed. */
  learned: ReadonlyMap<string, number>;
}

/**
 * Record ids increase, may have gaps, and lie above any id that a caller chose. Counters are locked in one order, before
 * any record. `seen` says how high counters are known to be, so that records with ids of their own cost nothing.
 */
export async function reserveRecordIds(
  transaction: Transaction,
  requests: readonly IntakeRequest[],
  seen: ReadonlyMap<string, number>,
): Promise<RecordIds> {
  const needs = [...needsOf(requests).entries()]
    .filter(([key, need]) => need.count > 0 || need.highest >= (seen.get(key) ?? 0))
    .map(([, need]) => need);
  const next = new Map<string, number>();
  const learned = new Map<string, number>();
  if (needs.length > 0) {
    const tenantIds = needs.map((need) => need.tenantId);
    const collections = needs.map((need) => counterName(need.entityType));
    await createCounters(transaction, [tenantIds, collections]);
    const counts = needs.map((need) => need.count);
    const highest = needs.map((need) => need.highest);
    const raised = await raiseCounters(transaction, [tenantIds, collections, highest, counts]);
    const countOf = new Map(needs.map((need) => [keyOf(need.tenantId, counterName(need.entityType)), need.count]));
    for (const row of raised) {
      const key = keyOf(row.tenant_id, row.collection);
      next.set(key, row.next_id - (countOf.get(key) ?? 0));
    }
    for (const need of needs) {
      const key = keyOf(need.tenantId, counterName(need.entityType));
      const first = next.get(key);
      // Not in the answer: the counter was above the caller's ids already.
      learned.set(key, first === undefined ? need.highest + 1 : first + need.count);
    }
  }
  return {
    learned,
    idOf(tenantId, event) {
      if (event.recordId !== null) return event.recordId;
      const key = keyOf(tenantId, counterName(event.entityType));
      const id = next.get(key);
      if (id === undefined) throw new Error(`no ids were reserved for ${key}`);
      next.set(key, id + 1);
      return id;
    },
  };
}

function needsOf(requests: readonly IntakeRequest[]): Map<string, Need> {
  const needs = new Map<string, Need>();
  for (const { tenantId, events } of requests) {
    for (const { entityType, recordId } of events) {
      const key = keyOf(tenantId, counterName(entityType));
      const need = needs.get(key) ?? { tenantId, entityType, highest: 0, count: 0 };
      if (recordId === null) need.count += 1;
      else if (recordId > need.highest) need.highest = recordId;
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
