import { Problem } from '@callout/domain/problem';
import type { FieldFlags } from '@callout/domain/webhook/child-input';
import type { Database } from '@callout/database/connection/database';
import type { RowWatch } from '@callout/database/row-watch';
import type { SharedTransaction } from '@callout/database/connection/transaction/shared-transaction';
import { childTables, type ChildKind, type ChildScope, type ChildTable, type StoredChild } from './child-tables.ts';
import { assignId } from '@callout/database/counters';
import { lockWebhook } from '@callout/database/locked-webhook';
import { keepingReadiness } from './readiness.ts';
import { lockResources, lockUdfDefinitions } from '@callout/pipeline/deactivate/references';
import { nextVersion } from './webhook-columns.ts';

/** A child to be created. */
export interface NewChild {
  targetId: number;
  flags: FieldFlags | null;
}

/** The webhook that children belong to, by its public id. */
export interface ParentWebhook {
  tenantId: number;
  entityType: string;
  webhookId: number;
}

/**
 * Adds a child, which is a new version of the webhook's configuration.
 * @param actorResourceId the resource that adds it: the history keeps who made a webhook ready or not.
 * @returns its id.
 * @throws a Problem: `notFound` without such a webhook, `invalid` when it is about nothing that exists, `conflict`
 * when the webhook has a child about the same.
 */
export function createChild(
  { transaction }: Pick<Database, 'transaction'>,
  kind: ChildKind,
  parent: ParentWebhook,
  child: NewChild,
  collection: string,
  actorResourceId: number,
  watch?: Pick<RowWatch<StoredChild>, 'after'>,
): Promise<number> {
  return transaction(parent.tenantId, async (shared) => {
    const { models, sets } = shared;
    const { tenantId, entityType } = parent;
    const table = childTables[kind];
    const id = await assignId(sets, tenantId, collection);
    const isTargetThere = await lockTarget(sets, table, tenantId, child.targetId);
    const webhookKey = await raiseVersion(models, parent);
    if (!isTargetThere) throw isNowhere(table, child);
    const insert = () => table.insert(models, { tenantId, entityType, id, webhookKey, ...child });
    const inserted = await keepingReadiness(shared, [webhookKey], { actorResourceId }, insert);
    if (inserted === 0) throw isThereAlready(table, parent, child);
    watch?.after?.({ id, webhookId: parent.webhookId, ...child });
    return id;
  });
}

export function findChild(
  { prisma }: Pick<Database, 'prisma'>,
  kind: ChildKind,
  scope: ChildScope,
  id: number,
): Promise<StoredChild | undefined> {
  return childTables[kind].find(prisma, scope, id);
}

/**
 * Sets the named flags of a child, as a new version of the webhook. Equal ones are no change.
 * @throws a Problem `notFound` without such a webhook or child, or for a child without flags.
 */
export function updateChild(
  { transaction }: Pick<Database, 'transaction'>,
  kind: ChildKind,
  parent: ParentWebhook,
  id: number,
  flags: Partial<FieldFlags>,
  watch?: RowWatch<StoredChild>,
): Promise<void> {
  return transaction(parent.tenantId, async ({ models, sets }) => {
    await lockWebhook(sets, { ...parent, id: parent.webhookId });
    const stored = await childTables[kind].find(models, parent, id);
    if (stored === undefined || stored.flags === null) throw Problem.notFound();
    watch?.before?.(stored);
    const after = { ...stored.flags, ...flags };
    const { isSubscribed, isDisplayAlways } = stored.flags;
    if (after.isSubscribed !== isSubscribed || after.isDisplayAlways !== isDisplayAlways) {
      await childTables[kind].update(models, await raiseVersion(models, parent), id, flags);
    }
    watch?.after?.({ ...stored, flags: after });
  });
}

/** Removes a child, a new version too. @throws a Problem `notFound` without such a webhook or child. */
export function removeChild(
  { transaction }: Pick<Database, 'transaction'>,
  kind: ChildKind,
  parent: ParentWebhook,
  id: number,
  actorResourceId: number,
  watch?: Pick<RowWatch<StoredChild>, 'before'>,
): Promise<void> {
  return transaction(parent.tenantId, async (shared) => {
    const { models } = shared;
    const webhookKey = await raiseVersion(models, parent);
    if (watch?.before !== undefined) {
      const stored = await childTables[kind].find(models, parent, id);
      if (stored !== undefined) watch.before(stored);
    }
    const remove = () => childTables[kind].remove(models, webhookKey, id);
    const removed = await keepingReadiness(shared, [webhookKey], { actorResourceId }, remove);
    if (removed === 0) throw Problem.notFound();
  });
}

/**
 * A subject outside the catalogue can be deleted: locked here, before the webhook, it stays until the child is stored.
 */
async function lockTarget(
  transaction: SharedTransaction['sets'],
  { references }: ChildTable,
  tenantId: number,
  targetId: number,
): Promise<boolean> {
  if (references === 'catalogue') return true;
  const lock = references === 'resources' ? lockResources : lockUdfDefinitions;
  return (await lock(transaction, tenantId, [targetId])).has(targetId);
}

/** Locks the webhook's row and counts its version up, as every change of a child must. @returns its internal key. */
async function raiseVersion(models: SharedTransaction['models'], parent: ParentWebhook): Promise<number> {
  const [webhook] = await models.webhook.updateManyAndReturn({
    where: { tenantId: parent.tenantId, entityType: parent.entityType, id: parent.webhookId, deletedAt: null },
    data: nextVersion(new Date()),
    select: { key: true },
  });
  if (webhook === undefined) throw Problem.notFound();
  return Number(webhook.key);
}

function isThereAlready({ idKey }: ChildTable, parent: ParentWebhook, { targetId }: NewChild): Problem {
  return Problem.duplicate(`webhook ${parent.webhookId} has a record with ${idKey} ${targetId} already`, idKey);
}

function isNowhere({ idKey, references }: ChildTable, { targetId }: NewChild): Problem {
  return references === 'resources'
    ? Problem.unknownReference(`${idKey} ${targetId} is no resource of this tenant`, idKey)
    : Problem.invalid([
        { code: 'unknownField', field: idKey, message: `${idKey} ${targetId} is no user-defined field of this tenant` },
      ]);
}
