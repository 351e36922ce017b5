import { isReady, Problem, type SealedSecret, type WebhookSettings } from '@callout/core';
import type { Pool } from 'pg';
import {
  lockForActivation,
  ownerIsInactive,
  refuseOneMoreActive,
  type ActivationRules,
} from '../deactivate/activation.ts';
import { inTransaction, type Transaction } from '../connection/database.ts';
import { deactivateWebhooks } from '../deactivate/deactivation.ts';
import { cancelSoon } from '../deactivate/cancel.ts';
import { statement } from '../connection/statement.ts';
import type { WebhookAddress } from './webhook-address.ts';
import { recordChanges, type HistoryChange } from './webhook-history.ts';

// Not Prisma: shutting a webhook is work on a set, which the worker does too.

/** Webhooks for which a callout has become due: the worker should be woken for them now that the change is committed. */
export interface Woken {
  wokenWebhookKeys: number[];
}

/** Settings to change, and the new secret where there is one, sealed. */
export interface WebhookChange {
  settings: Partial<WebhookSettings>;
  sealedSecret?: SealedSecret | undefined;
}

interface LockedWebhook extends WebhookSettings {
  key: number;
  /** It is shut, and what was open then is not cancelled yet. */
  isCancelling: boolean;
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
     send_threshold_exceeded_notification AS "sendThresholdExceededNotification", is_cancelling AS "isCancelling"
   FROM webhooks WHERE (tenant_id, entity_type, id) = ($1, $2, $3) AND deleted_at IS NULL FOR NO KEY UPDATE`,
);

// The database's clock decides which events came before the activation, whichever process took them. A secret that is
// changed here has no overlap: the one before is gone at once, and so is one that a rotation still kept.
const write = statement(
  'webhook_write',
  `UPDATE webhooks SET name = $2, webhook_url = $3, deactivation_url = $4, is_active = $5,
     is_subscribed_to_create_events = $6, is_subscribed_to_update_events = $7, is_subscribed_to_delete_events = $8,
     notification_email_address = $9, send_threshold_exceeded_notification = $10,
     secret_key_id = coalesce($11, secret_key_id), secret_nonce = coalesce($12, secret_nonce),
     secret_ciphertext = coalesce($13, secret_ciphertext),
     previous_secret_key_id = CASE WHEN $11::text IS NULL THEN previous_secret_key_id END,
     previous_secret_nonce = CASE WHEN $11 IS NULL THEN previous_secret_nonce END,
     previous_secret_ciphertext = CASE WHEN $11 IS NULL THEN previous_secret_ciphertext END,
     previous_secret_until = CASE WHEN $11 IS NULL THEN previous_secret_until END,
     activated_at = CASE WHEN $5 AND NOT is_active THEN now() ELSE activated_at END,
     version = version + 1, updated_at = now()
   WHERE key = $1`,
);

/**
 * Changes a webhook, for a resource. What is as it was before is no change, and makes no new version.
 * @throws a Problem: 404 without such a webhook, 409 when it may not become active.
 */
export async function updateWebhook(
  pool: Pool,
  address: WebhookAddress,
  { settings, sealedSecret }: WebhookChange,
  rules: ActivationRules,
  actorResourceId: number | null,
): Promise<Woken> {
  const mayActivate = settings.isActive === true;
  if (mayActivate) await cancelFirst(pool, address);
  const woken = await inTransaction(pool, async (transaction) => {
    const isOwnerActive = mayActivate ? await lockForActivation(transaction, address, rules) : undefined;
    const [before] = await lock(transaction, [address.tenantId, address.entityType, address.id]);
    if (before === undefined) throw Problem.notFound();
    const { key } = before;
    const after = { ...before, ...settings };
    if (after.isActive && !before.isActive) {
      if (before.isCancelling) throw stillCancelling();
      if (isOwnerActive !== true) throw ownerIsInactive();
      await refuseOneMoreActive(transaction, address, rules);
      await forgetHealth(transaction, [key]);
    }
    const isShut = before.isActive && !after.isActive;
    // The rest is written first: the deactivation call goes to the address as it is now.
    const written = isShut ? { ...after, isActive: true } : after;
    if (sealedSecret !== undefined || differs(before, written)) {
      await write(transaction, [...columnsOf(written), ...secretColumnsOf(sealedSecret)]);
      const entry = { tenantId: address.tenantId, webhookKey: key, cause: 'user', actorResourceId } as const;
      const changes = await changesBetween(transaction, before, written);
      await recordChanges(
        transaction,
        changes.map((change) => ({ ...entry, change })),
      );
    }
    if (!isShut) return { wokenWebhookKeys: [] };
    return deactivateWebhooks(transaction, { webhookKeys: [key], cause: 'user', actorResourceId });
  });
  await cancelSoon(pool, woken.wokenWebhookKeys);
  return woken;
}

const findCancelling = statement<{ key: number }>(
  'webhook_find_cancelling',
  'SELECT key FROM webhooks WHERE (tenant_id, entity_type, id) = ($1, $2, $3) AND is_cancelling',
);

/** What was open when the webhook was shut would go out again with its activation. */
async function cancelFirst(pool: Pool, { tenantId, entityType, id }: WebhookAddress): Promise<void> {
  const found = await findCancelling(pool, [tenantId, entityType, id]);
  await cancelSoon(
    pool,
    found.map(({ key }) => key),
  );
}

/** 409: there are more than a caller can wait for. */
function stillCancelling(): Problem {
  return Problem.conflict(
    'isActive must stay false for a moment: the callouts that were open when the webhook was deactivated are still being cancelled; try again in a few seconds',
    'isActive',
  );
}

// A webhook that is activated anew begins with a clean slate: no failures counted, no pause.
const forgetHealth = statement('webhook_forget_health', 'DELETE FROM webhook_health WHERE webhook_key = $1');

const hasFieldRecords = statement<{ fields: boolean; udfFields: boolean }>(
  'webhook_has_field_records',
  `SELECT EXISTS (SELECT FROM webhook_fields WHERE webhook_key = $1) AS fields,
     EXISTS (SELECT FROM webhook_udf_fields WHERE webhook_key = $1) AS "udfFields"`,
);

/** What an update that shuts nothing does to active and ready. */
async function changesBetween(
  transaction: Transaction,
  before: LockedWebhook,
  after: LockedWebhook,
): Promise<HistoryChange[]> {
  const changes: HistoryChange[] = after.isActive && !before.isActive ? ['activated'] : [];
  // A statement of its own, after the lock: no child comes or goes any more.
  const [has] = await hasFieldRecords(transaction, [after.key]);
  const readyWith = (webhook: LockedWebhook): boolean =>
    isReady({
      fields: has?.fields === true ? [true] : [],
      udfFields: has?.udfFields === true ? [true] : [],
      onCreate: webhook.isSubscribedToCreateEvents,
      onUpdate: webhook.isSubscribedToUpdateEvents,
      onDelete: webhook.isSubscribedToDeleteEvents,
    });
  const isReadyNow = readyWith(after);
  if (isReadyNow !== readyWith(before)) changes.push(isReadyNow ? 'ready' : 'notReady');
  return changes;
}

const deleteChildren = statement(
  'webhook_delete_children',
  `WITH f AS (DELETE FROM webhook_fields WHERE webhook_key = $1),
     u AS (DELETE FROM webhook_udf_fields WHERE webhook_key = $1)
   DELETE FROM webhook_excluded_resources WHERE webhook_key = $1`,
);

/**
 * Deletes a webhook, for a resource: its row stays, for its last call and so that its id is never used again; its children
 * go.
 * @throws a Problem 404 without such a webhook.
 */
export async function removeWebhook(
  pool: Pool,
  { tenantId, entityType, id }: WebhookAddress,
  actorResourceId: number | null,
): Promise<Woken> {
  const woken = await inTransaction(pool, async (transaction) => {
    const [webhook] = await lock(transaction, [tenantId, entityType, id]);
    if (webhook === undefined) throw Problem.notFound();
    await deleteChildren(transaction, [webhook.key]);
    return deactivateWebhooks(transaction, { webhookKeys: [webhook.key], cause: 'deleted', actorResourceId });
  });
  await cancelSoon(pool, woken.wokenWebhookKeys);
  return woken;
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
