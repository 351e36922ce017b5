import type { Problem } from '@callout/domain/problem';
import type { SharedTransaction } from '@callout/database/connection/transaction/shared-transaction';
import { statement } from '@callout/database/connection/statement/statement';
import { lockCounter } from '@callout/database/counters';
import type { WebhookAddress } from '@callout/database/locked-webhook';
import type { Activation, CreationRefusal } from './webhook-change.rules.ts';

/** How many webhooks of one tenant and entity may be active, and the counter whose lock guards that count. */
export interface ActivationRules {
  webhookCollection: string;
  maxActivePerEntity: number;
  /** Puts a refusal into words for the sender of the change. */
  refused: (refusal: CreationRefusal) => Problem;
}

// Owners never change, so the owner is read without the lock on the webhook, which comes later.
const lockOwner = statement<{ isActive: boolean }>(
  'activation_lock_owner',
  `SELECT r.is_active AS "isActive" FROM resources r
   WHERE r.deleted_at IS NULL AND (r.tenant_id, r.id) = (
     SELECT tenant_id, owner_resource_id FROM webhooks WHERE (tenant_id, entity_type, id) = ($1, $2, $3)
   ) FOR SHARE`,
  'resources',
);

/**
 * Locks what comes before the row of a webhook that may become active: the counter of its collection, so that the
 * active ones can be counted, and then its owner. A transaction that deactivates the owner waits until this one
 * ends, and then deactivates this webhook too.
 */
export async function lockForActivation(
  { models, sets }: SharedTransaction,
  address: WebhookAddress,
  rules: ActivationRules,
): Promise<Activation> {
  const { tenantId, entityType, id } = address;
  await lockCounter(sets, tenantId, rules.webhookCollection);
  const [owner] = await lockOwner(sets, [tenantId, entityType, id]);
  return activationOf(models, address, rules, owner?.isActive === true);
}

/** Needs the locks of the counter, which everything that activates a webhook holds, and of the owner. */
export async function activationOf(
  models: SharedTransaction['models'],
  { tenantId, entityType, id }: WebhookAddress,
  { maxActivePerEntity }: ActivationRules,
  isOwnerActive: boolean,
): Promise<Activation> {
  const where = { tenantId, entityType, id: { not: id }, isActive: true, deletedAt: null };
  return { isOwnerActive, otherActive: await models.webhook.count({ where }), maxActive: maxActivePerEntity };
}

// Not a Prisma model: the clock of the database decides which events came before, to the microsecond, whichever process
// accepted them.
const mark = statement('activation_mark', 'UPDATE webhooks SET activated_at = now() WHERE key = $1');

/** Stores that a webhook has become active now. */
export async function markActivated({ sets }: SharedTransaction, webhookKey: number | bigint): Promise<void> {
  await mark(sets, [webhookKey]);
}
