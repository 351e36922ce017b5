import { beforeEach, describe, expect, it } from '@jest/globals';
import { createAdministration } from '@callout/tenancy/operator/administration/administration';
import { eventually } from '@callout/testing';
import { failure } from '../../fixtures/failure.ts';
import { runTestApi } from '../../fixtures/run-test-api.ts';
import { makeCredential, makeTenant, type TestTenant, tenantPerTest } from '../../fixtures/test-tenant.ts';
import { webhookBody } from '../../fixtures/webhook-body.ts';
import { resourceBody } from '../../fixtures/whole-tenant.ts';

const api = runTestApi();
const tenant = tenantPerTest(() => makeTenant(api.database));

const call = (method: string, path: string, body?: unknown) => api.call(method, path, { as: tenant.admin, body });
const read = async (id = 4) => ((await call('GET', `/Resources/${id}`)).body as { item: unknown }).item;
const webhooks = () =>
  api.database.prisma.webhook.findMany({
    where: { tenantId: tenant.id },
    orderBy: [{ entityType: 'asc' }, { id: 'asc' }],
  });

describe('creating a resource', () => {
  it('gives it the next id, and keeps what it is given', async () => {
    const body = { ...resourceBody, isActive: 'True', userType: '5', mobilePhone: '555' };
    await expect(call('POST', '/Resources', body)).resolves.toMatchObject({ status: 200, body: { itemId: 4 } });
    await expect(call('POST', '/resources/', body)).resolves.toMatchObject({ status: 200, body: { itemId: 5 } });
    expect(await read()).toEqual({
      ...resourceBody,
      id: 4,
      userType: 5,
      mobilePhone: '555',
      middleName: null,
      title: null,
      officePhone: null,
      defaultServiceDeskRoleID: null,
    });
  });

  it('gives no gap in the ids when two clients create at once and some are refused', async () => {
    const other = await makeCredential(api.database, tenant.id, tenant.admin.resourceId, 'admin');
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        api.call('POST', '/Resources', {
          as: n % 2 === 0 ? tenant.admin : other,
          body: n % 5 === 0 ? { ...resourceBody, email: 'nobody' } : resourceBody,
        }),
      ),
    );
    const made = responses
      .filter((response) => response.status === 200)
      .map(({ body }) => (body as { itemId: number }).itemId);
    expect(made.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 16 }, (_, n) => n + 4));
  });

  it.each([
    ['without what is required', {}, ['userName', 'firstName', 'lastName', 'email', 'isActive', 'resourceType']],
    ['with an address that is none', { ...resourceBody, email: 'a@b.c, d@e.f' }, ['email']],
    ['with a text that is too long', { ...resourceBody, userName: 'x'.repeat(33) }, ['userName']],
    ['with null for what is required', { ...resourceBody, isActive: null }, ['isActive']],
    ['with a boolean that is none', { ...resourceBody, isActive: 'perhaps' }, ['isActive']],
  ])('is refused %s', async (_, body, fields) => {
    const response = await call('POST', '/Resources', body);
    expect(response.status).toBe(400);
    const { details } = response.body as { details: { field: string }[] };
    expect(details.map((detail) => detail.field)).toEqual(expect.arrayContaining(fields));
  });
});

describe('changing a resource', () => {
  beforeEach(async () => {
    await call('POST', '/Resources', { ...resourceBody, title: 'Dr' });
  });

  it('by PATCH changes what is named, with the id in body or path', async () => {
    await expect(call('PATCH', '/Resources', { ID: '4', FirstName: 'Jan' })).resolves.toMatchObject({
      status: 200,
      body: { itemId: 4 },
    });
    await call('PATCH', '/Resources/4', { email: 'jan@example.com', userType: 7 });
    expect(await read()).toMatchObject({ firstName: 'Jan', email: 'jan@example.com', title: 'Dr', userType: 1 });
  });

  it('by PUT empties what is left out, and needs what is required', async () => {
    await expect(call('PUT', '/Resources', { id: 4, firstName: 'Jan' })).resolves.toMatchObject({ status: 400 });
    await expect(call('PUT', '/Resources/4', resourceBody)).resolves.toMatchObject({ status: 200 });
    expect(await read()).toMatchObject({ title: null, userType: 1, locationID: 1 });
  });

  it.each([
    ['PATCH', '/Resources', { firstName: 'x' }, 400],
    ['PATCH', '/Resources/4', { id: 5 }, 400],
    ['PATCH', '/Resources/4', { email: null }, 400],
    ['PATCH', '/Resources/4', { email: 'nobody' }, 400],
    ['PATCH', '/Resources', { id: 99 }, 404],
    ['PATCH', '/Resources', { id: 2 ** 31 }, 404],
    ['PUT', '/Resources', { ...resourceBody, id: 99 }, 404],
    ['DELETE', '/Resources/99', undefined, 404],
    ['POST', '/Resources/4', {}, 405],
  ])('%s %s %j is %i', async (method, path, body, status) => {
    await expect(call(method, path, body)).resolves.toMatchObject({ status });
  });
});

