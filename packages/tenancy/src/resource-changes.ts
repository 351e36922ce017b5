import type { Actor } from '@callout/domain/changes/actor';
import { fieldChanges } from '@callout/domain/changes/field-changes';
import { Problem } from '@callout/domain/problem';
import type { FieldValues } from '@callout/domain/values/values';
import { recordChanges } from '@callout/database/changes/record-changes';
import type { Database, Transaction } from '@callout/database/connection/database';
import type { RowWatch } from '@callout/database/row-watch';
import type { Resource } from '@callout/database/generated/client';
import { statementFrom } from '@callout/database/connection/statement/statement';
import { cancelSoon } from '@callout/pipeline/deactivate/cancel';
import { deactivateWebhooks } from '@callout/pipeline/deactivate/deactivation';
import type { DueWebhooks } from '@callout/webhooks/webhook-changes';
import { nextVersion } from '@callout/webhooks/webhook-columns';
import { storedResource, type StoredResource } from './resources.ts';
import { valuesOfResource } from './configuration-values.ts';

/** Where resources are changed, and where the callouts of webhooks that were deactivated with them are cancelled. */
type Databases = Pick<Database, 'transaction' | 'pool'>;

/**
 * Changes values and rights of a resource. When the resource becomes inactive, so do its webhooks.
 * @throws a Problem: `notFound` without the resource, `conflict` when a resource would deactivate the tenant's last
 * admin.
 */
export async function updateResource(
  { transaction, pool }: Databases,
  tenantId: number,
  id: number,
  changes: FieldValues,
  actor: Actor,
  watch?: RowWatch<StoredResource>,
  rights: { readonly canCreateWebhooks?: boolean } = {},
): Promise<DueWebhooks> {
  const due = await transaction(tenantId, async ({ models, sets }) => {
    const becomesInactive = changes['isActive'] !== undefined && changes['isActive'] !== 'true';
    if (becomesInactive && actor.kind !== 'operator') await keepAnAdmin(sets, tenantId, id);
    await lockResource(sets, tenantId, id);
    const where = { tenantId_id: { tenantId, id } };
    const resource = await models.resource.findUniqueOrThrow({ where });
    watch?.before?.(storedResource(resource));
    const { email, isActive, ...fields } = changes;
    const becomes = {
      email: email ?? resource.email,
      isActive: isActive === undefined ? resource.isActive : isActive === 'true',
      // Written here and by the store of resources alone, from values in wire form.
      fields: { ...(resource.fields as FieldValues), ...fields },
    };
    // First, so notifications go to the present address.
    const changed = await models.resource.update({ where, data: { ...becomes, ...rights } });
    watch?.after?.(storedResource(changed));
    await recordResource(sets, resource, changed, actor);
    if (!resource.isActive || becomes.isActive) return { dueWebhookKeys: [] };
    // Otherwise sessions would count again when the resource is activated again.
    await models.consoleSession.deleteMany({ where: { tenantId, resourceId: id } });
    const owned = await lockOwned(sets, [tenantId, id]);
    return deactivateWebhooks(sets, {
      webhookKeys: owned.map(({ key }) => key),
      cause: 'ownerDeactivated',
      actor,
    });
  });
  await cancelSoon(pool, due.dueWebhookKeys);
  return due;
}

/**
 * Deletes a resource, also with webhooks: the webhooks become inactive, and exclusions of the resource are deleted.
 * @throws a Problem: `notFound` without the resource, `conflict` when a resource would delete the tenant's last admin.
 */
