import { byOperator } from '@callout/domain/changes/actor';
import { Problem } from '@callout/domain/problem';
import { emptyFieldValues } from '@callout/domain/values/values';
import { parseResourceChanges, parseResourceCreate } from '../../input/resource-input.rules.ts';
import type { Database } from '@callout/database/connection/database';
import { updateResource } from '../../resource-changes.ts';
import { createTenantStore } from '../../tenants.ts';
import type { Page } from './tenant-administration.ts';

const select = { id: true, email: true, isActive: true, canCreateWebhooks: true } as const;

/** Resources and their rights, as operators see them. Throws Problems: `invalid` and `notFound`. */
export function createResourceAdministration(database: Pick<Database, 'prisma' | 'transaction' | 'pool'>) {
  const { prisma } = database;
  const tenants = createTenantStore(database);

  async function mustHaveTenant(tenantId: number): Promise<void> {
    const tenant = await prisma.tenant.findUnique({ where: { id: tenantId }, select: { id: true } });
    if (tenant === null) throw Problem.notFound(`No matching records found: there is no tenant ${tenantId}`);
  }

  async function read(tenantId: number, id: number) {
    const row = await prisma.resource.findUnique({ where: { tenantId_id: { tenantId, id }, deletedAt: null }, select });
    if (row !== null) return row;
    throw Problem.notFound(`No matching records found: tenant ${tenantId} has no resource ${id}`);
  }

  return {
    /** The resources of a tenant that are not deleted. */
    async list(tenantId: number, { after, limit }: Page) {
      await mustHaveTenant(tenantId);
      const where = { tenantId, id: { gt: after }, deletedAt: null };
      return prisma.resource.findMany({ where, select, orderBy: { id: 'asc' }, take: limit });
    },
    read,
    /** Makes a resource of a body with an email, and canCreateWebhooks if wanted. */
    async create(tenantId: number, body: unknown) {
      const resource = parseResourceCreate(body);
      await mustHaveTenant(tenantId);
      return read(tenantId, await tenants.createResource({ tenantId, ...resource }));
    },
    /** Changes the keys of the body. With `isActive: false` the webhooks of the resource become inactive too. */
    async update(tenantId: number, id: number, body: unknown) {
      const { canCreateWebhooks, email, isActive } = parseResourceChanges(body);
      await read(tenantId, id);
      const fields = emptyFieldValues();
      if (email !== undefined) fields['email'] = email;
      if (isActive !== undefined) fields['isActive'] = String(isActive);
      const rights = canCreateWebhooks === undefined ? {} : { canCreateWebhooks };
      // As a change through the API: the webhooks of the resource follow.
      await updateResource(database, tenantId, id, fields, byOperator, undefined, rights);
      return read(tenantId, id);
    },
  };
}
