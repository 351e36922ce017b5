import type { Pool } from 'pg';
import { inTransaction, type Client } from '../connection/database.ts';
import { statementFrom } from '../connection/statement.ts';

/** Callouts cancelled in one transaction: so few that whoever waits for one of them waits for a moment. */
const partSize = 2_000;

const findCancelling = statementFrom<{ key: number }>('deactivate/delivery_find_cancelling');

/** Shut webhooks whose open callouts are still to be cancelled, at most `limit`. */
export async function webhooksToCancel(client: Client, limit: number): Promise<number[]> {
  return (await findCancelling(client, [limit])).map(({ key }) => key);
}

const lockWebhook = statementFrom<{ version: number }>('deactivate/delivery_lock_cancelling');

const lockPart = statementFrom<{ count: number }>('deactivate/delivery_lock_part');

/** A place in the order of a webhook's open callouts. */
interface Place {
  recordId: number;
  sequenceNumber: number;
}

const cancelPart = statementFrom<{ count: number } & Place>('deactivate/delivery_cancel_part');

const finish = statementFrom('deactivate/delivery_finish_cancelling');

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
