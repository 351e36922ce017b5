import type { Transaction } from '../database.ts';
import { statement } from '../statement.ts';

// In the order in which settle locks those it ends, and match those it puts others behind: webhook, record, number. What
// settle holds it ends first, and then it is not among the open ones any more.
const lockOpen = statement<{ count: number }>(
  'delivery_lock_open',
  `SELECT count(*) FROM (
     SELECT FROM open_callouts o WHERE o.webhook_key = ANY($1::bigint[])
     ORDER BY o.webhook_key, o.record_id, o.sequence_number FOR UPDATE
   ) AS locked`,
);

// A statement of its own: it sees what became of the rows that the one before had to wait for.
const cancel = statement(
  'delivery_cancel_open',
  `WITH closed AS (
     DELETE FROM open_callouts WHERE webhook_key = ANY($1::bigint[]) RETURNING callout_id
   )
   UPDATE callouts c SET state = 'cancelled', finished_at = now() FROM closed WHERE c.id = closed.callout_id`,
);

/**
 * Cancels all open callouts of webhooks. The transaction must hold the rows of these webhooks, locked in order of their
 * keys: then nothing can be added meanwhile, since match takes the same locks. The result of an attempt that is under way
 * finds its callout gone and is left out.
 */
export async function cancelOpenCallouts(transaction: Transaction, webhookKeys: readonly number[]): Promise<void> {
  if (webhookKeys.length === 0) return;
  const [locked] = await lockOpen(transaction, [webhookKeys]);
  if (locked !== undefined && locked.count > 0) await cancel(transaction, [webhookKeys]);
}
