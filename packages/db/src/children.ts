import {
  Problem,
  type ExcludedResourceInput,
  type ProblemDetail,
  type WebhookFieldInput,
  type WebhookUdfFieldInput,
} from '@callout/core';
import { idAt, takeIds } from './counters.ts';
import type { Database } from './database.ts';
import { Prisma } from './generated/client.ts';
import { transactionLimits } from './transaction-limits.ts';

/** The collections that number the children of one entity's webhooks, such as `CompanyWebhookFields`. */
export interface ChildCollections {
  fields: string;
  udfFields: string;
  excludedResources: string;
}

/** A Field record as reads need it. */
export interface StoredField {
  id: number;
  webhookId: number;
  fieldId: number;
  isSubscribedField: boolean;
  isDisplayAlwaysField: boolean;
}

interface ParentWebhook {
  tenantId: number;
  entityType: string;
  /** The webhook's public id. */
  webhookId: number;
}

export interface FieldStore {
  /**
   * Adds a Field record, which is a new version of the webhook's configuration.
   * @returns its id.
   * @throws a Problem: 404 without such a webhook, 409 when the webhook has a record of that field.
   */
  create(parent: ParentWebhook, field: WebhookFieldInput, collection: string): Promise<number>;
  /** The Field records of a webhook in order of id; undefined without such a webhook. */
  list(parent: ParentWebhook): Promise<StoredField[] | undefined>;
  find(parent: ParentWebhook, id: number): Promise<StoredField | undefined>;
}

export function createFieldStore({ prisma }: Pick<Database, 'prisma'>): FieldStore {
  return {
    async create(parent, field, collection) {
      try {
        return await prisma.$transaction(async (transaction) => {
          const id = idAt(await takeIds(transaction, parent.tenantId, { [collection]: 1 }), collection, 0);
          const webhookKey = await raiseVersion(transaction, parent);
          const { tenantId, entityType } = parent;
          await transaction.webhookField.create({ data: { tenantId, entityType, webhookKey, id, ...flags(field) } });
          return id;
        }, transactionLimits);
      } catch (error) {
        if (!isDuplicate(error)) throw error;
        throw Problem.conflict(
          `webhook ${parent.webhookId} has a record of the field ${field.name} already`,
          'fieldID',
        );
      }
    },

    async list({ tenantId, entityType, webhookId }) {
      const webhook = await prisma.webhook.findUnique({
        where: { tenantId_entityType_id: { tenantId, entityType, id: webhookId }, deletedAt: null },
        select: { fields: { orderBy: { id: 'asc' } } },
      });
      return webhook?.fields.map((row) => ({ ...row, webhookId }));
    },

    async find({ tenantId, entityType, webhookId }, id) {
      const row = await prisma.webhookField.findFirst({
        where: { tenantId, entityType, id, webhook: { id: webhookId, deletedAt: null } },
      });
      return row === null ? undefined : { ...row, webhookId };
    },
  };
}

/** The children that a webhook is created with. Their ids have been taken. */
export async function insertChildren(
  transaction: Prisma.TransactionClient,
  parent: { tenantId: number; entityType: string; webhookKey: bigint },
  children: {
    readonly fields: readonly WebhookFieldInput[];
    readonly udfFields: readonly WebhookUdfFieldInput[];
    readonly excludedResources: readonly ExcludedResourceInput[];
  },
  collections: ChildCollections,
  firstIds: ReadonlyMap<string, number>,
): Promise<void> {
  if (children.fields.length > 0) {
    await transaction.webhookField.createMany({
      data: children.fields.map((field, nth) => ({
        ...parent,
        id: idAt(firstIds, collections.fields, nth),
        ...flags(field),
      })),
    });
  }
  if (children.udfFields.length > 0) {
    await transaction.webhookUdfField.createMany({
      data: children.udfFields.map((field, nth) => ({
        ...parent,
        id: idAt(firstIds, collections.udfFields, nth),
        udfFieldId: field.udfFieldId,
        isSubscribedField: field.isSubscribed,
        isDisplayAlwaysField: field.isDisplayAlways,
      })),
    });
  }
  if (children.excludedResources.length > 0) {
    await refuseUnknownResources(transaction, parent.tenantId, children.excludedResources);
    await transaction.webhookExcludedResource.createMany({
      data: children.excludedResources.map(({ resourceId }, nth) => ({
        ...parent,
        id: idAt(firstIds, collections.excludedResources, nth),
        resourceId,
      })),
    });
  }
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

/** Locks the resources it finds, so that none is deleted before the exclusion that names it is stored. */
async function refuseUnknownResources(
  transaction: Prisma.TransactionClient,
  tenantId: number,
  excluded: readonly ExcludedResourceInput[],
): Promise<void> {
  const ids = excluded.map(({ resourceId }) => resourceId);
  const rows = await transaction.$queryRaw<{ id: number }[]>`
    SELECT id FROM resources WHERE tenant_id = ${tenantId} AND id = ANY(${ids}::bigint[]) AND deleted_at IS NULL
    ORDER BY id FOR KEY SHARE`;
  const known = new Set(rows.map((row) => row.id));
  const problems = ids.flatMap((id, nth): ProblemDetail[] => {
    const field = `excludedResources[${nth}].resourceID`;
    return known.has(id) ? [] : [{ code: 'invalid', field, message: `${field} ${id} is no resource` }];
  });
  if (problems.length > 0) throw Problem.invalid(problems);
}

function flags(field: WebhookFieldInput) {
  return {
    fieldId: field.fieldId,
    isSubscribedField: field.isSubscribed,
    isDisplayAlwaysField: field.isDisplayAlways,
  };
}

function isDuplicate(error: unknown): boolean {
  return error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002';
}