describe.each([
  ['deactivating', 'PATCH', { isActive: false }],
  ['deleting', 'DELETE', undefined],
])('%s a resource', (_, method, body) => {
  const deactivate = () => call(method, `/Resources/${tenant.integrator.resourceId}`, body);

  it('revokes its credentials at once', async () => {
    const asIntegrator = () => api.call('GET', '/Companies/1', { as: tenant.integrator });
    await expect(asIntegrator()).resolves.toMatchObject({ status: 404 });
    await expect(deactivate()).resolves.toMatchObject({ status: 200 });
    await expect(asIntegrator()).resolves.toMatchObject({ status: 401, body: failure('unauthorized') });
  });

  it('deactivates the webhooks it owns, of every entity, and no others', async () => {
    const create = (as: TestTenant['admin'], path: string, change = {}) =>
      api.call('POST', path, { as, body: webhookBody(change) });
    await create(tenant.integrator, '/CompanyWebhooks');
    await create(tenant.integrator, '/TicketWebhooks');
    await create(tenant.integrator, '/CompanyWebhooks', { isActive: false });
    await create(tenant.admin, '/CompanyWebhooks');
    await deactivate();
    expect(
      (await webhooks()).map(({ entityType, id, isActive, version }) => [entityType, id, isActive, version]),
    ).toEqual([
      ['Account', 1, false, 2],
      ['Account', 2, false, 1],
      ['Account', 3, true, 1],
      ['Ticket', 1, false, 2],
    ]);
  });

  it('leaves no active webhook behind that is being created or activated at the same time', async () => {
    for (let n = 0; n < 4; n += 1) {
      await api.call('POST', '/CompanyWebhooks', { as: tenant.integrator, body: webhookBody({ isActive: false }) });
    }
    const responses = await Promise.all([
      ...[1, 2].map((id) => call('PATCH', '/CompanyWebhooks', { id, isActive: true })),
      api.call('POST', '/CompanyWebhooks', { as: tenant.integrator, body: webhookBody() }),
      deactivate(),
      ...[3, 4].map((id) => call('PATCH', '/CompanyWebhooks', { id, isActive: true })),
      api.call('POST', '/ContactWebhooks', { as: tenant.integrator, body: webhookBody() }),
    ]);
    // 401 and 409: it came too late. 200: it came first, and was deactivated.
    for (const { status } of responses) expect([200, 401, 409]).toContain(status);
    expect((await webhooks()).filter((webhook) => webhook.isActive)).toEqual([]);
  });
});

describe('deleting a resource', () => {
  it('removes the exclusions that name it, as a new version of their webhooks', async () => {
    await call('POST', '/Resources', resourceBody);
    const excluding = { excludedResources: [{ resourceID: 4 }, { resourceID: 3 }] };
    await call('POST', '/CompanyWebhooks', webhookBody(excluding));
    await call('POST', '/TicketNoteWebhooks', webhookBody({ ...excluding, isActive: false }));
    await call('POST', '/TicketWebhooks', webhookBody());
    await expect(call('DELETE', '/Resources/4')).resolves.toMatchObject({ status: 200, body: { itemId: 4 } });
    for (const path of ['/CompanyWebhooks/1', '/TicketNoteWebhooks/1']) {
      expect((await call('GET', `${path}/ExcludedResources`)).body).toMatchObject({
        items: [{ id: 2, resourceID: 3 }],
      });
    }
    expect((await webhooks()).map(({ entityType, isActive, version }) => [entityType, isActive, version])).toEqual([
      ['Account', true, 2],
      ['Ticket', true, 1],
      ['TicketNote', false, 2],
    ]);
    await expect(call('POST', '/TicketWebhooks/1/ExcludedResources', { resourceID: 4 })).resolves.toMatchObject({
      status: 400,
    });
  });

  it('is final: the id names nothing, and is not used again; its address is kept', async () => {
    await call('POST', '/Resources', resourceBody);
    await call('DELETE', '/Resources/4');
    const gone = [call('GET', '/Resources/4'), call('DELETE', '/Resources/4'), call('PATCH', '/Resources/4', {})];
    expect((await Promise.all(gone)).map((response) => response.status)).toEqual([404, 404, 404]);
    await expect(call('POST', '/Resources', resourceBody)).resolves.toMatchObject({ body: { itemId: 5 } });
    const kept = await api.database.prisma.resource.findFirst({ where: { tenantId: tenant.id, id: 4 } });
    expect(kept).toMatchObject({ email: resourceBody.email, isActive: false, deletedAt: expect.any(Date) });
  });

  it('waits for a webhook that is being made and excludes it, and lets that webhook have an admin as its owner', async () => {
    const { body } = await call('POST', '/Resources', resourceBody);
    const { itemId } = body as { itemId: number };
    const webhook = await api.database.pool.connect();
    try {
      await webhook.query('BEGIN');
      // Locks as a new webhook does: its exclusions, and then, by its foreign key, its owner.
      const its = 'SELECT FROM resources WHERE tenant_id = $1';
      await webhook.query(`${its} AND id = $2 FOR SHARE`, [tenant.id, itemId]);
      const deleting = call('DELETE', `/Resources/${itemId}`);
      const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      await eventually(async () => (await api.database.pool.query(waiting)).rowCount === 1);
      await webhook.query(`${its} ORDER BY id FOR KEY SHARE`, [tenant.id]);
      await webhook.query('COMMIT');
      await expect(deleting).resolves.toMatchObject({ status: 200 });
    } finally {
      webhook.release(true);
    }
  });

  it('and excluding it at the same time leaves no exclusion of what is gone', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { body } = await call('POST', '/Resources', resourceBody);
      const { itemId } = body as { itemId: number };
      const responses = await Promise.all([
        call('POST', '/CompanyWebhooks', webhookBody({ isActive: false, excludedResources: [{ resourceID: itemId }] })),
        call('DELETE', `/Resources/${itemId}`),
        call('POST', '/ContactWebhooks', webhookBody({ isActive: false, excludedResources: [{ resourceID: itemId }] })),
      ]);
      for (const { status } of responses) expect([200, 400]).toContain(status);
    }
    expect(await api.database.prisma.webhookExcludedResource.count({ where: { tenantId: tenant.id } })).toBe(0);
  });
});

