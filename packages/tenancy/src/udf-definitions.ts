import type { Actor } from '@callout/domain/changes/actor';
import { fieldChanges } from '@callout/domain/changes/field-changes';
import type { DataType } from '@callout/domain/catalogue/catalogue';
import { Problem } from '@callout/domain/problem';
import type { UdfDefinitionCreate, UdfDefinitionSettings } from '@callout/domain/metadata/udf-definition';
import { foldText } from '@callout/domain/query/fold-text';
import { recordChanges } from '@callout/database/changes/record-changes';
import { assignId } from '@callout/database/counters';
import type { Database } from '@callout/database/connection/database';
import type { RowWatch } from '@callout/database/row-watch';
import type { SharedTransaction } from '@callout/database/connection/transaction/shared-transaction';
import { statementFrom } from '@callout/database/connection/statement/statement';
import type { UdfDefinition as UdfDefinitionRow } from '@callout/database/generated/client';
import { nextVersion } from '@callout/webhooks/webhook-columns';
import { valuesOfDefinition } from './configuration-values.ts';
import { renameInConditions } from './rename-in-conditions.ts';
import { refuseTooMany, refusingTakenNames } from './udf-definition-limits.ts';

/** A user-defined field of an entity. */
export interface UdfDefinition {
  id: number;
  entityType: string;
  name: string;
  label: string;
  dataType: DataType;
  /** The values of a list; empty for every other type. */
  picklistValues: readonly { value: string; label: string }[];
}

/** All definitions of the given tenants, each tenant's in order of id. */
export async function findDefinitionsOfTenants(
  { prisma }: Pick<Database, 'prisma'>,
  tenantIds: readonly number[],
): Promise<Map<number, UdfDefinition[]>> {
  const rows = await prisma.udfDefinition.findMany({
    where: { tenantId: { in: [...tenantIds] } },
    orderBy: [{ tenantId: 'asc' }, { id: 'asc' }],
  });
  const byTenant = new Map<number, UdfDefinition[]>(tenantIds.map((tenantId) => [tenantId, []]));
  for (const row of rows) byTenant.get(row.tenantId)?.push(fromRow(row));
  return byTenant;
}

export async function findDefinition(
  { prisma }: Pick<Database, 'prisma'>,
  tenantId: number,
  id: number,
): Promise<UdfDefinition | undefined> {
  const row = await prisma.udfDefinition.findUnique({ where: { tenantId_id: { tenantId, id } } });
  return row === null ? undefined : fromRow(row);
}

/**
 * Makes a definition; returns its id. `collection` numbers it.
 * @throws a Problem `conflict` when the name or label belongs to another definition of the entity, ignoring case, or
 * the entity has as many definitions or list values as allowed.
 */
export function createDefinition(
  { transaction }: Pick<Database, 'transaction'>,
  tenantId: number,
  definition: UdfDefinitionCreate,
  collection: string,
  actor: Actor,
  watch?: Pick<RowWatch<UdfDefinition>, 'after'>,
): Promise<number> {
  return transaction(tenantId, async (shared) => {
    const { models, sets } = shared;
    const id = await assignId(sets, tenantId, collection);
    const { entityType, dataType } = definition;
    const data = { tenantId, id, entityType, dataType, ...columnsOf(definition) };
    const row = await refusingTakenNames(definition, () => models.udfDefinition.create({ data }));
    watch?.after?.(fromRow(row));
    await recordDefinition(shared, null, row, actor);
    await refuseTooMany(models, tenantId, entityType);
    // A condition may name a deleted definition, and means the new definition from now on.
    await raiseVersions(
      shared,
      tenantId,
      { id, entityType, name: definition.name },
      { fields: 'none', conditions: true },
    );
    return id;
  });
}

/**
 * Replaces a definition by the result of `change`. A new name or label is a new version of every webhook that names the
 * definition, and conditions go on to name the definition.
 * @throws a Problem: `notFound` without the definition, `conflict` as for a create, and the errors of `change`.
 */
export function updateDefinition(
  { transaction }: Pick<Database, 'transaction'>,
  tenantId: number,
  id: number,
  change: (stored: UdfDefinition) => UdfDefinitionSettings,
  actor: Actor,
  watch?: RowWatch<UdfDefinition>,
): Promise<void> {
  return transaction(tenantId, async (shared) => {
    const { models } = shared;
    const row = await lock(shared, tenantId, id);
    const stored = fromRow(row);
    watch?.before?.(stored);
    const settings = change(stored);
    const { entityType } = stored;
    // Callouts carry the label, and typed ones those of list values; conditions name the field. Match keeps all of them
    // for as long as the webhook's version stays.
    const isRelabelled = settings.label !== stored.label;
    const typedOrNone = hasOtherValues(settings, stored) ? 'typed' : 'none';
    const naming = { fields: isRelabelled ? 'all' : typedOrNone, conditions: settings.name !== stored.name } as const;
    const webhooks = await raiseVersions(shared, tenantId, stored, naming);
    await renameInConditions(shared, webhooks, { tenantId, from: stored.name, to: settings.name }, actor);
    const changed = await refusingTakenNames({ ...settings, entityType }, () =>
      models.udfDefinition.update({ where: { tenantId_id: { tenantId, id } }, data: columnsOf(settings) }),
    );
    watch?.after?.(fromRow(changed));
    await recordDefinition(shared, row, changed, actor);
    const hasMoreValues = settings.listValues.length > stored.picklistValues.length;
    if (hasMoreValues) await refuseTooMany(models, tenantId, entityType);
  });
}

