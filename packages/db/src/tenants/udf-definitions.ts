import { foldText, Problem, type DataType, type UdfDefinitionCreate, type UdfDefinitionSettings } from '@callout/core';
import { idAt, takeIds } from '../webhooks/counters.ts';
import type { Database } from '../connection/database.ts';
import { Prisma, type UdfDefinition as UdfDefinitionRow } from '../generated/client.ts';
import { keepingReadiness } from '../webhooks/readiness.ts';
import { transactionLimits } from '../connection/transaction-limits.ts';

/** A user-defined field of an entity. */
export interface UdfDefinition {
  id: number;
  entityType: string;
  name: string;
  label: string;
  dataType: DataType;
  /** What a list may take; empty for every other type. */
  picklistValues: readonly { value: string; label: string }[];
}

export interface UdfDefinitionStore {
  /** All definitions of the tenants asked for, each tenant's in order of id. */
  findByTenants(tenantIds: readonly number[]): Promise<Map<number, UdfDefinition[]>>;
  find(tenantId: number, id: number): Promise<UdfDefinition | undefined>;
  /**
   * Makes a definition; returns its id. `collection` numbers it.
   * @throws a Problem 409 when its name or label is that of another one of its entity, ignoring case, or the entity has as
   *   many definitions or list values as it may.
   */
  create(tenantId: number, definition: UdfDefinitionCreate, collection: string): Promise<number>;
  /**
   * Changes a definition to what `change` makes of it. A new label is a new version of every webhook that names it.
   * @throws a Problem: 404 without such a definition, 409 as for a create, and what `change` throws.
   */
  update(tenantId: number, id: number, change: (stored: UdfDefinition) => UdfDefinitionSettings): Promise<void>;
  /**
   * Deletes a definition, and the UdfField records that name it: a new version of their webhooks, some of which may not be
   * ready any more.
   * @throws a Problem 404 without such a definition.
   */
  remove(tenantId: number, id: number, actorResourceId: number): Promise<void>;
}

export function createUdfDefinitionStore({ prisma }: Pick<Database, 'prisma'>): UdfDefinitionStore {
  return {
    async findByTenants(tenantIds) {
      const rows = await prisma.udfDefinition.findMany({
        where: { tenantId: { in: [...tenantIds] } },
        orderBy: [{ tenantId: 'asc' }, { id: 'asc' }],
      });
      const byTenant = new Map<number, UdfDefinition[]>(tenantIds.map((tenantId) => [tenantId, []]));
      for (const row of rows) byTenant.get(row.tenantId)?.push(fromRow(row));
      return byTenant;
    },

    async find(tenantId, id) {
      const row = await prisma.udfDefinition.findUnique({ where: { tenantId_id: { tenantId, id } } });
      return row === null ? undefined : fromRow(row);
    },

    create: (tenantId, definition, collection) =>
      prisma.$transaction(async (transaction) => {
        const id = idAt(await takeIds(transaction, tenantId, { [collection]: 1 }), collection, 0);
        const { entityType, dataType } = definition;
        const data = { tenantId, id, entityType, dataType, ...columnsOf(definition) };
        await refusingTakenNames(definition, () => transaction.udfDefinition.create({ data }));
        await refuseTooMany(transaction, tenantId, entityType);
        return id;
      }, transactionLimits),

    update: (tenantId, id, change) =>
      prisma.$transaction(async (transaction) => {
        const stored = await lock(transaction, tenantId, id);
        const settings = change(stored);
        // Callouts carry the label, and match keeps it for as long as the webhook's version stays.
        if (settings.label !== stored.label) await raiseVersions(transaction, tenantId, id);
        const { entityType } = stored;
        await refusingTakenNames({ ...settings, entityType }, () =>
          transaction.udfDefinition.update({ where: { tenantId_id: { tenantId, id } }, data: columnsOf(settings) }),
        );
        const hasMoreValues = settings.listValues.length > stored.picklistValues.length;
        if (hasMoreValues) await refuseTooMany(transaction, tenantId, entityType);
      }, transactionLimits),

    remove: (tenantId, id, actorResourceId) =>
      prisma.$transaction(async (transaction) => {
        const { label } = await lock(transaction, tenantId, id);
        const webhookKeys = await raiseVersions(transaction, tenantId, id);
        const source = { actorResourceId, detail: `the user-defined field ${label} was deleted` };
        // The UdfField records that name it go with it.
        await keepingReadiness(transaction, webhookKeys, source, () =>
          transaction.udfDefinition.delete({ where: { tenantId_id: { tenantId, id } } }),
        );
      }, transactionLimits),
  };
}

function fromRow({ id, entityType, name, label, dataType, listValues }: UdfDefinitionRow): UdfDefinition {
  const picklistValues = (listValues ?? []) as { value: string; label: string }[];
  return { id, entityType, name, label, dataType: dataType as DataType, picklistValues };
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

/**
 * Locks a definition for change or deletion, before any webhook: whoever adds a UdfField record holds a share of this
 * lock until the record is stored.
 */
async function lock(transaction: Prisma.TransactionClient, tenantId: number, id: number): Promise<UdfDefinition> {
  await transaction.$queryRaw`
    SELECT id FROM udf_definitions WHERE (tenant_id, id) = (${tenantId}, ${id}) FOR UPDATE`;
  const row = await transaction.udfDefinition.findUnique({ where: { tenantId_id: { tenantId, id } } });
  if (row === null) throw Problem.notFound();
  return fromRow(row);
}

/** Locks the webhooks that name a definition, in order of their keys, and counts their versions up. @returns the keys. */
async function raiseVersions(transaction: Prisma.TransactionClient, tenantId: number, id: number): Promise<bigint[]> {
  const rows = await transaction.$queryRaw<{ key: bigint }[]>`
    WITH locked AS (
      SELECT w.key FROM webhooks w
      WHERE w.key IN (SELECT u.webhook_key FROM webhook_udf_fields u WHERE (u.tenant_id, u.udf_field_id) = (${tenantId}, ${id}))
      ORDER BY w.key FOR NO KEY UPDATE OF w
    )
    UPDATE webhooks w SET version = w.version + 1, updated_at = now() FROM locked WHERE w.key = locked.key
    RETURNING w.key`;
  return rows.map((row) => row.key);
}

/** Every request that reads or writes records reads all definitions of its tenant. */
const MOST_OF_ENTITY = 300;
const MOST_LIST_VALUES_OF_ENTITY = 3000;

/** Looks at what is written. Two at once may get past it: it keeps the sum small, and need not be exact. */
async function refuseTooMany(
  transaction: Prisma.TransactionClient,
  tenantId: number,
  entityType: string,
): Promise<void> {
  const [sum] = await transaction.$queryRaw<{ definitions: number; listValues: number }[]>`
    SELECT count(*)::int AS definitions, coalesce(sum(json_array_length(list_values)), 0)::int AS "listValues"
    FROM udf_definitions WHERE (tenant_id, entity_type) = (${tenantId}, ${entityType})`;
  const most = (count: number, of: string) => `${entityType} may have ${count} ${of}: delete some first`;
  if ((sum?.definitions ?? 0) > MOST_OF_ENTITY) {
    throw Problem.conflict(most(MOST_OF_ENTITY, 'user-defined fields'), 'entityType');
  }
  if ((sum?.listValues ?? 0) > MOST_LIST_VALUES_OF_ENTITY) {
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
