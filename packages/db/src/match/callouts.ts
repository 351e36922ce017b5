import type { NewCallout, RecordOfWebhook } from '@callout/core';
import type { Sent, Transaction } from '../connection/database.ts';
import { columns, jsonArray, statement } from '../connection/statement.ts';

/** A webhook under its row's lock, with the numbers that its new callouts get. */
export interface NumberedWebhook {
  webhookKey: number;
  /** The configuration that is committed now: what was judged with another version must be judged again. */
  version: number;
  /** The first of the numbers taken. */
  firstSequenceNumber: number;
  /** Its receiver is given time to recover: nothing may be sent without asking. */
  isPaused: boolean;
  /** The tenant's own threshold; null: the installation's. */
  threshold: number | null;
}

// In order of the key, like everybody who locks webhooks. A webhook deleted meanwhile has another version too.
const takeNumbers = statement<NumberedWebhook>(
  'match_take_numbers',
  `WITH wanted AS (
     SELECT * FROM unnest($1::bigint[], $2::int[]) AS w (key, count)
   ), locked AS (
     SELECT w.key FROM webhooks w JOIN wanted USING (key) ORDER BY w.key FOR NO KEY UPDATE OF w
   )
   UPDATE webhooks w SET last_sequence = w.last_sequence + wanted.count
   FROM locked JOIN wanted USING (key) WHERE w.key = locked.key
   RETURNING w.key AS "webhookKey", w.version, w.last_sequence - wanted.count + 1 AS "firstSequenceNumber",
     EXISTS (SELECT FROM webhook_health h WHERE h.webhook_key = w.key AND h.pauses > 0) AS "isPaused",
     (SELECT callout_threshold FROM tenants WHERE id = w.tenant_id) AS threshold`,
);

/** Locks webhooks and takes sequence numbers, without a gap: a number belongs to the transaction that makes its callout. */
export async function takeSequenceNumbers(
  transaction: Transaction,
  counts: ReadonlyMap<number, number>,
): Promise<Map<number, NumberedWebhook>> {
  if (counts.size === 0) return new Map();
  const rows = await takeNumbers(transaction, [[...counts.keys()], [...counts.values()]]);
  return new Map(rows.map((row) => [row.webhookKey, row]));
}

// The last open callout of a record cannot end while it is locked here, so whoever ends it will see the callouts that
// this transaction puts behind it. Locked in the same order as settle does (webhook, record), and only against being
// deleted: it may be leased and made due meanwhile.
const lockTails = statement<RecordOfWebhook>(
  'match_lock_tails',
  `SELECT tail.webhook_key AS "webhookKey", tail.record_id AS "recordId"
   FROM (SELECT * FROM unnest($1::bigint[], $2::bigint[]) AS p (webhook_key, record_id) ORDER BY 1, 2) AS pair,
   LATERAL (
     SELECT o.webhook_key, o.record_id FROM open_callouts o
     WHERE o.webhook_key = pair.webhook_key AND o.record_id = pair.record_id
     ORDER BY o.sequence_number DESC LIMIT 1 FOR KEY SHARE
   ) AS tail`,
);

/** Of these webhooks and records, those that have an open callout; it stays open until this transaction ends. */
export async function lockOpenTails(
  transaction: Transaction,
  pairs: readonly RecordOfWebhook[],
): Promise<RecordOfWebhook[]> {
  if (pairs.length === 0) return [];
  return lockTails(transaction, columns(pairs, ['webhookKey', 'recordId']));
}

const storeCallouts = statement(
  'match_store_callouts',
  `WITH new AS (
     SELECT * FROM ROWS FROM (
       unnest($1::uuid[], $2::int[], $3::bigint[], $4::bigint[], $5::uuid[], $6::text[], $7::text[], $8::bigint[],
         $9::text[], $10::text[], $11::uuid[]),
       json_array_elements($12::json)
     ) AS c (id, tenant_id, webhook_key, sequence_number, event_id, public_event_id, entity_type, record_id, action, state,
       lease_owner, body)
   ), history AS (
     INSERT INTO callouts (id, tenant_id, webhook_key, sequence_number, event_id, entity_type, record_id, action)
     SELECT id, tenant_id, webhook_key, sequence_number, event_id, entity_type, record_id, action FROM new
   ), bodies AS (
     INSERT INTO callout_bodies (callout_id, body) SELECT id, body::text FROM new
   )
   INSERT INTO open_callouts (callout_id, tenant_id, webhook_key, entity_type, record_id, action, event_id,
     sequence_number, state, due_at, lease_owner, lease_until)
   SELECT id, tenant_id, webhook_key, entity_type, record_id, action, public_event_id, sequence_number, state, now(),
     lease_owner, CASE WHEN lease_owner IS NOT NULL THEN now() + $13 * interval '1 millisecond' END
   FROM new`,
);

/** Who sends new callouts at once, without claiming them: those named are stored with this lease. */
export interface NewLease {
  owner: string;
  /** From the begin of the transaction. */
  leaseMs: number;
  calloutIds: ReadonlySet<string>;
}

const noNewLease: NewLease = { owner: '', leaseMs: 0, calloutIds: new Set() };

/**
 * Stores callouts, their bodies, and the work of delivering them, in one statement. A body is JSON, and what is stored is
 * its very text.
 */
export function storeNewCallouts(
  transaction: Transaction,
  callouts: readonly NewCallout[],
  lease: NewLease = noNewLease,
): Sent {
  if (callouts.length === 0) return [];
  const values = [
    ...columns(callouts, [
      'id',
      'tenantId',
      'webhookKey',
      'sequenceNumber',
      'eventId',
      'publicEventId',
      'entityType',
      'recordId',
      'action',
      'state',
    ]),
    callouts.map(({ id }) => (lease.calloutIds.has(id) ? lease.owner : null)),
    jsonArray(callouts.map(({ body }) => body)),
    lease.leaseMs,
  ];
  return [storeCallouts(transaction, values)];
}
