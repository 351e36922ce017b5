import type { FieldValues } from '@callout/core';
import { idAt, takeIds } from '../webhooks/counters.ts';
import type { Database } from '../connection/database.ts';
import { removeResource, updateResource } from './resource-changes.ts';
import { transactionLimits } from '../connection/transaction-limits.ts';
import type { Woken } from '../webhooks/webhook-changes.ts';

/** A resource as reads need it: the fields of the catalogue, in wire form. */
export interface StoredResource {
  id: number;
  fields: FieldValues;
}

export interface ResourceStore {
  /** Makes a resource; returns its id. `collection` numbers it. It may do nothing until it is given rights. */
  create(tenantId: number, fields: FieldValues, collection: string): Promise<number>;
  find(tenantId: number, id: number): Promise<StoredResource | undefined>;
  /**
   * Changes the fields that are named. When it becomes inactive, the webhooks it owns do too. `actorResourceId` is who
   * does it; null is an operator.
   * @throws a Problem: 404 without such a resource, 409 when a resource would deactivate the tenant's last admin.
   */
  update(tenantId: number, id: number, fields: FieldValues, actorResourceId: number | null): Promise<Woken>;
  /**
   * Deletes a resource: the webhooks it owns become inactive, and the exclusions that name it go. Its row stays, for the
   * address to which notices of its webhooks are sent.
   * @throws a Problem: 404 without such a resource, 409 when a resource would delete the tenant's last admin.
   */
  remove(tenantId: number, id: number, actorResourceId: number | null): Promise<Woken>;
}

/** Resources of a tenant, as the API knows them. Their credentials and rights are an operator's business. */
export function createResourceStore({ prisma, pool }: Pick<Database, 'prisma' | 'pool'>): ResourceStore {
  return {
    create: (tenantId, fields, collection) =>
      prisma.$transaction(async (transaction) => {
        const id = idAt(await takeIds(transaction, tenantId, { [collection]: 1 }), collection, 0);
        await transaction.resource.create({ data: { tenantId, id, ...columnsOf(fields) } });
        return id;
      }, transactionLimits),

    async find(tenantId, id) {
      const row = await prisma.resource.findUnique({ where: { tenantId_id: { tenantId, id }, deletedAt: null } });
      if (row === null) return undefined;
      // Written by this store alone, from values in wire form.
      return { id, fields: { ...(row.fields as FieldValues), email: row.email, isActive: String(row.isActive) } };
    },

    update: (tenantId, id, fields, actorResourceId) => updateResource(pool, tenantId, id, fields, actorResourceId),
    remove: (tenantId, id, actorResourceId) => removeResource(pool, tenantId, id, actorResourceId),
  };
}

/** What is asked for with every request has columns of its own; the rest is one value. */
function columnsOf({ email, isActive, ...fields }: FieldValues) {
  return { email: email ?? '', isActive: isActive === 'true', fields };
}
