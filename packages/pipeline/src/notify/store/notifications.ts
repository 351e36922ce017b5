import type { NotificationContent, NotificationKind } from '../write/notification.rules.ts';
import type { Transaction } from '@callout/database/connection/database';
import { newId } from '@callout/database/schema/ids';
import { columns, jsonArray, statementFrom } from '@callout/database/connection/statement/statement';

interface NotificationOf<Kind extends NotificationKind> {
  tenantId: number;
  webhookKey: number;
  kind: Kind;
  /**
   * Identifies the occasion, so that there are not two mails: the id of the state change, or the start of the
   * episode.
   */
  occasion: string;
  content: NotificationContent<Kind>;
}

/** An occasion about which the people of a webhook are notified by mail. */
export type Notification = { [Kind in NotificationKind]: NotificationOf<Kind> }[NotificationKind];

const store = statementFrom<{ id: string }>('notify/notifications_store');

/**
 * Stores notifications for the owner of a webhook and for the notification address: a row for each. `gatherMail`
 * gathers rows into mails once the transaction is committed.
 *
 * A notification is not stored when the occasion already has a notification, for an error less than 24 hours after the
 * last error mail of the webhook, for the threshold when the webhook has not asked for threshold mails, and when the
 * webhook is deleted. Of several errors of a webhook the last counts. The transaction must hold the row locks of the
 * webhooks with errors, taken in an earlier statement: otherwise two transactions could both store
 * the first error of the day.
 *
 * @returns the number of stored rows.
 */
export async function storeNotifications(
  transaction: Transaction,
  notifications: readonly Notification[],
): Promise<number> {
  const lastError = new Map(
    notifications.filter(({ kind }) => kind === 'error').map((error) => [error.webhookKey, error]),
  );
  const wanted = notifications.filter(
    (notification) => notification.kind !== 'error' || lastError.get(notification.webhookKey) === notification,
  );
  if (wanted.length === 0) return 0;
  const stored = await store(transaction, [
    wanted.map(() => newId()),
    wanted.map(() => newId()),
    ...columns(wanted, ['tenantId', 'webhookKey', 'kind', 'occasion']),
    jsonArray(wanted.map(({ content }) => JSON.stringify(content))),
  ]);
  return stored.length;
}
