import { byService } from '@callout/domain/changes/actor';
import { fieldChanges } from '@callout/domain/changes/field-changes';
import { valuesOfWebhook, webhookRowOf } from '@callout/database/changes/webhook-values';
import type { Client } from '@callout/database/connection/database';
import { statementFrom } from '@callout/database/connection/statement/statement';
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

const find = statementFrom<PulledWebhook>('pull/pull_find_webhook');

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

const extend = statementFrom<{ tenantId: number }>('pull/pull_extend_life');

/** Sets the time after which the webhook is deleted when its callouts are not fetched. */
export async function extendLife(pool: Pool, webhookKey: number, forMs: number): Promise<void> {
  await inTransaction(pool, async (transaction) => {
    for (const { tenantId } of await extend(transaction, [webhookKey, forMs])) await holdTenant(transaction, tenantId);
  });
}

const lockExpired = statementFrom<{ key: number; row: Readonly<Record<string, unknown>> }>('pull/pull_lock_expired');

const dropChildren = statementFrom('pull/pull_drop_children');

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
