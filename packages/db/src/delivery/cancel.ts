import type { Transaction } from '../database.ts';
import { statement } from '../statement.ts';

// In the order in which settle locks those it ends, and match those it puts others behind: webhook, record, number. What
// settle holds it ends first, and then it is not among the open ones any more. Deactivation calls are locked as well: the
// next one of their webhook goes behind them.
const lockOpen = statement<{ count: number }>(
  'delivery_lock_open',
  `SELECT count(*) FROM (
     SELECT FROM open_callouts o WHERE o.webhook_key = ANY($1::bigint[])
     ORDER BY o.webhook_key, o.record_id, o.sequence_number FOR UPDATE
   ) AS locked`,
);

/** A place in the order of a webhook's open callouts. */
interface Place {
  recordId: number;
  sequenceNumber: number;
}

// Not in the statement that locks: it sees what became of the rows that the one before had to wait for. From a place on,
// so that no part looks through what the parts before it have deleted.
const cancelPart = statement<{ count: number } & Place>(
  'delivery_cancel_part',
  `WITH part AS MATERIALIZED (
     SELECT callout_id, record_id, sequence_number, lease_owner FROM open_callouts
     WHERE webhook_key = $1 AND (record_id, sequence_number) >= ($2, $3) AND kind <> 'deactivation'
     ORDER BY record_id, sequence_number LIMIT $4
   ), closed AS (
     DELETE FROM open_callouts WHERE callout_id = ANY(ARRAY(SELECT callout_id FROM part))
   ), stamped AS (
     UPDATE callouts c SET state = 'cancelled', finished_at = now(), cancelled_lease = part.lease_owner
     FROM part WHERE c.id = part.callout_id
   )
   SELECT count(*) OVER () AS count, record_id AS "recordId", sequence_number AS "sequenceNumber" FROM part
   ORDER BY record_id DESC, sequence_number DESC LIMIT 1`,
);

/** Before every callout but deactivation calls. */
const start: Place = { recordId: 0, sequenceNumber: 0 };
/** A backlog may be long, and the time that a statement may take is not. */
const partSize = 10_000;

/**
 * Cancels the open callouts of webhooks, except their deactivation calls, which are what is still owed of a webhook that
 * is shut. The transaction must hold the rows of these webhooks, locked in order of their keys: then nothing can be added
 * meanwhile, since match takes the same locks. The lease of a callout that is being sent is noted, so that the result of
 * that attempt can still count.
 * @returns how many were cancelled of each webhook that had some.
 */
export async function cancelOpenCallouts(
  transaction: Transaction,
  webhookKeys: readonly number[],
): Promise<Map<number, number>> {
  const cancelled = new Map<number, number>();
  if (webhookKeys.length === 0) return cancelled;
  const [locked] = await lockOpen(transaction, [webhookKeys]);
  if (locked === undefined || locked.count === 0) return cancelled;
  for (const webhookKey of webhookKeys) {
    const count = await cancelAllOf(transaction, webhookKey);
    if (count > 0) cancelled.set(webhookKey, count);
  }
  return cancelled;
}

async function cancelAllOf(transaction: Transaction, webhookKey: number): Promise<number> {
  let total = 0;
  let from = start;
  for (;;) {
    const [last] = await cancelPart(transaction, [webhookKey, from.recordId, from.sequenceNumber, partSize]);
    total += last?.count ?? 0;
    if (last === undefined || last.count < partSize) return total;
    from = last;
  }
}
