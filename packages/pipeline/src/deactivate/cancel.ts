import type { Pool } from 'pg';
import type { Client, Transaction } from '@callout/database/connection/database';
import { inTransaction } from '@callout/database/connection/transaction/transaction';
import { statementFrom } from '@callout/database/connection/statement/statement';
import { openCalloutStates, type CalloutState } from '@callout/domain/callout/callout-states';
import { boundsOf } from '@callout/database/schema/ids';

/** Callouts cancelled in one transaction: few enough that others wait for its locks only for a moment. */
const partSize = 2_000;

const findCancelling = statementFrom<{ key: number }>('deactivate/delivery_find_cancelling');

/** Deactivated webhooks whose open callouts are still to be cancelled, at most `limit`. */
export async function webhooksToCancel(client: Client, limit: number): Promise<number[]> {
  return (await findCancelling(client, [limit])).map(({ key }) => key);
}

const lockWebhook = statementFrom<{ version: number }>('deactivate/delivery_lock_cancelling');

/** A position in the order of a webhook's open callouts. */
interface Position {
  recordId: number;
  sequenceNumber: number;
}

const lockPart = statementFrom<{ id: string } & Position>('deactivate/delivery_lock_part');

const finish = statementFrom('deactivate/delivery_finish_cancelling');

/** Before every callout of a record and every test, whose record is 0. A deactivated webhook still makes its deactivation calls, of record -1. */
const start: Position = { recordId: -1, sequenceNumber: 0 };

/**
 * Where a part begins. Another version means that the webhook may have been activated and deactivated again: start
 * over.
 */
interface Part extends Position {
  version: number | null;
}

/**
 * Cancels the open callouts of a deactivated webhook, part by part, each in its own transaction; any number of
 * processes may do so at once. The lease of a callout that is being sent is stored, so that the result of that attempt
 * can still count.
 * @param isEnough called before each part.
 * @returns whether none is left.
 */
export async function cancelOpenCallouts(pool: Pool, webhookKey: number, isEnough: () => boolean): Promise<boolean> {
  let from: Part | null = { ...start, version: null };
  while (from !== null && !isEnough()) from = await cancelFrom(pool, webhookKey, from);
  return from === null;
}

/** Cancels one part. Returns where the next one begins, or null after the last. */
function cancelFrom(pool: Pool, webhookKey: number, from: Part): Promise<Part | null> {
  return inTransaction(pool, async (transaction) => {
    const [webhook] = await lockWebhook(transaction, [webhookKey]);
    if (webhook === undefined) return null;
    const { recordId, sequenceNumber } = webhook.version === from.version ? from : start;
    const part = await lockPart(transaction, [webhookKey, recordId, sequenceNumber, partSize]);
    await closeCallouts(
      transaction,
      part.map(({ id }) => id),
    );
    const last = part.at(-1);
    if (last !== undefined && part.length === partSize) return { ...last, version: webhook.version };
    await finish(transaction, [webhookKey]);
    return null;
  });
}

/** Parts that a caller of the API waits for: a few seconds of work. */
const mostPartsAtOnce = 50;

/**
 * The same for webhooks that were deactivated through the API, for as long as a caller may wait. The worker does
 * the rest, also after an error: the change itself is committed.
 */
export async function cancelSoon(pool: Pool, webhookKeys: readonly number[]): Promise<void> {
  let parts = 0;
  const isEnough = (): boolean => parts++ >= mostPartsAtOnce;
  try {
    for (const webhookKey of webhookKeys) await cancelOpenCallouts(pool, webhookKey, isEnough);
  } catch {
    // The next query fails too, and reports the error.
  }
}

const cancel = statementFrom<{ recordId: number }>('deactivate/delivery_cancel');

/**
 * Open → cancelled, for the given callouts that are still open in one of `states`. The lease of one that is being sent
 * is stored, so that the result of that attempt can still count. The transaction must have locked their rows.
 * @returns the record of each that was cancelled.
 */
export async function closeCallouts(
  transaction: Transaction,
  calloutIds: readonly string[],
  states: readonly CalloutState[] = openCalloutStates,
): Promise<number[]> {
  if (calloutIds.length === 0) return [];
  const cancelled = await cancel(transaction, [calloutIds, states, ...boundsOf(calloutIds)]);
  return cancelled.map(({ recordId }) => recordId);
}
