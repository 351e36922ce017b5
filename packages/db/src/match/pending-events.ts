import type { Action, FieldValues } from '@callout/core';
import type { Client, Transaction } from '../connection/database.ts';
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
const claim = statement<StoredEvent>(
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
     e.changed_udfs AS "changedUdfs", e.fields, e.udf_fields AS "udfFields"
   FROM locked, LATERAL (SELECT * FROM events WHERE id = locked.event_id OFFSET 0) AS e
   ORDER BY e.tenant_id, e.entity_type, e.record_id, e.record_version`,
);

/**
 * Claims pending events for the rest of the transaction: all pending events of the records that the named ones belong
 * to, oldest first of each record, at most `limit`. Those that are not pending any more are left out.
 */
export async function claimPendingEvents(
  transaction: Transaction,
  eventIds: readonly string[],
  limit: number,
): Promise<StoredEvent[]> {
  return claim(transaction, [eventIds, limit]);
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

/**
 * Verdicts of one event, as text in JSON: rule → [webhook key, configuration version] of the webhooks it decided; where a
 * callout is owed, its sequence number is third.
 */
export interface EventVerdicts {
  eventId: string;
  tenantId: number;
  verdictsJson: string;
}

/** pending → matched, for events that this transaction has claimed. */
export async function storeVerdicts(transaction: Transaction, matches: readonly EventVerdicts[]): Promise<void> {
  await storeMatches(transaction, [
    matches.map((match) => match.eventId),
    matches.map((match) => match.tenantId),
    matches.map((match) => match.verdictsJson),
  ]);
}
