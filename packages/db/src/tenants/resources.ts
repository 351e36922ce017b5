import type { FieldValues } from '@callout/core/ingest';
import { takeId } from '../webhooks/counters.ts';
import type { Database } from '../connection/database.ts';
import { removeResource, updateResource } from './resource-changes.ts';
import type { DueWebhooks } from '../webhooks/webhook-changes.ts';

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
   * @throws a Problem: `notFound` without such a resource, `conflict` when a resource would deactivate the tenant's
   * last admin.
   */
  update(tenantId: number, id: number, fields: FieldValues, actorResourceId: number | null): Promise<DueWebhooks>;
  /**
   * Deletes a resource: the webhooks it owns become inactive, and the exclusions that name it go. Its row stays, for the
   * address to which notifications of its webhooks are sent.
   * @throws a Problem: `notFound` without such a resource, `conflict` when a resource would delete the tenant's last
   * admin.
   */
  remove(tenantId: number, id: number, actorResourceId: number | null): Promise<DueWebhooks>;
}

/** Resources of a tenant, as the API knows them. Their credentials and rights are an operator's business. */
export function createResourceStore(database: Pick<Database, 'prisma' | 'transaction' | 'pool'>): ResourceStore {
  return {
    create: (tenantId, fields, collection) =>
      database.transaction(async ({ models, sets }) => {
        const id = await takeId(sets, tenantId, collection);
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

/** What is asked for with every request has columns of its own; the rest is one value. */
function columnsOf({ email, isActive, ...fields }: FieldValues) {
  return { email: email ?? '', isActive: isActive === 'true', fields };
}
