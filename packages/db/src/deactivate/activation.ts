import { Problem } from '@callout/core/errors';
import type { SharedTransaction } from '../connection/transaction/shared-transaction.ts';
import { statement } from '../connection/statement/statement.ts';
import { lockCounter } from '../webhooks/counters.ts';
import { lockResources } from '../webhooks/references.ts';
import type { WebhookAddress } from '../webhooks/webhook-address.ts';

/** How many webhooks of one tenant and entity may be active, and the counter whose lock keeps the count. */
export interface ActivationRules {
  webhookCollection: string;
  maxActivePerEntity: number;
}

/** `conflict`: the owner's mail address and rights are what an active webhook depends on. */
export function ownerIsInactive(): Problem {
  return Problem.conflict(
    'isActive must be false: the resource that owns this webhook is not active; activate it first, by PATCH /Resources',
    'isActive',
  );
}

/** `conflict`, in words that say what to do. */
function tooManyActive(active: number, { webhookCollection, maxActivePerEntity }: ActivationRules): Problem {
  return Problem.conflict(
    `${webhookCollection} may have ${maxActivePerEntity} active webhooks and has ${active}: deactivate one first, or ask the operator for more (MAX_ACTIVE_WEBHOOKS_PER_ENTITY)`,
    'isActive',
  );
}

/**
 * Takes what must be locked before the row of a webhook that may become active: the counter of its collection, so that
 * the active ones can be counted, and then its owner. A transaction that deactivates the owner waits until this one
 * ends, and then deactivates this webhook too.
 * @returns whether the owner is active; false without such a webhook.
 */
export async function lockForActivation(
  { models, sets }: SharedTransaction,
  { tenantId, entityType, id }: WebhookAddress,
  { webhookCollection }: ActivationRules,
): Promise<boolean> {
  await lockCounter(sets, tenantId, webhookCollection);
  // Owners never change, so the webhook itself need not be locked to know who it is.
  const webhook = await models.webhook.findUnique({
    where: { tenantId_entityType_id: { tenantId, entityType, id } },
    select: { ownerResourceId: true },
  });
  if (webhook === null) return false;
  const owners = await lockResources(sets, tenantId, [webhook.ownerResourceId]);
  return owners.get(webhook.ownerResourceId)?.isActive === true;
}

/**
 * Throws a Problem `conflict` when as many webhooks of an entity are active as may be, but for the one with this id.
 * Needs the lock of their counter, which all who make a webhook active take: the count holds until the transaction ends.
 */
export async function refuseOneMoreActive(
  { models }: SharedTransaction,
  { tenantId, entityType, id }: WebhookAddress,
  rules: ActivationRules,
): Promise<void> {
  const where = { tenantId, entityType, id: { not: id }, isActive: true, deletedAt: null };
  const active = await models.webhook.count({ where });
  if (active >= rules.maxActivePerEntity) throw tooManyActive(active, rules);
}

// Not a model: the clock of the database decides which events came before, to the microsecond, whichever process took
// them.
const mark = statement('activation_mark', 'UPDATE webhooks SET activated_at = now() WHERE key = $1');

/** Notes that a webhook has become active now. */
export async function markActivated({ sets }: SharedTransaction, webhookKey: number | bigint): Promise<void> {
  await mark(sets, [webhookKey]);
}
