import type { SettleDecision, Settlement } from '@callout/core/settle';
import { readBodies } from '../claim/callout-bodies.ts';
import type { Transaction } from '../connection/database.ts';
import { deactivateWebhooks } from '../deactivate/deactivation.ts';
import { storeNotifications } from '../mail/notifications.ts';
import { columns, statementFrom } from '../connection/statement/statement.ts';

/** A webhook under its row's lock. */
export interface LockedWebhook {
  webhookKey: number;
  isActive: boolean;
}

const lock = statementFrom<LockedWebhook>('settle/given_up_lock_webhooks');

const insertLogs = statementFrom('settle/given_up_insert_logs');

/**
 * Locks the webhooks of callouts that are given up: their mails are one a day, and they may be deactivated. Comes before
 * any other lock.
 * @returns webhooks by key; deleted ones too.
 */
export async function lockWebhooksOf(
  transaction: Transaction,
  settlements: readonly Settlement[],
): Promise<Map<number, LockedWebhook>> {
  const keys = [...new Set(settlements.map(({ callout }) => callout.webhookKey))];
  return new Map((await lock(transaction, [keys])).map((row) => [row.webhookKey, row]));
}

/** Reads what was sent for these results, by the id of the callout. */
export function readBodiesOf(
  transaction: Transaction,
  settlements: readonly Settlement[],
): Promise<Map<string, string>> {
  return readBodies(
    transaction,
    settlements.map(({ callout }) => callout.id),
  );
}

/**
 * Stores what follows when callouts are given up: a row in the error log each, mails, and the end of their webhooks.
 * @returns webhooks with a deactivation call to make.
 */
export async function writeGivenUp(
  transaction: Transaction,
  { errorLogs, notifications, deactivate }: Pick<SettleDecision, 'errorLogs' | 'notifications' | 'deactivate'>,
): Promise<number[]> {
  if (errorLogs.length > 0) {
    await insertLogs(transaction, columns(errorLogs, ['webhookKey', 'sequenceNumber', 'errorMessage', 'payload']));
  }
  await storeNotifications(transaction, notifications);
  const automatic = { actorResourceId: null };
  const { gone, repeatedFailure } = deactivate;
  const ofGone = await deactivateWebhooks(transaction, { webhookKeys: gone, cause: 'gone', ...automatic });
  const ofFailing = await deactivateWebhooks(transaction, {
    webhookKeys: repeatedFailure,
    cause: 'repeatedFailure',
    ...automatic,
  });
  return [...ofGone.dueWebhookKeys, ...ofFailing.dueWebhookKeys];
}
