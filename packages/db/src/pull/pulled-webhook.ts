import type { Client } from '../connection/database.ts';
import { statement } from '../connection/statement/statement.ts';
import type { WebhookAddress } from '../webhooks/webhook-address.ts';

/** A webhook whose callouts a program asks for. */
export interface PulledWebhook {
  webhookKey: number;
  isActive: boolean;
  /** Whether its callouts are fetched. */
  isPulled: boolean;
  /** Whether the call that tells of its deactivation is. */
  isDeactivationPulled: boolean;
}

// A deleted webhook is there as long as the call that tells of it can be fetched, or a callout of it acknowledged.
const find = statement<PulledWebhook>(
  'pull_find_webhook',
  `SELECT w.key AS "webhookKey", w.is_active AS "isActive", w.webhook_url = 'pull:' AS "isPulled",
     w.deactivation_url = 'pull:' AS "isDeactivationPulled"
   FROM webhooks w WHERE (w.tenant_id, w.entity_type, w.id) = ($1, $2, $3)
     AND (w.deleted_at IS NULL OR w.deactivation_url = 'pull:' AND EXISTS (
       SELECT FROM open_callouts o WHERE o.webhook_key = w.key AND o.kind <> 'event')
       OR EXISTS (SELECT FROM pull_leases p WHERE p.webhook_key = w.key AND p.outcome IS NULL))`,
);

/**
 * The webhook; undefined without one. One that was deleted is found until the call that tells of it, and all that was
 * fetched, has ended.
 */
export async function findPulledWebhook(
  client: Client,
  { tenantId, entityType, id }: WebhookAddress,
): Promise<PulledWebhook | undefined> {
  return (await find(client, [tenantId, entityType, id]))[0];
}
