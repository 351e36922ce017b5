import type { NotificationContent, NotificationKind } from '../write/notification.rules.ts';
import type { Transaction } from '@callout/database/connection/database';
import { newId } from '@callout/database/schema/ids';
import { columns, jsonArray, statement } from '@callout/database/connection/statement/statement';

interface NotificationOf<Kind extends NotificationKind> {
  tenantId: number;
  webhookKey: number;
  kind: Kind;
  /**
   * Identifies the occasion, so that there is one mail and not two: the id of the state change, or the start of the
   * episode.
   */
  occasion: string;
  content: NotificationContent<Kind>;
}

/** An occasion about which the people of a webhook are notified by mail. */
export type Notification = { [Kind in NotificationKind]: NotificationOf<Kind> }[NotificationKind];

// The address of a resource outlives it. Mailboxes that differ only by case are one in practice. In order of the key,
// like everything that locks rows of several webhooks.
const store = statement<{ id: string }>(
  'notifications_store',
  `INSERT INTO notifications (id, tenant_id, webhook_key, kind, occasion, recipient, content)
   SELECT to_whom.id, w.tenant_id, w.key, n.kind, n.occasion, to_whom.address, json_build_object(
     'webhook', json_build_object('id', w.id, 'guid', w.guid, 'name', w.name, 'entityType', w.entity_type,
       'webhookUrl', w.webhook_url, 'deliveryMode', w.delivery_mode,
       'deactivationUrl', w.deactivation_url, 'deactivationMode', w.deactivation_mode),
     'tenant', json_build_object('name', t.name, 'url', z.url,
       'isOneOfSeveral', EXISTS (SELECT FROM tenants o WHERE o.id <> t.id AND o.deleting_at IS NULL)),
     'facts', n.content)
   FROM ROWS FROM (
     unnest($1::uuid[], $2::uuid[], $3::int[], $4::bigint[], $5::text[], $6::text[]),
     json_array_elements($7::json)
   ) AS n (owner_mail_id, other_mail_id, tenant_id, webhook_key, kind, occasion, content)
   CROSS JOIN LATERAL (SELECT * FROM webhooks WHERE key = n.webhook_key OFFSET 0) AS w
   JOIN tenants t ON t.id = w.tenant_id LEFT JOIN zones z ON z.id = t.zone_id
   LEFT JOIN resources r ON (r.tenant_id, r.id) = (w.tenant_id, w.owner_resource_id)
   CROSS JOIN LATERAL (VALUES
     (n.owner_mail_id, r.email),
     (n.other_mail_id, CASE WHEN lower(w.notification_email_address) IS DISTINCT FROM lower(r.email)
       THEN w.notification_email_address END)
   ) AS to_whom (id, address)
   WHERE to_whom.address <> '' AND w.tenant_id = n.tenant_id AND w.deleted_at IS NULL
     AND (w.send_threshold_exceeded_notification OR n.kind NOT IN ('thresholdExceeded', 'caughtUp'))
     AND (w.is_active OR n.kind NOT IN ('caughtUp', 'failing', 'recovered'))
     AND NOT (n.kind = 'error' AND EXISTS (SELECT FROM notifications p
       WHERE p.webhook_key = w.key AND p.kind = 'error' AND p.created_at > now() - interval '24 hours'))
   ORDER BY w.key
   ON CONFLICT DO NOTHING
   RETURNING id`,
);

/**
 * Stores notifications for the owner of a webhook and for its notification address: one row for each. `gatherMail`
 * gathers them into mails once the transaction is committed.
 *
 * A notification is not stored when its occasion already has one, when it is an error less than 24 hours after the
 * last error mail of its webhook, when it is about the threshold and the webhook has not asked for that, and when the
 * webhook is deleted. Of several errors of one webhook the last counts. The transaction must hold the row locks of the
 * webhooks with errors, and must have locked them in an earlier statement: otherwise two transactions could both store
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