export async function removeResource(
  { transaction, pool }: Databases,
  tenantId: number,
  id: number,
  actor: Actor,
  watch?: Pick<RowWatch<StoredResource>, 'before'>,
): Promise<DueWebhooks> {
  const due = await transaction(tenantId, async ({ models, sets }) => {
    if (actor.kind !== 'operator') await keepAnAdmin(sets, tenantId, id);
    const { now } = await lockResource(sets, tenantId, id);
    const where = { tenantId_id: { tenantId, id } };
    const resource = await models.resource.findUniqueOrThrow({ where });
    watch?.before?.(storedResource(resource));
    await models.resource.update({ where, data: { isActive: false, deletedAt: now } });
    await recordResource(sets, resource, null, actor);
    await models.consoleSession.deleteMany({ where: { tenantId, resourceId: id } });
    const webhooks = await lockConcerned(sets, [tenantId, id]);
    const excluding = webhooks.filter(({ excludesIt }) => excludesIt).map(({ key }) => key);
    await models.webhook.updateMany({ where: { key: { in: excluding } }, data: nextVersion(now) });
    const exclusions = { where: { tenantId, resourceId: id } };
    const excluded = await models.webhookExcludedResource.findMany({ ...exclusions, orderBy: { webhookKey: 'asc' } });
    await models.webhookExcludedResource.deleteMany(exclusions);
    await recordChanges(
      sets,
      excluded.map(({ id: entityId, webhookKey }) => ({
        tenantId,
        entity: 'webhookExcludedResource',
        webhookKey,
        entityId,
        action: 'deleted',
        actor,
        cause: 'resourceDeleted',
        fields: [{ field: 'resourceID', from: id, to: null }],
      })),
    );
    return deactivateWebhooks(sets, {
      webhookKeys: webhooks.filter(({ isOwned }) => isOwned).map(({ key }) => key),
      cause: 'ownerDeleted',
      actor,
    });
  });
  await cancelSoon(pool, due.dueWebhookKeys);
  return due;
}

/** Records a change of a resource; `after` null: it is deleted. */
async function recordResource(
  transaction: Transaction,
  before: Resource,
  after: Resource | null,
  actor: Actor,
): Promise<void> {
  const { tenantId, id: entityId } = before;
  const fields = fieldChanges(valuesOfResource(before), after && valuesOfResource(after));
  const action = after === null ? 'deleted' : 'updated';
  await recordChanges(transaction, [{ tenantId, entity: 'resource', entityId, action, actor, fields }]);
}

// In order of the id, and before any other lock: of two admins who deactivate each other, the second waits here and
// then finds the first gone. No lock of the file is FOR UPDATE: a foreign key of a row that another transaction adds,
// such as from a webhook to the owner, waits for no such lock, and closes no circle of locks.
const lockWithAdmins = statementFrom<{ id: number; isAdmin: boolean }>('tenancy:resource_lock_with_admins');

/**
 * Locks the resource, too: all transactions lock resources in one order.
 * @throws a Problem `conflict` when the tenant would have no admin left that can sign in.
 */
async function keepAnAdmin(transaction: Transaction, tenantId: number, id: number): Promise<void> {
  const admins = (await lockWithAdmins(transaction, [tenantId, id])).filter(({ isAdmin }) => isAdmin);
  if (admins.length !== 1 || admins[0]?.id !== id) return;
  throw Problem.conflict(
    `Resource ${id} is the only active one with an admin credential: without it the tenant could not manage its ` +
      'resources any more. Activate another admin first, or ask an operator.',
  );
}

const lock = statementFrom<{ now: Date }>('tenancy:resource_lock');

/**
 * Locks a resource for change or deletion, before any webhook. A transaction that activates or excludes a webhook of
 * the resource takes a share of the lock: such a transaction has either committed, and the changes are seen here, or
 * waits and then sees the changes made here.
 * @returns when the transaction began, by the database's clock.
 * @throws a Problem `notFound` without the resource.
 */
async function lockResource(transaction: Transaction, tenantId: number, id: number): Promise<{ now: Date }> {
  const [resource] = await lock(transaction, [tenantId, id]);
  if (resource === undefined) throw Problem.notFound();
  return resource;
}

// Both in order of the key, as everywhere that webhooks are locked. Inactive ones stay as they are.
const lockOwned = statementFrom<{ key: number }>('tenancy:resource_lock_owned');

const lockConcerned = statementFrom<{ key: number; isOwned: boolean; excludesIt: boolean }>(
  'tenancy:resource_lock_concerned',
);
