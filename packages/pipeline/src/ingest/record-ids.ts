import type { Client } from '@callout/database/connection/database';
import { columns, statementFrom } from '@callout/database/connection/statement/statement';
import { beforeNumbersOf, dailyNumberText } from '@callout/domain/catalogue/field-default';
import type { DailyNumber, IngestEvent, IngestRequest } from './request.rules.ts';

/**
 * A caller's id from here on does not raise the counter: one record with the largest number would leave no
 * ids for all that come after it. Should the counter ever get there, existing ids are still never assigned again.
 */
const highestCounted = 2 ** 52;

interface Need {
  key: string;
  tenantId: number;
  /** The entity of the records whose ids are counted; empty: daily numbers are counted, which are above no id. */
  entityType: string;
  collection: string;
  /** All new ids are above this one: the highest that a caller chose in this commit, or all numbers of earlier days. */
  highest: number;
  /** How many ids the service must assign. */
  count: number;
}

const createCounters = statementFrom('ingest/ingest_create_counters');

const raiseCounters = statementFrom<{ tenant_id: number; collection: string; next_id: number }>(
  'ingest/ingest_raise_counters',
);

/** What the service assigns to the record of an event. */
export interface Assigned {
  /** The record's own id, or the next of the reserved ones. */
  recordId: number;
  /** The given values, and the next numbers of the day. */
  fields: IngestEvent['fields'];
}

export type Assign = (tenantId: number, event: IngestEvent) => Assigned;

/**
 * Reserves ids and daily numbers, which are ids of a counter that begins anew on every day: they increase, may have gaps, and lie above any id that a caller chose before. Done in a transaction of
 * its own, before the one that uses them, so that no transaction waits for a counter while events are being stored; ids
 * of a request that is refused later are a gap. Records with their own ids cost nothing: the highest of them is looked
 * up only when an id is needed. If one is stored meanwhile, the commit notices and reserves again.
 * @param made counters that are known to exist.
 */
export async function reserveRecordIds(
  client: Client,
  requests: readonly IngestRequest[],
  made: Set<string>,
): Promise<Assign> {
  const next = new Map<string, number>();
  const needs = needsOf(requests, new Date());
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
  const take = (tenantId: number, collection: string) => {
    const key = keyOf(tenantId, collection);
    const id = next.get(key);
    if (id === undefined) throw new Error(`no ids were reserved for ${key}`);
    next.set(key, id + 1);
    return id;
  };
  const numbersOf = (tenantId: number, entityType: string, wanted: readonly DailyNumber[]) =>
    Object.fromEntries(
      wanted.map(({ field, prefix }) => {
        return [field, dailyNumberText(prefix, take(tenantId, numberCounter(entityType, field)))];
      }),
    );
  return (tenantId, { recordId, entityType, fields, dailyNumbers = [] }) => ({
    recordId: recordId ?? take(tenantId, counterName(entityType)),
    fields: dailyNumbers.length === 0 ? fields : { ...fields, ...numbersOf(tenantId, entityType, dailyNumbers) },
  });
}

/** By key, of the collections for which an id is needed, and of fields that need a number of this day. */
function needsOf(requests: readonly IngestRequest[], now: Date): Map<string, Need> {
  const needs = new Map<string, Need>();
  const add = (tenantId: number, collection: string, entityType: string, highest: number) => {
    const key = keyOf(tenantId, collection);
    const need = needs.get(key) ?? { key, tenantId, entityType, collection, highest, count: 0 };
    need.count += 1;
    needs.set(key, need);
  };
  for (const { tenantId, events } of requests) {
    for (const { entityType, recordId, dailyNumbers } of events) {
      if (recordId === null) add(tenantId, counterName(entityType), entityType, 0);
      for (const { field } of dailyNumbers ?? []) {
        add(tenantId, numberCounter(entityType, field), '', beforeNumbersOf(now));
      }
    }
  }
  if (needs.size > 0) raiseAboveOwn(needs, requests);
  return needs;
}

/** Ids that callers of the same commit chose are not stored yet, but count as well. */
function raiseAboveOwn(needs: ReadonlyMap<string, Need>, requests: readonly IngestRequest[]): void {
  for (const { tenantId, events } of requests) {
    for (const { entityType, recordId, expects } of events) {
      const need = needs.get(keyOf(tenantId, counterName(entityType)));
      if (need === undefined || recordId === null || expects === 'present' || recordId >= highestCounted) continue;
      need.highest = Math.max(need.highest, recordId);
    }
  }
}

/** The counter of records; counters of webhooks and their children have the collection's name. */
function counterName(entityType: string): string {
  return `records:${entityType}`;
}

function numberCounter(entityType: string, field: string): string {
  return `numbers:${entityType}.${field}`;
}

function keyOf(tenantId: number, collection: string): string {
  return `${tenantId}/${collection}`;
}
