import { Problem, type SealedSecret, type WebhookSettings } from '@callout/core';
import type { Pool } from 'pg';
import { lockForActivation, ownerIsInactive, refuseOneMoreActive, type ActivationRules } from './activation.ts';
import { inTransaction } from './database.ts';
import { cancelOpenCallouts } from './delivery/cancel.ts';
import { statement } from './statement.ts';
import type { WebhookAddress } from './webhook-address.ts';

// Not Prisma: cancelling callouts is work on a set, which the worker does too, and may take longer than a transaction of
// Prisma lives.

/** Settings to change, and the new secret where there is one, sealed. */
export interface WebhookChange {
  settings: Partial<WebhookSettings>;
  sealedSecret?: SealedSecret | undefined;
}

interface LockedWebhook extends WebhookSettings {
  key: number;
}

// Match holds the same lock while it stores callouts: it is either before this change and its callouts are seen below, or
// after it and finds another version.
const lock = statement<LockedWebhook>(
  'webhook_lock',
  `SELECT key, name, webhook_url AS "webhookUrl", deactivation_url AS "deactivationUrl", is_active AS "isActive",
     is_subscribed_to_create_events AS "isSubscribedToCreateEvents",
     is_subscribed_to_update_events AS "isSubscribedToUpdateEvents",
     is_subscribed_to_delete_events AS "isSubscribedToDeleteEvents",
     notification_email_address AS "notificationEmailAddress",
     send_threshold_exceeded_notification AS "sendThresholdExceededNotification"
   FROM webhooks WHERE (tenant_id, entity_type, id) = ($1, $2, $3) AND deleted_at IS NULL FOR NO KEY UPDATE`,
);

// The database's clock decides which events came before the activation, whichever process took them.
const write = statement(
  'webhook_write',
  `UPDATE webhooks SET name = $2, webhook_url = $3, deactivation_url = $4, is_active = $5,
     is_subscribed_to_create_events = $6, is_subscribed_to_update_events = $7, is_subscribed_to_delete_events = $8,
     notification_email_address = $9, send_threshold_exceeded_notification = $10,
     secret_key_id = coalesce($11, secret_key_id), secret_nonce = coalesce($12, secret_nonce),
     secret_ciphertext = coalesce($13, secret_ciphertext),
     activated_at = CASE WHEN $5 AND NOT is_active THEN now() ELSE activated_at END,
     version = version + 1, updated_at = now()
   WHERE key = $1`,
);

/**
 * Changes a webhook. What is as it was before is no change, and makes no new version.
 * @throws a Problem: 404 without such a webhook, 409 when it may not become active.
 */
export async function updateWebhook(
  pool: Pool,
  address: WebhookAddress,
  { settings, sealedSecret }: WebhookChange,
  rules: ActivationRules,
): Promise<void> {
  const mayActivate = settings.isActive === true;
  await inTransaction(pool, async (transaction) => {
    const isOwnerActive = mayActivate ? await lockForActivation(transaction, address, rules) : undefined;
    const [webhook] = await lock(transaction, [address.tenantId, address.entityType, address.id]);
    if (webhook === undefined) throw Problem.notFound();
    if (sealedSecret === undefined && !differs(webhook, settings)) return;
    const changed = { ...webhook, ...settings };
    if (changed.isActive && !webhook.isActive) {
      if (isOwnerActive !== true) throw ownerIsInactive();
      await refuseOneMoreActive(transaction, address, rules);
    }
    await write(transaction, [...columnsOf(changed), ...secretColumnsOf(sealedSecret)]);
    if (webhook.isActive && !changed.isActive) await cancelOpenCallouts(transaction, [webhook.key]);
  });
}

const markDeleted = statement(
  'webhook_mark_deleted',
  `UPDATE webhooks SET deleted_at = now(), is_active = false, version = version + 1, updated_at = now() WHERE key = $1`,
);

const deleteChildren = statement(
  'webhook_delete_children',
  `WITH f AS (DELETE FROM webhook_fields WHERE webhook_key = $1),
     u AS (DELETE FROM webhook_udf_fields WHERE webhook_key = $1)
   DELETE FROM webhook_excluded_resources WHERE webhook_key = $1`,
);

/**
 * Deletes a webhook: its row stays, for its last call and so that its id is never used again; its children go.
 * @throws a Problem 404 without such a webhook.
 */
export async function removeWebhook(pool: Pool, { tenantId, entityType, id }: WebhookAddress): Promise<void> {
  await inTransaction(pool, async (transaction) => {
    const [webhook] = await lock(transaction, [tenantId, entityType, id]);
    if (webhook === undefined) throw Problem.notFound();
    await markDeleted(transaction, [webhook.key]);
    await deleteChildren(transaction, [webhook.key]);
    await cancelOpenCallouts(transaction, [webhook.key]);
  });
}

function differs(webhook: WebhookSettings, settings: Partial<WebhookSettings>): boolean {
  return (Object.keys(settings) as (keyof WebhookSettings)[]).some((key) => settings[key] !== webhook[key]);
}

function columnsOf(webhook: LockedWebhook): unknown[] {
  return [
    webhook.key,
    webhook.name,
    webhook.webhookUrl,
    webhook.deactivationUrl,
    webhook.isActive,
    webhook.isSubscribedToCreateEvents,
    webhook.isSubscribedToUpdateEvents,
    webhook.isSubscribedToDeleteEvents,
    webhook.notificationEmailAddress,
    webhook.sendThresholdExceededNotification,
  ];
}

function secretColumnsOf(sealed: SealedSecret | undefined): unknown[] {
  return sealed === undefined ? [null, null, null] : [sealed.keyId, sealed.nonce, sealed.ciphertext];
}
