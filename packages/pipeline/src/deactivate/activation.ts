import { Problem } from '@callout/domain/problem/problem';
import type { SharedTransaction } from '@callout/database/connection/transaction/shared-transaction';
import { statement } from '@callout/database/connection/statement/statement';
import { lockCounter } from '@callout/database/tables/counters';
import { lockResources } from './references.ts';
import type { WebhookAddress } from '@callout/database/tables/webhook-address';

/** How many webhooks of one tenant and entity may be active, and the counter whose lock guards that count. */
export interface ActivationRules {
  webhookCollection: string;
  maxActivePerEntity: number;
}

/** `conflict`: an active webhook needs the mail address and the rights of its owner. */
export function ownerIsInactive(): Problem {
  return Problem.conflict(
    'isActive must be false: the resource that owns this webhook is not active; activate it first, by PATCH /Resources',
    'isActive',
  );
}

/** `conflict`, with what to do about it. */
function tooManyActive(active: number, { webhookCollection, maxActivePerEntity }: ActivationRules): Problem {
  return Problem.conflict(
    `${webhookCollection} may have ${maxActivePerEntity} active webhooks and has ${active}: deactivate one first, or ask the operator for more (MAX_ACTIVE_WEBHOOKS_PER_ENTITY)`,
    'isActive',
  );
}

/**
 * Locks what comes before the row of a webhook that may become active: the counter of its collection, so that the
 * active ones can be counted, and then its owner. A transaction that deactivates the owner waits until this one
 * ends, and then deactivates this webhook too.
 * @returns whether the owner is active; false when the webhook does not exist.
 */
export async function lockForActivation(
  { models, sets }: SharedTransaction,
  { tenantId, entityType, id }: WebhookAddress,
  { webhookCollection }: ActivationRules,
): Promise<boolean> {
  await lockCounter(sets, tenantId, webhookCollection);
  // Owners never change, so the owner can be read without locking the webhook.
  const webhook = await models.webhook.findUnique({
    where: { tenantId_entityType_id: { tenantId, entityType, id } },
    select: { ownerResourceId: true },
  });
  if (webhook === null) return false;
  const owners = await lockResources(sets, tenantId, [webhook.ownerResourceId]);
  return owners.get(webhook.ownerResourceId)?.isActive === true;
}

/**
 * Throws a Problem `conflict` when the entity already has its maximum of active webhooks, not counting this one.
 * Needs the lock of their counter, which everything that activates a webhook holds, so the count cannot change.
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

// Not a Prisma model: the clock of the database decides which events came before, to the microsecond, whichever process
// accepted them.
const mark = statement('activation_mark', 'UPDATE webhooks SET activated_at = now() WHERE key = $1');

/** Stores that a webhook has become active now. */
export async function markActivated({ sets }: SharedTransaction, webhookKey: number | bigint): Promise<void> {
  await mark(sets, [webhookKey]);
}
