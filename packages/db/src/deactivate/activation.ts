import { Problem } from '@callout/core';
import { lockCounter } from '../webhooks/counters.ts';
import type { Transaction } from '../connection/database.ts';
import { statement } from '../connection/statement.ts';
import type { WebhookAddress } from '../webhooks/webhook-address.ts';

/** How many webhooks of one tenant and entity may be active, and the counter whose lock keeps the count. */
export interface ActivationRules {
  webhookCollection: string;
  maxActivePerEntity: number;
}

/** 409: the owner's mail address and rights are what an active webhook depends on. */
export function ownerIsInactive(): Problem {
  return Problem.conflict('isActive must be false: the resource that owns this webhook is not active', 'isActive');
}

/** 409, in words that say what to do. */
export function tooManyActive(active: number, { webhookCollection, maxActivePerEntity }: ActivationRules): Problem {
  return Problem.conflict(
    `${webhookCollection} may have ${maxActivePerEntity} active webhooks and has ${active}: deactivate one first`,
    'isActive',
  );
}

// Owners never change, so the webhook itself need not be locked to know whose turn it is. Whoever deactivates the owner
// waits until this transaction ends, and then deactivates this webhook too.
const lockOwner = statement<{ isActive: boolean }>(
  'activation_lock_owner',
  `SELECT r.is_active AND r.deleted_at IS NULL AS "isActive"
   FROM webhooks w JOIN resources r ON (r.tenant_id, r.id) = (w.tenant_id, w.owner_resource_id)
   WHERE (w.tenant_id, w.entity_type, w.id) = ($1, $2, $3) FOR SHARE OF r`,
);

const countOthers = statement<{ active: number }>(
  'activation_count_others',
  `SELECT count(*) AS active FROM webhooks
   WHERE tenant_id = $1 AND entity_type = $2 AND id <> $3 AND is_active AND deleted_at IS NULL`,
);

/**
 * Takes what must be locked before the row of a webhook that may become active: the counter of its collection, so that
 * the active ones can be counted, and then its owner.
 * @returns whether the owner is active; undefined without such a webhook.
 */
export async function lockForActivation(
  transaction: Transaction,
  { tenantId, entityType, id }: WebhookAddress,
  { webhookCollection }: ActivationRules,
): Promise<boolean | undefined> {
  await lockCounter(transaction, tenantId, webhookCollection);
  const [owner] = await lockOwner(transaction, [tenantId, entityType, id]);
  return owner?.isActive;
}

/** Throws a Problem 409 when as many others of its entity are active as may be. Needs the lock of their counter. */
export async function refuseOneMoreActive(
  transaction: Transaction,
  { tenantId, entityType, id }: WebhookAddress,
  rules: ActivationRules,
): Promise<void> {
  const [others] = await countOthers(transaction, [tenantId, entityType, id]);
  const active = others?.active ?? 0;
  if (active >= rules.maxActivePerEntity) throw tooManyActive(active, rules);
}
