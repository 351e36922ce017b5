import { Problem, type WebhookFieldInput } from '@callout/core';
import { idAt, takeIds } from './counters.ts';
import type { Database } from './database.ts';
import { Prisma } from './generated/client.ts';
import { fieldColumns } from './new-children.ts';
import { transactionLimits } from './transaction-limits.ts';

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
          await transaction.webhookField.create({
            data: { tenantId, entityType, webhookKey, id, ...fieldColumns(field) },
          });
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

function isDuplicate(error: unknown): boolean {
  return error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002';
}
