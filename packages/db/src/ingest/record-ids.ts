import type { Client } from '../connection/database.ts';
import { columns, statementFrom } from '../connection/statement/statement.ts';
import type { IntakeEvent, IntakeRequest } from '@callout/core/ingest';

/**
 * A caller's id from here on does not raise the counter: one record at the top of what a number can hold would leave no
 * ids for all that come after it. Should the counter ever get there, what is taken is still never given away.
 */
const highestCounted = 2 ** 52;

interface Need {
  key: string;
  tenantId: number;
  entityType: string;
  collection: string;
  /** The highest id that a caller chose in this commit. */
  highest: number;
  /** How many ids the service must choose. */
  count: number;
}

const createCounters = statementFrom('ingest/intake_create_counters');

const raiseCounters = statementFrom<{ tenant_id: number; collection: string; next_id: number }>(
  'ingest/intake_raise_counters',
);

/** Gives an event's record its id: its own, or the next of those that were reserved. */
export type RecordIds = (tenantId: number, event: IntakeEvent) => number;

/**
 * Reserves ids: they increase, may have gaps, and lie above any id that a caller chose before. Done in a transaction of its
 * own, before the one that uses them, so that no transaction waits for a counter while events are being stored; ids of a request
 * that is refused later are a gap. Records with ids of their own cost nothing: what the highest of them is, is looked up
 * when an id is needed. One that is being stored meanwhile is noticed by the commit, which then reserves again.
 * @param made counters that are known to be there.
 */
export async function reserveRecordIds(
  client: Client,
  requests: readonly IntakeRequest[],
  made: Set<string>,
): Promise<RecordIds> {
  const next = new Map<string, number>();
  const needs = needsOf(requests);
  if (needs.size > 0) {
    const missing = [...needs.values()].filter(({ key }) => !made.has(key));
    if (missing.length > 0) await createCounters(client, columns(missing, ['tenantId', 'collection']));
    for (const { key } of missing) made.add(key);
    const wanted = columns([...needs.values()], ['tenantId', 'collection', 'entityType', 'highest', 'count']);
    for (const row of await raiseCounters(client, wanted)) {
      const key = keyOf(row.tenant_id, row.collection);
      next.set(key, row.next_id - (needs.get(key)?.count ?? 0));
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

/** By key, of the collections for which an id is needed. */
function needsOf(requests: readonly IntakeRequest[]): Map<string, Need> {
  const needs = new Map<string, Need>();
  for (const { tenantId, events } of requests) {
    for (const { entityType, recordId } of events) {
      if (recordId !== null) continue;
      const collection = counterName(entityType);
      const key = keyOf(tenantId, collection);
      const need = needs.get(key) ?? { key, tenantId, entityType, collection, highest: 0, count: 0 };
      need.count += 1;
      needs.set(key, need);
    }
  }
  if (needs.size > 0) raiseAboveOwn(needs, requests);
  return needs;
}

/** Ids that callers of the same commit chose are not stored yet, and count all the same. */
function raiseAboveOwn(needs: ReadonlyMap<string, Need>, requests: readonly IntakeRequest[]): void {
  for (const { tenantId, events } of requests) {
    for (const { entityType, recordId, expects } of events) {
      const need = needs.get(keyOf(tenantId, counterName(entityType)));
      if (need === undefined || recordId === null || expects === 'present' || recordId >= highestCounted) continue;
      need.highest = Math.max(need.highest, recordId);
    }
  }
}

/** The records' counter; the ones of webhooks and their children have the collection's name. */
function counterName(entityType: string): string {
  return `records:${entityType}`;
}

function keyOf(tenantId: number, collection: string): string {
  return `${tenantId}/${collection}`;
}
