import { beforeAll, describe, expect, it } from '@jest/globals';
import { failure } from '../fixtures/failure.ts';
import { runTestApi } from '../fixtures/run-test-api.ts';
import { makeCredential, makeTenant, type TestTenant } from '../fixtures/test-tenant.ts';

const api = runTestApi();
let tenant: TestTenant;

beforeAll(async () => {
  tenant = await makeTenant(api.database);
});

describe('credentials', () => {
  it('are needed for everything else', async () => {
    await expect(api.call('GET', '/CompanyWebhooks/1')).resolves.toMatchObject({
      status: 401,
      body: failure('unauthorized', expect.stringContaining('UserName, Secret and ApiIntegrationCode')),
    });
  });

  it('are refused with the same message for any mistake', async () => {
    const { source } = tenant;
    const responses = await Promise.all(
      [
        { ...source, userName: 'unknown@example.com' },
        { ...source, secret: 'wrong' },
        { ...source, apiIntegrationCode: 'wrong' },
        { ...source, secret: tenant.admin.secret },
      ].map((as) => api.call('GET', '/Companies/1', { as })),
    );
    expect(new Set(responses.map((response) => JSON.stringify(response.body))).size).toBe(1);
    expect(responses.map((response) => response.status)).toEqual([401, 401, 401, 401]);
  });

  it('ignore the case of the user name', async () => {
    const as = { ...tenant.source, userName: tenant.source.userName.toUpperCase() };
    await expect(api.call('GET', '/Companies/1', { as })).resolves.toMatchObject({ status: 404 });
  });

  it('stop working at once when their resource is deactivated, deleted, or they are revoked', async () => {
    const { prisma } = api.database;
    const own = await makeTenant(api.database);
    const id = { tenantId_id: { tenantId: own.id, id: own.source.resourceId } };
    const status = async (as = own.source) => (await api.call('GET', '/Companies/1', { as })).status;
    expect(await status()).toBe(404);
    await prisma.resource.update({ where: id, data: { isActive: false } });
    await expect(api.call('GET', '/Companies/1', { as: own.source })).resolves.toMatchObject({
      status: 401,
      body: failure('unauthorized', expect.stringContaining('not active')),
    });
    await prisma.resource.update({ where: id, data: { isActive: true } });
    expect(await status()).toBe(404);
    await prisma.resource.update({ where: id, data: { deletedAt: new Date() } });
    expect(await status()).toBe(401);
    await prisma.credential.update({
      where: { userNameFolded: own.admin.userName.toLowerCase() },
      data: { revokedAt: new Date() },
    });
    expect(await status(own.admin)).toBe(401);
  });

  it('are refused with the rights and roles of the documentation', async () => {
    const { body } = await api.call('GET', '/companywebhooks/1/fields/2', { as: tenant.source });
    expect(body).toMatchObject({
      errors: [
        'A credential with the role source may not GET /CompanyWebhooks/{parentId}/Fields/{id}. ' +
          'It needs the role integrator or admin; GET /docs/api explains the roles.',
      ],
    });
  });

  it('may act for another active resource of their tenant, and for no other', async () => {
    const other = await makeTenant(api.database);
    await makeCredential(api.database, other.id, other.admin.resourceId, 'admin');
    const asResource = (id: string) =>
      api.call('GET', '/Companies/1', { as: tenant.source, headers: { ImpersonationResourceId: id } });
    await expect(asResource('3')).resolves.toMatchObject({ status: 404 });
    for (const id of ['99', '0', '-1', '1.5', 'x', '99999999999']) {
      await expect(asResource(id)).resolves.toMatchObject({ status: 400 });
    }
  });
});
