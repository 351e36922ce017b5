import { Problem, type FieldFlags } from '@callout/core';
import { childTables, type ChildKind, type ChildTable } from './child-tables.ts';
import { idAt, takeIds } from './counters.ts';
import type { Database } from '../connection/database.ts';
import { Prisma } from '../generated/client.ts';
import { keepingReadiness } from './readiness.ts';
import { lockResources, lockUdfDefinitions } from './references.ts';
import { transactionLimits } from '../connection/transaction-limits.ts';

/** A child of a webhook as reads need it. */
export interface StoredChild {
  id: number;
  webhookId: number;
  /** The field, user-defined field or resource that it is about. */
  targetId: number;
  /** Null where its kind has none. */
  flags: FieldFlags | null;
}

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

/** Where a child is looked for: under one webhook, or under all of its entity. */
export type ChildScope = Omit<ParentWebhook, 'webhookId'> & { webhookId?: number };

/** What adds or removes children may make a webhook ready or not: the history keeps that, and who did it. */
export interface ChildStore {
  /**
   * Adds a child, which is a new version of the webhook's configuration.
   * @returns its id.
   * @throws a Problem: 404 without such a webhook, 400 when it is about nothing that exists, 409 when the webhook has a
   *   child about the same.
   */
  create(
    kind: ChildKind,
    parent: ParentWebhook,
    child: NewChild,
    collection: string,
    actorResourceId: number,
  ): Promise<number>;
  find(kind: ChildKind, scope: ChildScope, id: number): Promise<StoredChild | undefined>;
  /** Sets those flags of a child that are named, a new version too. @throws a Problem 404 without such a webhook or child. */
  update(kind: ChildKind, parent: ParentWebhook, id: number, flags: Partial<FieldFlags>): Promise<void>;
  /** Removes a child, a new version too. @throws a Problem 404 without such a webhook or child. */
  remove(kind: ChildKind, parent: ParentWebhook, id: number, actorResourceId: number): Promise<void>;
}

/** The children of webhooks, of every kind: their tables differ in names and columns only (see child-tables.ts). */
export function createChildStore({ prisma }: Pick<Database, 'prisma'>): ChildStore {
  return {
    create: (kind, parent, child, collection, actorResourceId) =>
      prisma.$transaction(async (transaction) => {
        const table = childTables[kind];
        const id = idAt(await takeIds(transaction, parent.tenantId, { [collection]: 1 }), collection, 0);
        const isTargetThere = await lockTarget(transaction, table, parent.tenantId, child.targetId);
        const webhookKey = await raiseVersion(transaction, parent);
        if (!isTargetThere) throw isNowhere(table, child);
        const insert = () => transaction.$executeRaw`
          INSERT INTO ${table.name} (tenant_id, entity_type, id, webhook_key, ${table.target}${table.flagColumns})
          VALUES (${parent.tenantId}, ${parent.entityType}, ${id}, ${webhookKey}, ${child.targetId}${flagValues(child)})
          ON CONFLICT (webhook_key, ${table.target}) DO NOTHING`;
        const inserted = await keepingReadiness(transaction, [webhookKey], { actorResourceId }, insert);
        if (inserted === 0) throw isThereAlready(table, parent, child);
        return id;
      }, transactionLimits),

    async find(kind, { tenantId, entityType, webhookId }, id) {
      const ofWebhook = webhookId === undefined ? Prisma.empty : Prisma.sql`AND w.id = ${webhookId}`;
      const [row] = await prisma.$queryRaw<ChildRow[]>`
        ${select(childTables[kind])}
        WHERE (c.tenant_id, c.entity_type, c.id) = (${tenantId}, ${entityType}, ${id}) ${ofWebhook}`;
      return row && fromRow(row);
    },

    update: (kind, parent, id, { isSubscribed, isDisplayAlways }) =>
      prisma.$transaction(async (transaction) => {
        const webhookKey = await raiseVersion(transaction, parent);
        const updated = await transaction.$executeRaw`
          UPDATE ${childTables[kind].name}
          SET is_subscribed_field = coalesce(${isSubscribed ?? null}, is_subscribed_field),
            is_display_always_field = coalesce(${isDisplayAlways ?? null}, is_display_always_field)
          WHERE webhook_key = ${webhookKey} AND id = ${id}`;
        if (updated === 0) throw Problem.notFound();
      }, transactionLimits),

    remove: (kind, parent, id, actorResourceId) =>
      prisma.$transaction(async (transaction) => {
        const webhookKey = await raiseVersion(transaction, parent);
        const deleteChild = () => transaction.$executeRaw`
          DELETE FROM ${childTables[kind].name} WHERE webhook_key = ${webhookKey} AND id = ${id}`;
        const removed = await keepingReadiness(transaction, [webhookKey], { actorResourceId }, deleteChild);
        if (removed === 0) throw Problem.notFound();
      }, transactionLimits),
  };
}

interface ChildRow {
  id: number;
  webhookId: number;
  targetId: number;
  isSubscribed: boolean | null;
  isDisplayAlways: boolean | null;
}

function select({ name, target, selectFlags }: ChildTable): Prisma.Sql {
  return Prisma.sql`SELECT c.id, w.id AS "webhookId", c.${target} AS "targetId", ${selectFlags}
    FROM ${name} c JOIN webhooks w ON w.key = c.webhook_key AND w.deleted_at IS NULL`;
}

function fromRow({ id, webhookId, targetId, isSubscribed, isDisplayAlways }: ChildRow): StoredChild {
  const flags = isSubscribed === null || isDisplayAlways === null ? null : { isSubscribed, isDisplayAlways };
  return { id, webhookId, targetId, flags };
}

function flagValues({ flags }: NewChild): Prisma.Sql {
  return flags === null ? Prisma.empty : Prisma.sql`, ${flags.isSubscribed}, ${flags.isDisplayAlways}`;
}

/** What is not in the catalogue can be deleted: locked here, before the webhook, it stays until the child is stored. */
async function lockTarget(
  transaction: Prisma.TransactionClient,
  { references }: ChildTable,
  tenantId: number,
  targetId: number,
): Promise<boolean> {
  if (references === 'catalogue') return true;
  const lock = references === 'resources' ? lockResources : lockUdfDefinitions;
  return (await lock(transaction, tenantId, [targetId])).has(targetId);
}

/** Locks the webhook's row and counts its version up, as every change of a child must. @returns its internal key. */
async function raiseVersion(transaction: Prisma.TransactionClient, parent: ParentWebhook): Promise<bigint> {
  const [webhook] = await transaction.webhook.updateManyAndReturn({
    where: { tenantId: parent.tenantId, entityType: parent.entityType, id: parent.webhookId, deletedAt: null },
    data: { version: { increment: 1 }, updatedAt: new Date() },
    select: { key: true },
  });
  if (webhook === undefined) throw Problem.notFound();
  return webhook.key;
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
