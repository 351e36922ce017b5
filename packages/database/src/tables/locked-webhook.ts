import { Problem } from '@callout/domain/problem/problem';
import type { Transaction } from '../connection/database.ts';
import { statement } from '../connection/statement/statement.ts';
import { tenantIsMoving } from './tenant-is-moving.ts';
import type { WebhookAddress } from './webhook-address.ts';

/** A webhook whose row this transaction has locked: nothing adds, reopens or cancels callouts of it meanwhile. */
export interface LockedWebhook {
  key: number;
  guid: string;
  isActive: boolean;
  /** Whether its tenant is being moved to another zone. */
  isMoving: boolean;
  /** When the transaction began, by the database's clock. */
  now: Date;
}

const lock = statement<LockedWebhook>(
  'webhook_lock',
  `SELECT key, guid, is_active AS "isActive", is_moving AS "isMoving", now() AS now FROM webhooks
   WHERE (tenant_id, entity_type, id) = ($1, $2, $3) AND deleted_at IS NULL FOR NO KEY UPDATE`,
  'webhooks',
);

/**
 * Locks the row of a webhook, as match does before it stores callouts: match is either before this transaction, which
 * then sees its callouts, or after it, and then finds another version. Callouts of the webhook can still be claimed,
 * settled and released meanwhile: a transaction that changes open callouts locks those as well.
 * @throws a Problem: `notFound` without such a webhook, `unavailable` while its tenant is being moved.
 */
export async function lockWebhook(
  transaction: Transaction,
  { tenantId, entityType, id }: WebhookAddress,
): Promise<LockedWebhook> {
  const [webhook] = await lock(transaction, [tenantId, entityType, id]);
  if (webhook === undefined) throw Problem.notFound();
  if (webhook.isMoving) throw tenantIsMoving();
  return webhook;
}

/** As lockWebhook; throws a Problem `conflict` when the webhook is inactive, since nothing is sent to it. */
export async function lockActiveWebhook(transaction: Transaction, address: WebhookAddress): Promise<LockedWebhook> {
  const webhook = await lockWebhook(transaction, address);
  if (!webhook.isActive) throw Problem.conflict('The webhook is not active: PATCH it with "isActive": true first');
  return webhook;
}
