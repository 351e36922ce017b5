import { byService } from '@callout/domain/changes/actor';
import { fieldChanges } from '@callout/domain/changes/field-changes';
import type { Database } from '@callout/database/connection/database';
import { statementFrom } from '@callout/database/connection/statement/statement';
import { inTransaction } from '@callout/database/connection/transaction/transaction';
import { cancelSoon } from '@callout/pipeline/deactivate/cancel';
import { deactivateWebhooks } from '@callout/pipeline/deactivate/deactivation';
import { valuesOfWebhook, webhookRowOf } from './webhook-values.ts';

const lockExpired = statementFrom<{ key: number; row: Readonly<Record<string, unknown>> }>(
  'webhooks:webhooks_lock_expired',
);

const dropChildren = statementFrom('webhooks:webhooks_drop_children');

/**
 * Deletes webhooks whose programs have not fetched for the time they declared, in the same way as a user does.
 * @returns webhooks whose deactivation call is due.
 */
export async function deleteExpiredWebhooks(pool: Database['pool'], limit: number): Promise<number[]> {
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
