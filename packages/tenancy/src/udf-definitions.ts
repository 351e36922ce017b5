import type { DataType } from '@callout/domain/catalogue/catalogue';
import { Problem } from '@callout/domain/problem';
import type { UdfDefinitionCreate, UdfDefinitionSettings } from '@callout/domain/metadata/udf-definition';
import { renameUdf } from '@callout/domain/condition/rename-udf';
import { foldText } from '@callout/domain/query/fold-text';
import { assignId } from '@callout/database/counters';
import type { Database } from '@callout/database/connection/database';
import type { RowWatch } from '@callout/database/row-watch';
import type { SharedTransaction } from '@callout/database/connection/transaction/shared-transaction';
import { statement } from '@callout/database/connection/statement/statement';
import { Prisma, type UdfDefinition as UdfDefinitionRow } from '@callout/database/generated/client';
import { keepingReadiness } from '@callout/webhooks/readiness';
import { nextVersion } from '@callout/webhooks/webhook-columns';

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
 * @throws a Problem `conflict` when its name or label is that of another one of its entity, ignoring case, or the
 * entity has as many definitions or list values as it may.
 */
export function createDefinition(
  { transaction }: Pick<Database, 'transaction'>,
  tenantId: number,
  definition: UdfDefinitionCreate,
  collection: string,
  watch?: Pick<RowWatch<UdfDefinition>, 'after'>,
): Promise<number> {
  return transaction(tenantId, async (shared) => {
    const { models, sets } = shared;
    const id = await assignId(sets, tenantId, collection);
    const { entityType, dataType } = definition;
    const data = { tenantId, id, entityType, dataType, ...columnsOf(definition) };
    const created = await refusingTakenNames(definition, () => models.udfDefinition.create({ data }));
    watch?.after?.(fromRow(created));
    await refuseTooMany(models, tenantId, entityType);
    // A condition may name one that was deleted, and find this one from now on.
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
 * Replaces a definition by the result of `change`. A new name or label is a new version of every webhook that names it,
 * and conditions go on to name it.
 * @throws a Problem: `notFound` without such a definition, `conflict` as for a create, and the errors of `change`.
 */
export function updateDefinition(
  { transaction }: Pick<Database, 'transaction'>,
  tenantId: number,
  id: number,
  change: (stored: UdfDefinition) => UdfDefinitionSettings,
  watch?: RowWatch<UdfDefinition>,
): Promise<void> {
  return transaction(tenantId, async (shared) => {
    const { models } = shared;
    const stored = await lock(shared, tenantId, id);
    watch?.before?.(stored);
    const settings = change(stored);
    const { entityType } = stored;
    // Callouts carry the label, and typed ones those of list values; conditions name the field. Match keeps all of them
    // for as long as the webhook's version stays.
    const isRelabelled = settings.label !== stored.label;
    const typedOrNone = hasOtherValues(settings, stored) ? 'typed' : 'none';
    const naming = { fields: isRelabelled ? 'all' : typedOrNone, conditions: settings.name !== stored.name } as const;
    const webhooks = await raiseVersions(shared, tenantId, stored, naming);
    await renameInConditions(shared, webhooks, stored, settings);
    const updated = await refusingTakenNames({ ...settings, entityType }, () =>
      models.udfDefinition.update({ where: { tenantId_id: { tenantId, id } }, data: columnsOf(settings) }),
    );
    watch?.after?.(fromRow(updated));
    const hasMoreValues = settings.listValues.length > stored.picklistValues.length;
    if (hasMoreValues) await refuseTooMany(models, tenantId, entityType);
  });
}

/**
 * Deletes a definition, and the UdfField records that name it: a new version of their webhooks, some of which may not
 * be ready any more.
 * @throws a Problem `notFound` without such a definition.
 */
export function removeDefinition(
  { transaction }: Pick<Database, 'transaction'>,
  tenantId: number,
  id: number,
  actorResourceId: number,
  watch?: Pick<RowWatch<UdfDefinition>, 'before'>,
): Promise<void> {
  return transaction(tenantId, async (shared) => {
    const stored = await lock(shared, tenantId, id);
    watch?.before?.(stored);
    const webhooks = await raiseVersions(shared, tenantId, stored, { fields: 'all', conditions: true });
    const webhookKeys = webhooks.map(({ key }) => key);
    const source = { actorResourceId, detail: `the user-defined field ${stored.label} was deleted` };
    // The UdfField records that name it go with it.
    await keepingReadiness(shared, webhookKeys, source, () =>
      shared.models.udfDefinition.delete({ where: { tenantId_id: { tenantId, id } } }),
    );
  });
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

const lockRow = statement<{ id: number }>(
  'udf_definition_lock',
  'SELECT id FROM udf_definitions WHERE (tenant_id, id) = ($1, $2) FOR UPDATE',
  'udf_definitions',
);

/**
 * Locks a definition for change or deletion, before any webhook: a transaction that adds a UdfField record holds a
 * share of this lock until the record is stored.
 */
async function lock({ models, sets }: SharedTransaction, tenantId: number, id: number): Promise<UdfDefinition> {
  await lockRow(sets, [tenantId, id]);
  const row = await models.udfDefinition.findUnique({ where: { tenantId_id: { tenantId, id } } });
  if (row === null) throw Problem.notFound();
  return fromRow(row);
}

const lockWebhooks = statement<{ key: number; condition: string | null; now: Date }>(
  'udf_definition_lock_webhooks',
  `SELECT w.key, w.condition, now() AS now FROM webhooks w
   WHERE w.tenant_id = $1 AND (w.entity_type = $4 AND strpos(w.condition, $5) > 0
     OR w.key IN (SELECT u.webhook_key FROM webhook_udf_fields u WHERE (u.tenant_id, u.udf_field_id) = ($1, $2))
       AND (NOT $3 OR w.payload_format <> 'reference'))
   ORDER BY w.key FOR NO KEY UPDATE OF w`,
  'webhooks',
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

/** A condition names a user-defined field by its name, and goes on to mean the same one. */
async function renameInConditions(
  { models }: SharedTransaction,
  webhooks: readonly { readonly key: number; readonly condition: string | null }[],
  { name: from }: UdfDefinition,
  { name: to }: UdfDefinitionSettings,
): Promise<void> {
  if (from === to) return;
  for (const { key, condition } of webhooks) {
    const renamed = condition === null ? null : renameUdf(condition, from, to);
    if (renamed !== condition) await models.webhook.update({ where: { key }, data: { condition: renamed } });
  }
}

function hasOtherValues({ listValues }: UdfDefinitionSettings, { picklistValues }: UdfDefinition): boolean {
  const labels = new Map(picklistValues.map(({ value, label }) => [value, label]));
  return (
    listValues.length !== picklistValues.length || listValues.some(({ value, label }) => labels.get(value) !== label)
  );
}

/** Every request that reads or writes records reads all definitions of its tenant. */
const MOST_OF_ENTITY = 300;
const MOST_LIST_VALUES_OF_ENTITY = 3000;

/** Checks the sum of sizes. Two concurrent writes may exceed it: it only has to keep the sum small. */
async function refuseTooMany(models: SharedTransaction['models'], tenantId: number, entityType: string): Promise<void> {
  const definitions = await models.udfDefinition.findMany({
    where: { tenantId, entityType },
    select: { listValues: true },
  });
  const listValues = definitions.reduce((sum, { listValues: values }) => sum + picklistOf(values).length, 0);
  const most = (count: number, of: string) => `${entityType} may have ${count} ${of}: delete some first`;
  if (definitions.length > MOST_OF_ENTITY) {
    throw Problem.conflict(most(MOST_OF_ENTITY, 'user-defined fields'), 'entityType');
  }
  if (listValues > MOST_LIST_VALUES_OF_ENTITY) {
    throw Problem.conflict(
      most(MOST_LIST_VALUES_OF_ENTITY, 'list values in all its user-defined fields'),
      'listValues',
    );
  }
}

/** Two unique indexes keep names and labels apart; which of them refused is in the message of PostgreSQL alone. */
async function refusingTakenNames<T>(
  definition: Pick<UdfDefinition, 'name' | 'label' | 'entityType'>,
  write: () => Promise<T>,
): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const isTaken = error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002';
    if (!isTaken) throw error;
    const key = JSON.stringify(error.meta).includes('label_folded') ? 'label' : 'name';
    const what = `is that of another user-defined field of ${definition.entityType}`;
    throw Problem.duplicate(`${key} ${JSON.stringify(definition[key])} ${what}`, key);
  }
}
