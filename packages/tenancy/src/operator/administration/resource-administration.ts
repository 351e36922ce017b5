import { Problem } from '@callout/domain/problem/problem';
import { emptyFieldValues } from '@callout/domain/values/values';
import { parseResourceChanges, parseResourceCreate } from '../../input/resource-input.rules.ts';
import type { Database } from '@callout/database/connection/database';
import { updateResource } from '../../resource-changes.ts';
import { createTenantStore } from '../../tenants.ts';
import type { Page } from './tenant-administration.ts';

export interface ResourceItem {
  readonly id: number;
  readonly email: string;
  readonly isActive: boolean;
  readonly canCreateWebhooks: boolean;
}

export interface ResourceAdministration {
  /** The resources of a tenant that are not deleted. */
  list(tenantId: number, page: Page): Promise<ResourceItem[]>;
  read(tenantId: number, id: number): Promise<ResourceItem>;
  /** Makes a resource of a body with an email, and canCreateWebhooks if wanted. */
  create(tenantId: number, body: unknown): Promise<ResourceItem>;
  /** Changes the keys of the body. With `isActive: false` the webhooks that it owns become inactive too. */
  update(tenantId: number, id: number, body: unknown): Promise<ResourceItem>;
}

const select = { id: true, email: true, isActive: true, canCreateWebhooks: true } as const;

/** Resources and their rights, as operators see them. Throws Problems: `invalid` and `notFound`. */
export function createResourceAdministration(
  database: Pick<Database, 'prisma' | 'transaction' | 'pool'>,
): ResourceAdministration {
  const { prisma, transaction } = database;
  const tenants = createTenantStore(database);

  async function mustHaveTenant(tenantId: number): Promise<void> {
    const tenant = await prisma.tenant.findUnique({ where: { id: tenantId }, select: { id: true } });
    if (tenant === null) throw Problem.notFound(`No matching records found: there is no tenant ${tenantId}`);
  }

  async function read(tenantId: number, id: number): Promise<ResourceItem> {
    const row = await prisma.resource.findUnique({ where: { tenantId_id: { tenantId, id }, deletedAt: null }, select });
    if (row !== null) return row;
    throw Problem.notFound(`No matching records found: tenant ${tenantId} has no resource ${id}`);
  }

  return {
    async list(tenantId, { after, limit }) {
      await mustHaveTenant(tenantId);
      const where = { tenantId, id: { gt: after }, deletedAt: null };
      return prisma.resource.findMany({ where, select, orderBy: { id: 'asc' }, take: limit });
    },
    read,
    async create(tenantId, body) {
      const resource = parseResourceCreate(body);
      await mustHaveTenant(tenantId);
      return read(tenantId, await tenants.createResource({ tenantId, ...resource }));
    },
    async update(tenantId, id, body) {
      const { canCreateWebhooks, email, isActive } = parseResourceChanges(body);
      await read(tenantId, id);
      if (canCreateWebhooks !== undefined) {
        await transaction(tenantId, ({ models }) =>
          models.resource.update({ where: { tenantId_id: { tenantId, id } }, data: { canCreateWebhooks } }),
        );
      }
      const fields = emptyFieldValues();
      if (email !== undefined) fields['email'] = email;
      if (isActive !== undefined) fields['isActive'] = String(isActive);
      // In the same way as a change through the API: the webhooks that the resource owns follow.
      if (Object.keys(fields).length > 0) await updateResource(database, tenantId, id, fields, null);
      return read(tenantId, id);
    },
  };
}
