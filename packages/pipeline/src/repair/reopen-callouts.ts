import { type EndedCallout, reopen, type Reopening } from './reopen.rules.ts';
import type { Transaction } from '@callout/database/connection/database';
import { inTransaction } from '@callout/database/connection/transaction/transaction';
import { idNear } from '@callout/database/schema/ids';
import { columns, statement } from '@callout/database/connection/statement/statement';
import type { WebhookAddress } from '@callout/database/locked-webhook';
import { lockActiveWebhook, lockOpenRecords, type RepairDeps } from './repairs.ts';

/** Attempts are later than their callout, by clocks that differ by less than this. */
const clockSlackMs = 3_600_000;

const findRecords = statement<{ recordId: number }>(
  'repair_find_records',
  `SELECT DISTINCT record_id AS "recordId" FROM callouts
   WHERE id = ANY($1::uuid[]) AND id BETWEEN $2 AND $3`,
);

// Locked by id, like everything that updates callouts that are not open: the result of an attempt that was under way
// when its callout was cancelled may come at this moment. Its event may be gone with its day; then the header has the
// id of the event from the log.
const lockEnded = statement<EndedCallout>(
  'repair_lock_ended',
  `SELECT c.id, c.tenant_id AS "tenantId", c.entity_type AS "entityType", c.record_id AS "recordId", c.action,
     c.sequence_number AS "sequenceNumber",
     coalesce((SELECT e.event_key FROM events e WHERE e.id = c.event_id), c.event_id::text) AS "eventId",
     (SELECT e.trace_parent FROM events e WHERE e.id = c.event_id) AS "traceParent",
     coalesce(
       (SELECT octet_length(b.body) FROM callout_bodies b WHERE b.callout_id = c.id),
       (SELECT e.characters FROM events e WHERE e.id = c.event_id)
     ) AS "bodyBytes",
     coalesce((SELECT max(a.number) FROM attempts a WHERE a.callout_id = c.id AND a.id >= $5), 0) AS attempts
   FROM callouts c
   WHERE c.id = ANY($1::uuid[]) AND c.id BETWEEN $2 AND $3 AND c.kind = 'event' AND c.state = ANY($4::text[])
     AND CASE WHEN c.layout_id IS NULL THEN EXISTS (SELECT FROM callout_bodies b WHERE b.callout_id = c.id)
       ELSE EXISTS (SELECT FROM events e WHERE e.id = c.event_id) END
   ORDER BY c.id FOR NO KEY UPDATE OF c`,
  'callouts',
);

/**
 * Reopens the given callouts of the webhook that have ended in one of `states`, in one transaction: with the current
 * address and key, the full schedule, the same body and id.
 * @returns how many were reopened.
 * @throws a Problem: `notFound` without such a webhook, `conflict` when it is inactive.
 */
export async function reopenCallouts(
  { database: { pool }, enqueueDeliver }: RepairDeps,
  address: WebhookAddress,
  calloutIds: readonly string[],
  states: readonly string[],
): Promise<number> {
  const ids = calloutIds.toSorted();
  const [first, last] = [ids.at(0), ids.at(-1)];
  if (first === undefined) return 0;
  const { key, count } = await inTransaction(pool, async (transaction) => {
    const webhook = await lockActiveWebhook(transaction, address);
    const records = await findRecords(transaction, [ids, first, last]);
    const open = await lockOpenRecords(
      transaction,
      webhook.key,
      records.map(({ recordId }) => recordId),
    );
    const ended = await lockEnded(transaction, [ids, first, last, states, idNear(first, -clockSlackMs)]);
    if (ended.length > 0) await store(transaction, webhook.key, reopen(ended, open));
    return { key: webhook.key, count: ended.length };
  });
  if (count > 0) enqueueDeliver([key]);
  return count;
}

const write = statement(
  'repair_reopen',
  `WITH new AS (
     SELECT * FROM unnest($2::uuid[], $3::int[], $4::text[], $5::bigint[], $6::text[], $7::text[], $8::bigint[], $9::text[],
       $10::timestamptz[], $11::int[], $12::text[], $13::int[])
       AS c (id, tenant_id, entity_type, record_id, action, event_id, sequence_number, state, due_at, attempts, trace_parent,
         body_bytes)
   ), overtaken AS (
     UPDATE open_callouts SET state = 'waiting' WHERE callout_id = ANY($14::uuid[])
   ), stamped AS (
     UPDATE callouts c SET state = 'open', finished_at = NULL, cancelled_lease = NULL
     WHERE c.id = ANY($2::uuid[]) AND c.id BETWEEN $15 AND $16
   )
   INSERT INTO open_callouts (callout_id, tenant_id, webhook_key, entity_type, record_id, action, kind, event_id,
     sequence_number, state, due_at, attempts_made, attempts_before, is_redelivery, trace_parent, body_bytes)
   SELECT id, tenant_id, $1, entity_type, record_id, action, 'event',
     event_id, sequence_number, state, coalesce(due_at, now()),
     attempts, attempts, true, trace_parent, body_bytes
   FROM new`,
);

async function store(
  transaction: Transaction,
  webhookKey: number,
  { reopened, overtakenIds }: Reopening,
): Promise<void> {
  await write(transaction, [
    webhookKey,
    ...columns(reopened, [
      'id',
      'tenantId',
      'entityType',
      'recordId',
      'action',
      'eventId',
      'sequenceNumber',
      'state',
      'dueAt',
      'attempts',
      'traceParent',
      'bodyBytes',
    ]),
    overtakenIds,
    reopened.at(0)?.id,
    reopened.at(-1)?.id,
  ]);
}
