import type { Pool } from 'pg';
import { inTransaction, type Client } from '../connection/database.ts';
import { statement } from '../connection/statement.ts';

/** Callouts cancelled in one transaction: so few that whoever waits for one of them waits for a moment. */
const partSize = 2_000;

const findCancelling = statement<{ key: number }>(
  'delivery_find_cancelling',
  'SELECT key FROM webhooks WHERE is_cancelling ORDER BY key LIMIT $1',
);

/** Shut webhooks whose open callouts are still to be cancelled, at most `limit`. */
export async function webhooksToCancel(client: Client, limit: number): Promise<number[]> {
  return (await findCancelling(client, [limit])).map(({ key }) => key);
}

// Nothing can be added while its row is held, since match and redelivery take the same lock.
const lockWebhook = statement<{ version: number }>(
  'delivery_lock_cancelling',
  'SELECT version FROM webhooks WHERE key = $1 AND is_cancelling FOR NO KEY UPDATE',
);

// In the order in which settle locks those it ends: record, number. What settle holds it ends first, and then it is not
// among the open ones any more.
const lockPart = statement<{ count: number }>(
  'delivery_lock_part',
  `SELECT count(*) FROM (
     SELECT FROM open_callouts WHERE webhook_key = $1 AND (record_id, sequence_number) >= ($2, $3) AND kind <> 'deactivation'
     ORDER BY record_id, sequence_number LIMIT $4 FOR UPDATE
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

const finish = statement('delivery_finish_cancelling', 'UPDATE webhooks SET is_cancelling = false WHERE key = $1');

/** Before every callout but deactivation calls, which are what is still owed of a webhook that is shut. */
const start: Place = { recordId: 0, sequenceNumber: 0 };

/** Where a part begins. A webhook of another version may have been shut anew meanwhile: then everything is open again. */
interface Part extends Place {
  version: number | null;
}

/**
 * Cancels open callouts of a webhook that was shut, part by part, each in a transaction of its own; any number of
 * processes may do so at once. The lease of a callout that is being sent is noted, so that the result of that attempt can
 * still count.
 * @param isEnough asked before each part.
 * @returns whether none is left.
 */
export async function cancelOpenCallouts(pool: Pool, webhookKey: number, isEnough: () => boolean): Promise<boolean> {
  let from: Part | null = { ...start, version: null };
  while (from !== null && !isEnough()) from = await cancelFrom(pool, webhookKey, from);
  return from === null;
}

/** Cancels one part. Returns where the next one begins; null: there is none. */
function cancelFrom(pool: Pool, webhookKey: number, from: Part): Promise<Part | null> {
  return inTransaction(pool, async (transaction) => {
    const [webhook] = await lockWebhook(transaction, [webhookKey]);
    if (webhook === undefined) return null;
    const { recordId, sequenceNumber } = webhook.version === from.version ? from : start;
    const part = [webhookKey, recordId, sequenceNumber, partSize];
    await lockPart(transaction, part);
    const [last] = await cancelPart(transaction, part);
    if (last !== undefined && last.count === partSize) return { ...last, version: webhook.version };
    await finish(transaction, [webhookKey]);
    return null;
  });
}

/** Parts that a caller of the API waits for: some seconds of work. */
const mostPartsAtOnce = 50;

/**
 * The same for webhooks that a caller of the API has shut, as far as a caller may be kept waiting. What is left, also
 * because of an error, the worker does: the change itself is committed.
 */
export async function cancelSoon(pool: Pool, webhookKeys: readonly number[]): Promise<void> {
  let parts = 0;
  const isEnough = (): boolean => parts++ >= mostPartsAtOnce;
  try {
    for (const webhookKey of webhookKeys) await cancelOpenCallouts(pool, webhookKey, isEnough);
  } catch {
    // Who uses the database next finds out, and says so.
  }
}
