import type { ListPosition } from '@callout/domain/query/list-cursor';
import { inSearch, type RunSearch, type SearchDeps } from '../search/search-transaction.ts';
import { SqlValues } from '../sql-values.ts';
import { previousValues, type StoredPrevious } from '@callout/domain/previous-values';
import type { StoredEvent } from '@callout/pipeline/match/load';
import {
  type CalloutCounts,
  countCallouts,
  readVerdicts,
  type LoggedVerdict,
  type StoredVerdicts,
} from './event-verdicts.ts';
import { idOf, lowestId } from '@callout/database/schema/ids';
import { lookFrom, pageOfIds, type LogPage } from './log-page.ts';

/** A filter of events; null: any value. */
export interface EventFilter {
  /** The eventID of the caller, or an id of the service. */
  readonly eventId: string | null;
  readonly entityType: string | null;
  /** Never empty. */
  readonly actions: readonly string[] | null;
  readonly recordId: number | null;
  readonly personId: number | null;
  readonly since: Date | null;
  readonly until: Date | null;
}

/** An event as a list shows it. */
export interface LoggedEvent extends Omit<StoredEvent, 'fields' | 'udfFields' | 'tenantId' | 'previous'> {
  readonly isPending: boolean;
}

/** An event of a list, and how many callouts it made. */
export interface ListedEvent extends LoggedEvent {
  /** Null: none, or the event is pending. */
  readonly callouts: CalloutCounts | null;
}

/** An event and its result. */
export interface EventDetails extends LoggedEvent, Pick<StoredEvent, 'fields' | 'udfFields' | 'tenantId' | 'previous'> {
  /** The mail address of the resource that acted; null for Callout itself, and when the resource is not known. */
  readonly personEmail: string | null;
  /** Null while it is pending. */
  readonly matchedAt: Date | null;
  /** In order of the rules, webhooks in their order. */
  readonly verdicts: readonly LoggedVerdict[];
}

const advice = 'with since and until';

/**
 * A page of the events of a tenant, newest first; `position` null: the first one.
 * @throws an `invalid` Problem when it takes too long.
 */
export function listEvents(
  search: SearchDeps,
  tenantId: number,
  filter: EventFilter,
  maxRecords: number,
  position: ListPosition | null,
): Promise<LogPage<ListedEvent>> {
  return inSearch({ ...search, advice }, tenantId, async (run) => {
    const values = new SqlValues();
    const { from, conditions } = eventsOf(tenantId, filter, values);
    const looking = lookFrom(position, 'e.id', values);
    const rows = await run<LoggedEvent>(
      `SELECT ${eventColumns} FROM ${from} WHERE ${[...conditions, ...looking.conditions].join(' AND ')}
       ORDER BY e.id ${looking.order} LIMIT ${values.add(maxRecords + 1)}`,
      values,
    );
    const byId = new Map(rows.map((row) => [row.id, row]));
    const page = pageOfIds([...byId.keys()], maxRecords, position);
    const callouts = await countCallouts(run, page.items);
    const items = page.items.flatMap((id) => byId.get(id) ?? []);
    return { ...page, items: items.map((event) => ({ ...event, callouts: callouts.get(event.id) ?? null })) };
  });
}

/** @throws an `invalid` Problem when it takes too long. */
export function countEvents(search: SearchDeps, tenantId: number, filter: EventFilter): Promise<number> {
  return inSearch({ ...search, advice }, tenantId, async (run) => {
    const values = new SqlValues();
    const { from, conditions } = eventsOf(tenantId, filter, values);
    const [row] = await run<{ count: number }>(
      `SELECT count(*) AS count FROM ${from} WHERE ${conditions.join(' AND ')}`,
      values,
    );
    return row?.count ?? 0;
  });
}

/** The newest event of an eventID, of its caller or of the service. */
export function findEvent(search: SearchDeps, tenantId: number, eventId: string): Promise<EventDetails | undefined> {
  return inSearch({ ...search, advice }, tenantId, (run) => readEvent(run, tenantId, eventId));
}