/**
 * Deletes a definition, and the UdfField records of the definition: a new version of their webhooks, some of which may
 * not be ready any more.
 * @throws a Problem `notFound` without the definition.
 */
export function removeDefinition(
  { transaction }: Pick<Database, 'transaction'>,
  tenantId: number,
  id: number,
  actor: Actor,
  watch?: Pick<RowWatch<UdfDefinition>, 'before'>,
): Promise<void> {
  return transaction(tenantId, async (shared) => {
    const { models, sets } = shared;
    const stored = await lock(shared, tenantId, id);
    watch?.before?.(fromRow(stored));
    await raiseVersions(shared, tenantId, stored, { fields: 'all', conditions: true });
    const where = { tenantId, udfFieldId: id };
    const children = await models.webhookUdfField.findMany({ where, orderBy: { webhookKey: 'asc' } });
    // UdfField records of the definition go too.
    await models.udfDefinition.delete({ where: { tenantId_id: { tenantId, id } } });
    await recordDefinition(shared, stored, null, actor);
    await recordChanges(
      sets,
      children.map(({ id: entityId, webhookKey, isSubscribedField, isDisplayAlwaysField }) => ({
        tenantId,
        entity: 'webhookUdfField',
        webhookKey,
        entityId,
        action: 'deleted',
        actor,
        cause: 'definitionDeleted',
        fields: fieldChanges({ udfFieldID: id, isSubscribedField, isDisplayAlwaysField }, null),
        detail: `The user-defined field ${stored.label} was deleted.`,
      })),
    );
  });
}

/** Records a change of a definition; null: it is not there. */
async function recordDefinition(
  { sets }: SharedTransaction,
  before: UdfDefinitionRow | null,
  after: UdfDefinitionRow | null,
  actor: Actor,
): Promise<void> {
  const row = after ?? before;
  if (row === null) return;
  const fields = fieldChanges(before && valuesOfDefinition(before), after && valuesOfDefinition(after));
  const written = before === null ? 'created' : 'updated';
  const action = after === null ? 'deleted' : written;
  const { tenantId, id: entityId } = row;
  await recordChanges(sets, [{ tenantId, entity: 'udfDefinition', entityId, action, actor, fields }]);
}

function fromRow({ id, entityType, name, label, dataType, listValues }: UdfDefinitionRow): UdfDefinition {
  return { id, entityType, name, label, dataType: dataType as DataType, picklistValues: picklistOf(listValues) };
}

/** Written by this file alone. */
function picklistOf(listValues: UdfDefinitionRow['listValues']): { value: string; label: string }[] {
  return (listValues ?? []) as { value: string; label: string }[];
}

/** Case is folded here (Unicode) and not by the database, whose folding depends on its locale. */
function columnsOf({ name, label, listValues }: UdfDefinitionSettings) {
  return {
    name,
    nameFolded: foldText(name),
    label,
    labelFolded: foldText(label),
    listValues: listValues.map((one) => ({ ...one })),
  };
}

const lockRow = statementFrom<{ id: number }>('tenancy:udf_definition_lock');

/**
 * Locks a definition for change or deletion, before any webhook: a transaction that adds a UdfField record holds a
 * share of the lock until the record is stored.
 */
async function lock({ models, sets }: SharedTransaction, tenantId: number, id: number): Promise<UdfDefinitionRow> {
  await lockRow(sets, [tenantId, id]);
  const row = await models.udfDefinition.findUnique({ where: { tenantId_id: { tenantId, id } } });
  if (row === null) throw Problem.notFound();
  return row;
}

const lockWebhooks = statementFrom<{ key: number; condition: string | null; now: Date }>(
  'tenancy:udf_definition_lock_webhooks',
);

/**
 * Locks the webhooks that name a definition, in order of their keys, and counts their versions up.
 * @param naming which of them: by which fields (`typed`: those whose callouts show labels of list values), and whether
 * by conditions.
 */
async function raiseVersions(
  { models, sets }: SharedTransaction,
  tenantId: number,
  { id, entityType, name }: Pick<UdfDefinition, 'id' | 'entityType' | 'name'>,
  naming: { readonly fields: 'none' | 'typed' | 'all'; readonly conditions: boolean },
): Promise<{ key: number; condition: string | null }[]> {
  const idOfFields = naming.fields === 'none' ? null : id;
  // As a text of JSON has it, without the quotes.
  const nameInCondition = naming.conditions ? JSON.stringify(name).slice(1, -1) : null;
  const values = [tenantId, idOfFields, naming.fields === 'typed', entityType, nameInCondition];
  const webhooks = await lockWebhooks(sets, values);
  const [first] = webhooks;
  if (first === undefined) return [];
  const webhookKeys = webhooks.map(({ key }) => key);
  await models.webhook.updateMany({ where: { key: { in: webhookKeys } }, data: nextVersion(first.now) });
  return webhooks;
}

function hasOtherValues({ listValues }: UdfDefinitionSettings, { picklistValues }: UdfDefinition): boolean {
  const labels = new Map(picklistValues.map(({ value, label }) => [value, label]));
  return (
    listValues.length !== picklistValues.length || listValues.some(({ value, label }) => labels.get(value) !== label)
  );
}