describe('reactivating a resource', () => {
  it('opens its credentials again and leaves its webhooks as they are', async () => {
    await api.call('POST', '/CompanyWebhooks', { as: tenant.integrator, body: webhookBody() });
    await call('PATCH', '/Resources/1', { isActive: false });
    await call('PATCH', '/Resources/1', { isActive: true });
    await expect(api.call('GET', '/CompanyWebhooks/1', { as: tenant.integrator })).resolves.toMatchObject({
      status: 200,
      body: { item: { isActive: false } },
    });
    await expect(call('PATCH', '/CompanyWebhooks/1', { isActive: true })).resolves.toMatchObject({ status: 200 });
  });
});

describe('the admins of a tenant', () => {
  const another = () => makeCredential(api.database, tenant.id, 1, 'admin');

  it.each([
    ['PATCH', { isActive: false }],
    ['DELETE', undefined],
  ])('keep the last one of them: %s is 409, and changes nothing', async (method, body) => {
    const response = await call(method, '/Resources/3', body);
    expect(response).toMatchObject({ status: 409, body: failure('conflict') });
    expect((response.body as { errors: string[] }).errors[0]).toContain('the only active one with an admin credential');
    await expect(call('GET', '/Resources/3')).resolves.toMatchObject({ body: { item: { isActive: true } } });
  });

  it('count only with a credential that is not revoked, on a resource that is active', async () => {
    await another();
    const { prisma } = api.database;
    await prisma.credential.updateMany({
      where: { tenantId: tenant.id, resourceId: 1, role: 'admin' },
      data: { revokedAt: new Date() },
    });
    await expect(call('DELETE', '/Resources/3')).resolves.toMatchObject({ status: 409 });
    await prisma.credential.updateMany({ where: { tenantId: tenant.id }, data: { revokedAt: null } });
    await call('PATCH', '/Resources/1', { isActive: false });
    await expect(call('DELETE', '/Resources/3')).resolves.toMatchObject({ status: 409 });
  });

  it.each([
    ['PATCH', { isActive: false }, 'deactivated'],
    ['DELETE', undefined, 'deleted'],
  ])('learn from %s that they have ended their own access', async (method, body, how) => {
    await another();
    const response = await call(method, '/Resources/3', body);
    expect(response).toMatchObject({ status: 200, body: { itemId: 3, warnings: [expect.stringContaining(how)] } });
    await expect(call('GET', '/Resources/3')).resolves.toMatchObject({ status: 401 });
  });

  it('do not all vanish when two deactivate each other at once', async () => {
    const other = await another();
    const responses = await Promise.all([
      call('PATCH', '/Resources/1', { isActive: false }),
      api.call('PATCH', '/Resources/3', { as: other, body: { isActive: false } }),
    ]);
    // The second one finds the other deleted: either it is refused in time, or as the last one.
    const statuses = responses.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses[0]).toBe(200);
    expect([401, 409]).toContain(statuses[1]);
  });

  it('may all be deactivated by an operator', async () => {
    const { resources } = createAdministration(api.database);
    await expect(resources.update(tenant.id, 3, { isActive: false })).resolves.toMatchObject({ isActive: false });
  });
});
