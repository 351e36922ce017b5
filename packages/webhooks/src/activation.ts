import type { Problem } from '@callout/domain/problem';
import type { SharedTransaction } from '@callout/database/connection/transaction/shared-transaction';
import { statementFrom } from '@callout/database/connection/statement/statement';
import { lockCounter } from '@callout/database/counters';
import type { WebhookAddress } from '@callout/database/locked-webhook';
import type { Activation, CreationRefusal } from './webhook-change.rules.ts';

/** How many webhooks of a tenant and entity may be active, and the counter whose lock guards the count. */
export interface ActivationRules {
  webhookCollection: string;
  maxActivePerEntity: number;
  /** Puts a refusal into words for the sender of the change. */
  refused: (refusal: CreationRefusal) => Problem;
}

const lockOwner = statementFrom<{ isActive: boolean }>('webhooks:activation_lock_owner');

/**
 * Locks what comes before the row of a webhook that may become active: the counter of the collection, so that active
 * webhooks can be counted, and then the owner. A transaction that deactivates the owner waits until the activation has
 * ended, and then deactivates the webhook too.
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

const mark = statementFrom('webhooks:activation_mark');

/** Stores that a webhook has become active now. */
export async function markActivated({ sets }: SharedTransaction, webhookKey: number | bigint): Promise<void> {
  await mark(sets, [webhookKey]);
}
