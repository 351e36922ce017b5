import type { SettleDecision } from './judge-settlements.rules.ts';
import { byService } from '@callout/domain/changes/actor';
import type { Transaction } from '@callout/database/connection/database';
import { deactivateWebhooks } from '../deactivate/deactivation.ts';
import { storeOccurrences } from '../health/occurrences.ts';
import { storeNotifications } from '../notify/store/notifications.ts';
import { columns, statementFrom } from '@callout/database/connection/statement/statement';

/** A webhook under its row's lock. */
export interface LockedWebhook {
  webhookKey: number;
  isActive: boolean;
}

const lock = statementFrom<LockedWebhook>('settle/failed_lock_webhooks');

const insertLogs = statementFrom('settle/failed_insert_logs');

/**
 * Locks webhooks whose callouts fail: a failure causes at most one mail a day, and may deactivate the webhook. Precedes
 * all other locks.
 * @returns webhooks by key, deleted webhooks included.
 */
export async function lockWebhooksOf(
  transaction: Transaction,
  webhookKeys: readonly number[],
): Promise<Map<number, LockedWebhook>> {
  return new Map((await lock(transaction, [webhookKeys])).map((row) => [row.webhookKey, row]));
}

/**
 * Stores the effects of callouts that fail: for each a row in the error log, mails, events of `WebhookHealth`, and the
 * deactivation of webhooks.
 * @returns webhooks whose deactivation call is due.
 */
export async function writeFailed(
  transaction: Transaction,
  {
    errorLogs,
    notifications,
    occurrences,
    deactivate,
  }: Pick<SettleDecision, 'errorLogs' | 'notifications' | 'occurrences' | 'deactivate'>,
): Promise<number[]> {
  await insertLogs(transaction, columns(errorLogs, ['webhookKey', 'sequenceNumber', 'errorMessage', 'payload']));
  await storeNotifications(transaction, notifications);
  await storeOccurrences(transaction, occurrences);
  const automatic = { actor: byService };
  const { gone, repeatedFailure } = deactivate;
  const ofGone = await deactivateWebhooks(transaction, { webhookKeys: gone, cause: 'gone', ...automatic });
  const ofFailing = await deactivateWebhooks(transaction, {
    webhookKeys: repeatedFailure,
    cause: 'repeatedFailure',
    ...automatic,
  });
  return [...ofGone.dueWebhookKeys, ...ofFailing.dueWebhookKeys];
}
