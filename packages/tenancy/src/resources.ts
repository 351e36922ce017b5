import type { FieldValues } from '@callout/domain/values/values';
import { assignId } from '@callout/database/tables/counters';
import type { Database } from '@callout/database/connection/database';
import { removeResource, updateResource } from './resource-changes.ts';
import type { DueWebhooks } from '@callout/webhooks/webhook-changes';

/** A resource as reads need it: the fields of the catalogue, in wire form. */
export interface StoredResource {
  id: number;
  fields: FieldValues;
}

export interface ResourceStore {
  /** Makes a resource; returns its id. `collection` numbers it. It has no rights at first. */
  create(tenantId: number, fields: FieldValues, collection: string): Promise<number>;
  find(tenantId: number, id: number): Promise<StoredResource | undefined>;
  /**
   * Changes the named fields. When it becomes inactive, so do the webhooks it owns. `actorResourceId` is the actor;
   * null is an operator.
   * @throws a Problem: `notFound` without such a resource, `conflict` when a resource would deactivate the tenant's
   * last admin.
   */
  update(tenantId: number, id: number, fields: FieldValues, actorResourceId: number | null): Promise<DueWebhooks>;
  /**
   * Deletes a resource: the webhooks it owns become inactive, and the exclusions that name it go. Its row stays, for
   * the address to which notifications of its webhooks are sent.
   * @throws a Problem: `notFound` without such a resource, `conflict` when a resource would delete the tenant's last
   * admin.
   */
  remove(tenantId: number, id: number, actorResourceId: number | null): Promise<DueWebhooks>;
}

/** Resources of a tenant, as the API knows them. Their credentials and rights are an operator's business. */
export function createResourceStore(database: Pick<Database, 'prisma' | 'transaction' | 'pool'>): ResourceStore {
  return {
    create: (tenantId, fields, collection) =>
      database.transaction(tenantId, async ({ models, sets }) => {
        const id = await assignId(sets, tenantId, collection);
        await models.resource.create({ data: { tenantId, id, ...columnsOf(fields) } });
        return id;
      }),

    async find(tenantId, id) {
      const row = await database.prisma.resource.findUnique({
        where: { tenantId_id: { tenantId, id }, deletedAt: null },
      });
      if (row === null) return undefined;
      // Written by this store alone, from values in wire form.
      return { id, fields: { ...(row.fields as FieldValues), email: row.email, isActive: String(row.isActive) } };
    },

    update: (tenantId, id, fields, actorResourceId) => updateResource(database, tenantId, id, fields, actorResourceId),
    remove: (tenantId, id, actorResourceId) => removeResource(database, tenantId, id, actorResourceId),
  };
}

/** Values that every request reads have columns of their own; the rest is one value. */
function columnsOf({ email, isActive, ...fields }: FieldValues) {
  return { email: email ?? '', isActive: isActive === 'true', fields };
}
