import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { deletions, otherRoutes, routesOfEntity } from './fixtures/every-route.ts';
import { failure } from './fixtures/failure.ts';
import { runTestApi } from './fixtures/run-test-api.ts';
import { makeTenant, type TestTenant } from './fixtures/test-tenant.ts';
import { webhookBody } from './fixtures/webhook-body.ts';
import { makeWholeTenant, resourceBody, type WholeTenant } from './fixtures/whole-tenant.ts';

const api = runTestApi();
let tenant: WholeTenant;
let stranger: TestTenant;

beforeAll(async () => {
  tenant = await makeWholeTenant(api);
});

beforeEach(async () => {
  stranger = await makeTenant(api.database);
});
/** All rows of a tenant that routes can change. */
async function contentOf(tenantId: number): Promise<string> {
  const { prisma } = api.database;
  const where = { where: { tenantId } };
  const rows = await Promise.all([
    prisma.webhook.findMany({ ...where, orderBy: { key: 'asc' } }),
    prisma.webhookField.findMany({ ...where, orderBy: [{ entityType: 'asc' }, { id: 'asc' }] }),
    prisma.webhookUdfField.findMany({ ...where, orderBy: [{ entityType: 'asc' }, { id: 'asc' }] }),
    prisma.webhookExcludedResource.findMany({ ...where, orderBy: [{ entityType: 'asc' }, { id: 'asc' }] }),
    prisma.resource.findMany({ ...where, orderBy: { id: 'asc' } }),
    prisma.udfDefinition.findMany({ ...where, orderBy: { id: 'asc' } }),
    prisma.record.findMany({ ...where, orderBy: [{ entityType: 'asc' }, { id: 'asc' }] }),
    prisma.webhookEventErrorLog.findMany({ ...where, orderBy: { id: 'asc' } }),
    prisma.counter.findMany({ ...where, orderBy: { collection: 'asc' } }),
    prisma.callout.findMany({ ...where, orderBy: { id: 'asc' } }),
    prisma.openCallout.findMany({ ...where, orderBy: { calloutId: 'asc' } }),
  ]);
  return JSON.stringify(rows, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
}

describe("another tenant's ids", () => {
  it('are 404 in every route and child route, and nothing changes', async () => {
    const entities = api.catalogue.watched;
    const withUdfs = entities.filter((one) => one.hasUserDefinedFields);
    const cases = [
      ...entities.flatMap((entity) => routesOfEntity(entity, withUdfs.indexOf(entity) + 1, tenant.logged)),
      ...otherRoutes(tenant.errorLogId, tenant.logged),
      ...deletions(entities, tenant.errorLogId),
    ].filter((one) => one.namesOwn);
    expect(cases.length).toBeGreaterThan(150);
    const before = await contentOf(tenant.id);
    for (const { method, path, body } of cases) {
      const label = `${method} ${path}`;
      const response = await api.call(method, path, { as: stranger.admin, body });
      // The body at this root twin names a user-defined field as well, which does not exist either.
      const isUdfTwin = method === 'POST' && /^\/\w+WebhookUdfFields$/.test(path);
      // A filter that selects nothing: the list is empty.
      const isFilter = path.startsWith('/Callouts/export?');
      if (isFilter) expect({ [label]: [response.status, response.body] }).toEqual({ [label]: [200, undefined] });
      else expect({ [label]: response.status }).toEqual({ [label]: isUdfTwin ? 400 : 404 });
    }
    expect(await contentOf(tenant.id)).toBe(before);
    const [webhooks] = JSON.parse(await contentOf(stranger.id)) as unknown[][];
    expect(webhooks).toEqual([]);
  });

  it('cannot be named in bodies: resources, user-defined fields, impersonated persons', async () => {
    const as = stranger.integrator;
    const create = (change: object) =>
      api.call('POST', '/CompanyWebhooks', { as, body: { ...webhookBody(), ...change } });
    await expect(create({ excludedResources: [{ resourceID: 4 }] })).resolves.toMatchObject({ status: 400 });
    await expect(create({ udfFields: [{ udfFieldID: 1 }] })).resolves.toMatchObject({ status: 400 });
    await expect(create({})).resolves.toMatchObject({ status: 200, body: { itemId: 1 } });
    const simulated = (change: object) =>
      api.call('POST', '/CompanyWebhooks/simulate', { as, body: { webhook: { ...webhookBody(), ...change } } });
    await expect(simulated({})).resolves.toMatchObject({ status: 200 });
    await expect(simulated({ udfFields: [{ udfFieldID: 1 }] })).resolves.toMatchObject({ status: 400 });
    const child = (segment: string, body: object) => api.call('POST', `/CompanyWebhooks/1/${segment}`, { as, body });
    await expect(child('ExcludedResources', { resourceID: 4 })).resolves.toMatchObject({ status: 400 });
    await expect(child('UdfFields', { udfFieldID: 1 })).resolves.toMatchObject({ status: 400 });
    const headers = { ImpersonationResourceId: '4' };
    await expect(api.call('GET', '/CompanyWebhooks/1', { as, headers })).resolves.toMatchObject({ status: 400 });
  });
});

describe('mass assignment', () => {
  const hidden = {
    id: 77,
    key: 77,
    tenantId: 1,
    webhookGUID: '00000000-0000-4000-8000-000000000000',
    guid: '00000000-0000-4000-8000-000000000000',
    ownerResourceID: 2,
    isReady: true,
    version: 99,
    activatedAt: '2000-01-01',
    lastSequence: 99,
    deletedAt: '2000-01-01',
    canCreateWebhooks: true,
    role: 'admin',
  };

  it('does not reach what is read-only or internal, at creation and in updates', async () => {
    const as = stranger.integrator;
    await api.call('POST', '/CompanyWebhooks', { as, body: { ...webhookBody(), ...hidden } });
    const { id: _id, ...changes } = hidden;
    await api.call('PATCH', '/CompanyWebhooks/1', { as, body: changes });
    await api.call('PUT', '/CompanyWebhooks', {
      as,
      body: { ...webhookBody({ sendThresholdExceededNotification: false }), ...changes, id: 1 },
    });
    const [webhook] = await api.database.prisma.webhook.findMany({ where: { tenantId: stranger.id } });
    expect(webhook).toMatchObject({
      id: 1,
      ownerResourceId: 1,
      lastSequence: 0n,
      deletedAt: null,
      tenantId: stranger.id,
    });
    expect(webhook?.guid).not.toBe(hidden.guid);
    expect(webhook?.version).toBeLessThan(99);
    expect(webhook?.activatedAt?.getTime()).toBeGreaterThan(Date.parse('2001-01-01'));
  });

  it('does not reach the ids of children, or rights of resources', async () => {
    const as = stranger.admin;
    await api.call('POST', '/CompanyWebhooks', { as, body: webhookBody() });
    const field = { ...hidden, fieldID: 2 };
    await expect(api.call('POST', '/CompanyWebhooks/1/Fields', { as, body: field })).resolves.toMatchObject({
      body: { itemId: 1 },
    });
    const made = await api.call('POST', '/Resources', { as, body: { ...resourceBody, ...hidden, id: 'not even one' } });
    expect(made).toMatchObject({ status: 200, body: { itemId: 4 } });
    await api.call('PATCH', '/Resources/4', {
      as,
      body: { canCreateWebhooks: true, tenantId: tenant.id, userType: 9 },
    });
    const rows = await api.database.prisma.resource.findMany({ where: { id: 4, tenantId: stranger.id } });
    expect(rows).toEqual([expect.objectContaining({ canCreateWebhooks: false, deletedAt: null })]);
    await expect(api.call('GET', '/Resources/4', { as })).resolves.toMatchObject({ body: { item: { userType: 1 } } });
  });
});

describe('keys that differ by case only', () => {
  it.each([
    ['POST', '/CompanyWebhooks', webhookBody({ NAME: 'again' })],
    ['PATCH', '/CompanyWebhooks/1', { isactive: true, ISACTIVE: false }],
    ['POST', '/CompanyWebhooks/1/Fields', { fieldID: 2, FieldID: 3 }],
    ['PATCH', '/CompanyWebhooks/1/Fields/1', { isSubscribedField: true, issubscribedfield: false }],
    ['POST', '/Resources', { ...resourceBody, EMAIL: 'other@example.com' }],
    ['POST', '/UserDefinedFieldDefinitions', { entityType: 'Account', dataType: 'string', name: 'a', Name: 'b' }],
  ])('are 400: %s %s', async (method, path, body) => {
    const response = await api.call(method, path, { as: tenant.admin, body });
    expect(response).toMatchObject({ status: 400, body: failure('duplicateKey') });
  });
});
