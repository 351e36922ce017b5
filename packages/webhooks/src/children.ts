import type { Actor } from '@callout/domain/changes/actor';
import { fieldChanges, type ConfigurationValues } from '@callout/domain/changes/field-changes';
import { Problem } from '@callout/domain/problem';
import type { FieldFlags } from './input/child-input.ts';
import { recordChanges } from '@callout/database/changes/record-changes';
import type { Database } from '@callout/database/connection/database';
import type { RowWatch } from '@callout/database/row-watch';
import type { SharedTransaction } from '@callout/database/connection/transaction/shared-transaction';
import { childTables, type ChildKind, type ChildScope, type ChildTable, type StoredChild } from './child-tables.ts';
import { assignId } from '@callout/database/counters';
import { lockWebhook } from '@callout/database/locked-webhook';
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
  actor: Actor,
  watch?: Pick<RowWatch<StoredChild>, 'after'>,
): Promise<number> {
  return transaction(parent.tenantId, async ({ models, sets }) => {
    const { tenantId, entityType } = parent;
    const table = childTables[kind];
    const id = await assignId(sets, tenantId, collection);
    const isTargetThere = await lockTarget(sets, table, tenantId, child.targetId);
    const webhookKey = await raiseVersion(models, parent);
    if (!isTargetThere) throw isNowhere(table, child);
    const inserted = await table.insert(models, { tenantId, entityType, id, webhookKey, ...child });
    if (inserted === 0) throw isThereAlready(table, parent, child);
    watch?.after?.({ id, webhookId: parent.webhookId, ...child });
    const fields = fieldChanges(null, valuesOfChild(table, child));
    const entry = { tenantId, entity: table.changedEntity, webhookKey, entityId: id } as const;
    await recordChanges(sets, [{ ...entry, action: 'created', actor, fields }]);
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
 * Sets the named flags of a child, a new version unless none of them differs.
 * @throws a Problem `notFound` without such a webhook or child, or for a child without flags.
 */
export function updateChild(
  { transaction }: Pick<Database, 'transaction'>,
  kind: ChildKind,
  parent: ParentWebhook,
  id: number,
  flags: Partial<FieldFlags>,
  actor: Actor,
  watch?: RowWatch<StoredChild>,
): Promise<void> {
  return transaction(parent.tenantId, async ({ models, sets }) => {
    await lockWebhook(sets, { ...parent, id: parent.webhookId });
    const table = childTables[kind];
    const stored = await table.find(models, parent, id);
    if (stored === undefined || stored.flags === null) throw Problem.notFound();
    watch?.before?.(stored);
    const after = { ...stored, flags: { ...stored.flags, ...flags } };
    const fields = fieldChanges(valuesOfChild(table, stored), valuesOfChild(table, after));
    if (fields.length > 0) {
      const webhookKey = await raiseVersion(models, parent);
      await table.update(models, webhookKey, id, flags);
      const entry = { tenantId: parent.tenantId, entity: table.changedEntity, webhookKey, entityId: id } as const;
      await recordChanges(sets, [{ ...entry, action: 'updated', actor, fields }]);
    }
    watch?.after?.(after);
  });
}

/** Removes a child, a new version too. @throws a Problem `notFound` without such a webhook or child. */
export function removeChild(
  { transaction }: Pick<Database, 'transaction'>,
  kind: ChildKind,
  parent: ParentWebhook,
  id: number,
  actor: Actor,
  watch?: Pick<RowWatch<StoredChild>, 'before'>,
): Promise<void> {
  return transaction(parent.tenantId, async ({ models, sets }) => {
    const webhookKey = await raiseVersion(models, parent);
    const table = childTables[kind];
    const stored = await table.find(models, parent, id);
    if (stored === undefined) throw Problem.notFound();
    watch?.before?.(stored);
    await table.remove(models, webhookKey, id);
    const fields = fieldChanges(valuesOfChild(table, stored), null);
    const entry = { tenantId: parent.tenantId, entity: table.changedEntity, webhookKey, entityId: id } as const;
    await recordChanges(sets, [{ ...entry, action: 'deleted', actor, fields }]);
  });
}

/** A child, as changes are recorded of it. */
function valuesOfChild({ idKey }: ChildTable, { targetId, flags }: NewChild): ConfigurationValues {
  if (flags === null) return { [idKey]: targetId };
  return { [idKey]: targetId, isSubscribedField: flags.isSubscribed, isDisplayAlwaysField: flags.isDisplayAlways };
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
