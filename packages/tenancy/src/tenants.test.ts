import { beforeAll, describe, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import { createTenantStore, type TenantStore } from './tenants.ts';
import { useDatabase } from '@callout/database/fixtures/own-database';

const database = useDatabase(createDisposableDatabase);
let tenants: TenantStore;

beforeAll(async () => {
  tenants = createTenantStore(database);
});

describe('tenants', () => {
  it('are found by their names, and numbered resources are theirs', async () => {
    const id = await tenants.create({ name: 'First' });
    expect(await tenants.findByName('First')).toBe(id);
    expect(await tenants.findByName('first')).toBeUndefined();
    const resource = { tenantId: id, email: 'a@example.com', canCreateWebhooks: true };
    expect([await tenants.createResource(resource), await tenants.createResource(resource)]).toEqual([1, 2]);
  });

  it('get a new secret for a credential, which replaces the old one, also when that was revoked', async () => {
    const tenantId = await tenants.create({ name: 'Second' });
    const resourceId = await tenants.createResource({ tenantId, email: 'a@example.com', canCreateWebhooks: false });
    const first = await tenants.createCredential({ tenantId, resourceId, userName: 'Ada@second', role: 'admin' });
    expect(await tenants.isUsable(tenantId, 'admin', first)).toBe(true);

    const { prisma } = database;
    await prisma.credential.updateMany({ where: { tenantId }, data: { revokedAt: new Date() } });
    expect(await tenants.isUsable(tenantId, 'admin', first)).toBe(false);

    const second = await tenants.reissueCredential(tenantId, 'ada@SECOND');
    expect(second && (await tenants.isUsable(tenantId, 'admin', second))).toBe(true);
    expect(await tenants.isUsable(tenantId, 'admin', first)).toBe(false);
  });

  it('cannot change the credentials of another tenant', async () => {
    const tenantId = await tenants.create({ name: 'Third' });
    const other = await tenants.create({ name: 'Fourth' });
    const resourceId = await tenants.createResource({ tenantId, email: 'a@example.com', canCreateWebhooks: false });
    const issued = await tenants.createCredential({ tenantId, resourceId, userName: 'a@third', role: 'source' });
    expect(await tenants.reissueCredential(other, 'a@third')).toBeUndefined();
    expect(await tenants.isUsable(tenantId, 'source', issued)).toBe(true);
  });

  it('distinguish a credential that works from one with another code, role, tenant or an inactive resource', async () => {
    const tenantId = await tenants.create({ name: 'Fifth' });
    const resourceId = await tenants.createResource({ tenantId, email: 'a@example.com', canCreateWebhooks: false });
    const issued = await tenants.createCredential({ tenantId, resourceId, userName: 'a@fifth', role: 'source' });
    expect(await tenants.isUsable(tenantId, 'source', { ...issued, apiIntegrationCode: 'other' })).toBe(false);
    expect(await tenants.isUsable(tenantId, 'admin', issued)).toBe(false);
    expect(await tenants.isUsable(tenantId + 1, 'source', issued)).toBe(false);
    await database.prisma.resource.updateMany({ where: { tenantId }, data: { isActive: false } });
    expect(await tenants.isUsable(tenantId, 'source', issued)).toBe(false);
  });
});
