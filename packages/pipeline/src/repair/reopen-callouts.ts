import { type EndedCallout, reopen, type Reopening } from './reopen.rules.ts';
import type { Transaction } from '@callout/database/connection/database';
import { inTransaction } from '@callout/database/connection/transaction/transaction';
import { idNear } from '@callout/database/schema/ids';
import { statementFrom } from '@callout/database/connection/statement/statement';
import type { WebhookAddress } from '@callout/database/locked-webhook';
import { lockActiveWebhook, lockOpenRecords, type RepairDeps } from './repairs.ts';

/** Attempts are later than their callout, by clocks that differ by less. */
const clockSlackMs = 3_600_000;

const findRecords = statementFrom<{ recordId: number }>('repair/repair_find_records');

const lockEnded = statementFrom<EndedCallout>('repair/repair_lock_ended');

/**
 * Reopens the given callouts of the webhook that have ended in one of `states`, in a transaction: with the current
 * address and key, the full schedule, and the body and id of before.
 * @returns how many were reopened.
 * @throws a Problem: `notFound` without the webhook, `conflict` when the webhook is inactive.
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
    const openRecords = await lockOpenRecords(
      transaction,
      webhook.key,
      records.map(({ recordId }) => recordId),
    );
    const ended = await lockEnded(transaction, [ids, first, last, states, idNear(first, -clockSlackMs)]);
    if (ended.length > 0) await store(transaction, webhook.key, reopen(ended, openRecords));
    return { key: webhook.key, count: ended.length };
  });
  if (count > 0) enqueueDeliver([key]);
  return count;
}

const write = statementFrom('repair/repair_reopen');

async function store(
  transaction: Transaction,
  webhookKey: number,
  { reopened, overtakenIds }: Reopening,
): Promise<void> {
  await write(transaction, [
    webhookKey,
    JSON.stringify(reopened),
    overtakenIds,
    reopened.at(0)?.id,
    reopened.at(-1)?.id,
  ]);
}
