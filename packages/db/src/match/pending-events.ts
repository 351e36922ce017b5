import type { Action, EventVerdicts, FieldValues } from '@callout/core';
import type { Client, Sent, Transaction } from '../connection/database.ts';
import { statement } from '../connection/statement.ts';

/** An event as it was stored, with the record's known values right after it. */
export interface StoredEvent {
  id: string;
  /** The caller's eventID; null when the service made it: then it is the id. */
  eventKey: string | null;
  tenantId: number;
  entityType: string;
  recordId: number;
  recordVersion: number;
  action: Action;
  personId: number;
  eventTime: Date;
  acceptedAt: Date;
  changedFields: string[];
  changedUdfs: number[];
  fields: FieldValues;
  udfFields: FieldValues;
}

// Not SKIP LOCKED: an event must wait until an older one of its record, claimed by somebody else, is matched. The locks
// are taken in the order of the records, so that two claims wait for each other and never deadlock.
const claim = statement<StoredEvent & { webhooks: [key: number, version: number][] | null }>(
  'match_claim_pending',
  `WITH named AS (
     SELECT DISTINCT p.tenant_id, p.entity_type, p.record_id
     FROM unnest($1::uuid[]) AS n (event_id), LATERAL (
       SELECT tenant_id, entity_type, record_id FROM pending_events WHERE event_id = n.event_id OFFSET 0
     ) AS p
   ), wanted AS (
     SELECT p.event_id FROM named, LATERAL (
       SELECT event_id, record_version FROM pending_events
       WHERE (tenant_id, entity_type, record_id) = (named.tenant_id, named.entity_type, named.record_id)
       ORDER BY record_version LIMIT $2
     ) AS p
     ORDER BY named.tenant_id, named.entity_type, named.record_id, p.record_version LIMIT $2
   ), locked AS (
     SELECT p.event_id FROM wanted, LATERAL (
       SELECT event_id FROM pending_events WHERE event_id = wanted.event_id FOR UPDATE
     ) AS p
   )
   SELECT e.id, e.event_key AS "eventKey", e.tenant_id AS "tenantId", e.entity_type AS "entityType",
     e.record_id AS "recordId", e.record_version AS "recordVersion", e.action, e.person_id AS "personId",
     e.event_time AS "eventTime", e.accepted_at AS "acceptedAt", e.changed_fields AS "changedFields",
     e.changed_udfs AS "changedUdfs", e.fields, e.udf_fields AS "udfFields",
     CASE WHEN row_number() OVER (PARTITION BY e.tenant_id, e.entity_type ORDER BY e.record_id, e.record_version) = 1 THEN (
       SELECT json_agg(json_build_array(w.key, w.version) ORDER BY w.key) FROM webhooks w
       WHERE w.tenant_id = e.tenant_id AND w.entity_type = e.entity_type AND w.deleted_at IS NULL
     ) END AS webhooks
   FROM locked, LATERAL (SELECT * FROM events WHERE id = locked.event_id OFFSET 0) AS e
   ORDER BY e.tenant_id, e.entity_type, e.record_id, e.record_version`,
);

/** The webhooks of one tenant and entity, as they are committed: their configurations are read by key and version. */
export interface GroupVersions {
  tenantId: number;
  entityType: string;
  /** In order of the key. */
  webhooks: readonly (readonly [key: number, version: number])[];
}

/** Events for the rest of a transaction, and the webhooks that they are judged for. */
export interface ClaimedEvents {
  events: StoredEvent[];
  groups: GroupVersions[];
}

/**
 * Claims pending events for the rest of the transaction: all pending events of the records that the named ones belong
 * to, oldest first of each record, at most `limit`. Those that are not pending any more are left out.
 */
export async function claimPendingEvents(
  transaction: Transaction,
  eventIds: readonly string[],
  limit: number,
): Promise<ClaimedEvents> {
  const rows = await claim(transaction, [eventIds, limit]);
  const groups = new Map<string, GroupVersions>();
  const events = rows.map(({ webhooks, ...event }) => {
    const { tenantId, entityType } = event;
    const name = `${tenantId}/${entityType}`;
    // The first event of each group brings its webhooks.
    if (!groups.has(name)) groups.set(name, { tenantId, entityType, webhooks: webhooks ?? [] });
    return event;
  });
  return { events, groups: [...groups.values()] };
}

const findPending = statement<{ eventId: string }>(
  'match_find_pending',
  `SELECT event_id AS "eventId" FROM pending_events WHERE event_id = ANY($1::uuid[])`,
);

/** Those of the named events that are pending. */
export async function stillPending(client: Client, eventIds: readonly string[]): Promise<string[]> {
  return (await findPending(client, [eventIds])).map((row) => row.eventId);
}

const storeMatches = statement(
  'match_store_matches',
  `WITH matched AS (DELETE FROM pending_events WHERE event_id = ANY($1::uuid[]))
   INSERT INTO event_matches (event_id, tenant_id, verdicts)
   SELECT * FROM unnest($1::uuid[], $2::int[], $3::json[])`,
);

/** pending → matched, for events that this transaction has claimed. */
export function storeVerdicts(transaction: Transaction, matches: readonly EventVerdicts[]): Sent {
  const values = [
    matches.map((match) => match.eventId),
    matches.map((match) => match.tenantId),
    matches.map((match) => match.verdictsJson),
  ];
  return [storeMatches(transaction, values)];
}
