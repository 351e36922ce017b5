import type { Pool } from 'pg';
import { inTransaction } from '@callout/database/connection/transaction/transaction';
import { statement } from '@callout/database/connection/statement/statement';
import { holdTenant } from '@callout/database/connection/transaction/served-tenant';
import { cancelSoon } from '../deactivate/cancel.ts';
import { deactivateWebhooks } from '../deactivate/deactivation.ts';

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

const lockExpired = statement<{ key: number }>(
  'pull_lock_expired',
  `SELECT key FROM webhooks WHERE expires_at <= now() AND expires_at IS NOT NULL AND deleted_at IS NULL
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
    const keys = (await lockExpired(transaction, [limit])).map(({ key }) => key);
    if (keys.length === 0) return { dueWebhookKeys: [] };
    await dropChildren(transaction, [keys]);
    return deactivateWebhooks(transaction, { webhookKeys: keys, cause: 'deleted', actorResourceId: null });
  });
  await cancelSoon(pool, due.dueWebhookKeys);
  return due.dueWebhookKeys;
}
