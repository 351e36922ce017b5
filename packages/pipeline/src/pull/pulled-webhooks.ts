import { byService } from '@callout/domain/changes/actor';
import { fieldChanges } from '@callout/domain/changes/field-changes';
import { valuesOfWebhook, webhookRowOf } from '@callout/database/changes/webhook-values';
import type { Client } from '@callout/database/connection/database';
import { statement } from '@callout/database/connection/statement/statement';
import type { WebhookAddress } from '@callout/database/locked-webhook';
import type { Pool } from 'pg';
import { inTransaction } from '@callout/database/connection/transaction/transaction';
import { holdTenant } from '@callout/database/connection/transaction/served-tenant';
import { cancelSoon } from '../deactivate/cancel.ts';
import { deactivateWebhooks } from '../deactivate/deactivation.ts';

/** A webhook for which a program requests callouts. */
export interface PulledWebhook {
  webhookKey: number;
  isActive: boolean;
  /** Whether its callouts are fetched. */
  isPulled: boolean;
  /** Whether its deactivation call is fetched. */
  isDeactivationPulled: boolean;
}

// A deleted webhook is found as long as its deactivation call can be fetched, or a callout of it acknowledged.
const find = statement<PulledWebhook>(
  'pull_find_webhook',
  `SELECT w.key AS "webhookKey", w.is_active AS "isActive", w.delivery_mode = 'pull' AS "isPulled",
     w.deactivation_mode = 'pull' AS "isDeactivationPulled"
   FROM webhooks w WHERE (w.tenant_id, w.entity_type, w.id) = ($1, $2, $3)
     AND (w.deleted_at IS NULL OR w.deactivation_mode = 'pull' AND EXISTS (
       SELECT FROM open_callouts o WHERE o.webhook_key = w.key AND o.kind <> 'event')
       OR EXISTS (SELECT FROM pull_leases p WHERE p.webhook_key = w.key AND p.outcome IS NULL))`,
);

/**
 * The webhook; undefined when it does not exist. A deleted one is found until its deactivation call, and all callouts
 * that were fetched, have ended.
 */
export async function findPulledWebhook(
  client: Client,
  { tenantId, entityType, id }: WebhookAddress,
): Promise<PulledWebhook | undefined> {
  return (await find(client, [tenantId, entityType, id]))[0];
}

const extend = statement<{ tenantId: number }>(
  'pull_extend_life',
  `UPDATE webhooks SET expires_at = now() + $2::double precision * interval '1 millisecond'
   WHERE key = $1 AND deleted_at IS NULL RETURNING tenant_id AS "tenantId"`,
);

/** Sets the time after which the webhook is deleted when its callouts are not fetched. */
export async function extendLife(pool: Pool, webhookKey: number, forMs: number): Promise<void> {
  await inTransaction(pool, async (transaction) => {
    for (const { tenantId } of await extend(transaction, [webhookKey, forMs])) await holdTenant(transaction, tenantId);
  });
}

const lockExpired = statement<{ key: number; row: Readonly<Record<string, unknown>> }>(
  'pull_lock_expired',
  `SELECT key, to_jsonb(w) AS row FROM webhooks w WHERE expires_at <= now() AND expires_at IS NOT NULL AND deleted_at IS NULL
     AND (SELECT state FROM tenants WHERE id = tenant_id) = 'active' ORDER BY key LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED`,
  'webhooks',
);

const dropChildren = statement(
  'pull_drop_children',
  `WITH fields AS (DELETE FROM webhook_fields WHERE webhook_key = ANY($1::bigint[])),
     udfs AS (DELETE FROM webhook_udf_fields WHERE webhook_key = ANY($1::bigint[]))
   DELETE FROM webhook_excluded_resources WHERE webhook_key = ANY($1::bigint[])`,
);

/**
 * Deletes webhooks whose programs have not fetched for the time they declared, in the same way as a user does.
 * @returns webhooks whose deactivation call is due.
 */
export async function deleteExpiredWebhooks(pool: Pool, limit: number): Promise<number[]> {
  const due = await inTransaction(pool, async (transaction) => {
    const expired = await lockExpired(transaction, [limit]);
    const keys = expired.map(({ key }) => key);
    if (keys.length === 0) return { dueWebhookKeys: [] };
    await dropChildren(transaction, [keys]);
    const changes = new Map(
      expired.map(({ key, row }) => [key, fieldChanges(valuesOfWebhook(webhookRowOf(row)), null)]),
    );
    const fields = (key: number) => changes.get(key) ?? [];
    return deactivateWebhooks(transaction, { webhookKeys: keys, cause: 'deleted', actor: byService, fields });
  });
  await cancelSoon(pool, due.dueWebhookKeys);
  return due.dueWebhookKeys;
}
