import type { Transaction } from '../connection/database.ts';
import { columns, statement } from '../connection/statement.ts';

/** A record of a webhook that has open callouts, all of which this transaction holds. */
export interface OpenRecord {
  recordId: number;
  /** The lowest number: the callout that is due or held. All others of the record wait. */
  headSequence: number;
  headId: string;
  /** Until when somebody may be sending one of them, rounded up; null: nobody is. */
  busyUntil: Date | null;
}

// In the order of everybody: by record and number. All of a record are locked, since whoever settles its first one makes
// the second one due: holding the second and then waiting for the first would be a deadlock.
const lock = statement<OpenRecord>(
  'repair_lock_open_records',
  `SELECT record_id AS "recordId", min(sequence_number) AS "headSequence",
     (array_agg(callout_id ORDER BY sequence_number))[1] AS "headId",
     max(lease_until) FILTER (WHERE lease_until > now()) + interval '1 millisecond' AS "busyUntil"
   FROM (
     SELECT record_id, sequence_number, callout_id, lease_until FROM open_callouts
     WHERE webhook_key = $1 AND record_id = ANY($2::bigint[])
     ORDER BY record_id, sequence_number FOR UPDATE
   ) AS locked
   GROUP BY record_id`,
);

/**
 * Locks all open callouts of records of a webhook: nobody claims, settles or releases one of them until this transaction
 * ends. The transaction must hold the webhook's row.
 */
export async function lockOpenRecords(
  transaction: Transaction,
  webhookKey: number,
  recordIds: readonly number[],
): Promise<OpenRecord[]> {
  return lock(transaction, [webhookKey, [...new Set(recordIds)]]);
}

// Not before the time of a retry that it still has to wait for, and not while an attempt of its record may be under way.
const promote = statement<{ webhookKey: number }>(
  'repair_promote',
  `UPDATE open_callouts o SET state = 'due', due_at = greatest(o.due_at, now(), head.busy_until)
   FROM (
     SELECT first.callout_id, busy.until AS busy_until
     FROM unnest($1::bigint[], $2::bigint[]) AS r (webhook_key, record_id), LATERAL (
       SELECT callout_id FROM open_callouts WHERE webhook_key = r.webhook_key AND record_id = r.record_id
       ORDER BY sequence_number LIMIT 1
     ) AS first, LATERAL (
       SELECT max(lease_until) AS until FROM open_callouts
       WHERE webhook_key = r.webhook_key AND record_id = r.record_id AND callout_id <> first.callout_id
     ) AS busy
   ) AS head
   WHERE o.callout_id = head.callout_id AND o.state = 'waiting'
   RETURNING o.webhook_key AS "webhookKey"`,
);

/**
 * waiting → due for the first open callout of each of these records. A statement of its own, after others of them have
 * ended.
 * @returns the webhooks for which one became due.
 */
export async function promoteFirst(
  transaction: Transaction,
  records: readonly { webhookKey: number; recordId: number }[],
): Promise<number[]> {
  const rows = await promote(transaction, columns(records, ['webhookKey', 'recordId']));
  return [...new Set(rows.map(({ webhookKey }) => webhookKey))];
}
