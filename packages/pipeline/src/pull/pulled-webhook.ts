import type { Client } from '@callout/database/connection/database';
import { statement } from '@callout/database/connection/statement/statement';
import type { WebhookAddress } from '@callout/database/tables/locked-webhook';

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
