import type { Client } from '@callout/database/connection/database';
import { statementFrom } from '@callout/database/connection/statement/statement';
import type { WebhookAddress } from '@callout/database/locked-webhook';
import type { Pool } from 'pg';
import { inTransaction } from '@callout/database/connection/transaction/transaction';
import { holdTenant } from '@callout/database/connection/transaction/served-tenant';

/** A webhook for which a program requests callouts. */
export interface PulledWebhook {
  webhookKey: number;
  isActive: boolean;
  /** Whether callouts are fetched. */
  isPulled: boolean;
  /** Whether the deactivation call is fetched. */
  isDeactivationPulled: boolean;
}

const find = statementFrom<PulledWebhook>('pull/pull_find_webhook');

/**
 * The webhook; undefined when the webhook does not exist. A deleted webhook is found until the deactivation call, and all
 * fetched callouts, have ended.
 */
export async function findPulledWebhook(
  client: Client,
  { tenantId, entityType, id }: WebhookAddress,
): Promise<PulledWebhook | undefined> {
  return (await find(client, [tenantId, entityType, id]))[0];
}

const extend = statementFrom<{ tenantId: number }>('pull/pull_extend_life');

/** Sets the time after which the webhook is deleted when no program fetches. */
export async function extendLife(pool: Pool, webhookKey: number, forMs: number): Promise<void> {
  await inTransaction(pool, async (transaction) => {
    for (const { tenantId } of await extend(transaction, [webhookKey, forMs])) await holdTenant(transaction, tenantId);
  });
}