/** When an update without changes came, for which there is no event; known for as long as its eventID is. */
export function findUnchanged(search: SearchDeps, tenantId: number, eventId: string): Promise<Date | undefined> {
  return inSearch({ ...search, advice }, tenantId, async (run) => {
    const values = new SqlValues();
    const [row] = await run<{ acceptedAt: Date }>(
      `SELECT accepted_at AS "acceptedAt" FROM event_keys
       WHERE tenant_id = ${values.add(tenantId)} AND event_key = ${values.add(eventId)}`,
      values,
    );
    return row?.acceptedAt;
  });
}

const eventColumns = `e.id, e.event_key AS "eventKey", e.entity_type AS "entityType", e.record_id AS "recordId",
  e.record_version AS "recordVersion", e.action, e.person_id AS "personId", e.event_time AS "eventTime",
  e.accepted_at AS "acceptedAt", e.changed_fields AS "changedFields", e.changed_udfs AS "changedUdfs",
  EXISTS (SELECT FROM pending_events p WHERE p.event_id = e.id) AS "isPending"`;

function eventsOf(
  tenantId: number,
  filter: EventFilter,
  values: SqlValues,
): { readonly from: string; readonly conditions: string[] } {
  const tenant = values.add(tenantId);
  const conditions = [`e.tenant_id = ${tenant}`];
  const add = (value: unknown, test: (place: string) => string) => {
    if (value !== null) conditions.push(test(values.add(value)));
  };
  add(filter.entityType, (place) => `e.entity_type = ${place}`);
  add(filter.actions, (place) => `e.action = ANY(${place}::text[])`);
  add(filter.recordId, (place) => `e.record_id = ${place}`);
  add(filter.personId, (place) => `e.person_id = ${place}`);
  add(filter.since && lowestId(filter.since), (place) => `e.id >= ${place}::uuid`);
  add(filter.until && lowestId(filter.until), (place) => `e.id < ${place}::uuid`);
  return { from: filter.eventId === null ? 'events e' : `(${named(tenant, filter.eventId, values)}) e`, conditions };
}

/** The events with an eventID: few, and therefore found first, before any other filter. */
function named(tenant: string, eventId: string, values: SqlValues): string {
  const key = values.add(eventId);
  const byKey = `SELECT * FROM events WHERE tenant_id = ${tenant} AND event_key = ${key}`;
  const id = idOf(eventId);
  if (id === undefined) return `${byKey} OFFSET 0`;
  const byId = `id = ${values.add(id)}::uuid AND tenant_id = ${tenant}`;
  return `${byKey} UNION ALL SELECT * FROM events WHERE ${byId} AND event_key IS DISTINCT FROM ${key}`;
}

type EventRow = Omit<EventDetails, 'verdicts' | 'previous'> & {
  readonly previous: StoredPrevious | null;
  readonly stored: StoredVerdicts | null;
};

async function readEvent(run: RunSearch, tenantId: number, eventId: string): Promise<EventDetails | undefined> {
  const values = new SqlValues();
  const tenant = values.add(tenantId);
  const [row] = await run<EventRow>(
    `SELECT ${eventColumns}, e.tenant_id AS "tenantId",
       (SELECT email FROM resources WHERE (tenant_id, id) = (e.tenant_id, e.person_id)) AS "personEmail", e.previous, e.fields, e.udf_fields AS "udfFields",
       m.matched_at AS "matchedAt", m.verdicts AS stored
     FROM (${named(tenant, eventId, values)}) e
       LEFT JOIN LATERAL (SELECT * FROM event_matches WHERE event_id = e.id OFFSET 0) AS m ON true
     ORDER BY e.event_key IS NOT NULL AND e.event_key = ${values.add(eventId)} DESC, e.id DESC LIMIT 1`,
    values,
  );
  if (row === undefined) return undefined;
  const { stored, previous, ...event } = row;
  return {
    ...event,
    previous: previousValues(event, previous),
    verdicts: await readVerdicts(run, event, stored ?? {}),
  };
}
