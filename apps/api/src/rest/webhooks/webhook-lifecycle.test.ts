import { beforeEach, describe, expect, it } from '@jest/globals';
import { failure } from '../../fixtures/failure.ts';
import { runTestApi } from '../../fixtures/run-test-api.ts';
import { makeTenant, tenantPerTest } from '../../fixtures/test-tenant.ts';
import { webhookBody, wholeWebhook } from '../../fixtures/webhook-body.ts';

const api = runTestApi({ MAX_ACTIVE_WEBHOOKS_PER_ENTITY: '5' });
const tenant = tenantPerTest(() => makeTenant(api.database));

beforeEach(async () => {
  await call('POST', '', webhookBody({ notificationEmailAddress: 'ops@example.com' }));
});

const call = (method: string, path: string, body?: unknown, collection = '/CompanyWebhooks') =>
  api.call(method, collection + path, { as: tenant.integrator, body });
const patch = (body: Record<string, unknown>) => call('PATCH', '', { id: 1, ...body });

async function stored(id = 1) {
  const [webhook] = await api.database.prisma.webhook.findMany({ where: { tenantId: tenant.id, id } });
  if (webhook === undefined) throw new Error(`no webhook ${id}`);
  return webhook;
}

const deactivate = () => patch({ isActive: false });

describe('the version of a webhook', () => {
  it.each([
    { name: 'new' },
    { webhookUrl: 'http://127.0.0.1:9999/new' },
    { deactivationUrl: 'http://127.0.0.1:9999/new' },
    { isActive: false },
    { isSubscribedToCreateEvents: true },
    { isSubscribedToUpdateEvents: false },
    { isSubscribedToDeleteEvents: true },
    { notificationEmailAddress: null },
    { secretKey: 'another secret' },
    { sendThresholdExceededNotification: true },
  ])('rises with %j', async (change) => {
    const before = await stored();
    await patch(change);
    const after = await stored();
    expect(after.version).toBe(before.version + 1);
    expect(after.updatedAt.getTime()).toBeGreaterThanOrEqual(before.updatedAt.getTime());
  });

  it('stays when nothing is different', async () => {
    const before = await stored();
    await patch({});
    await patch({ name: before.name, isActive: 'true', secretKey: '********', unknown: 1, webhookGUID: 'mine' });
    expect(await stored()).toEqual(before);
  });

  it('rises once for each of two that change at once', async () => {
    const { version } = await stored();
    await Promise.all([patch({ name: 'one' }), patch({ isSubscribedToDeleteEvents: true })]);
    expect(await stored()).toMatchObject({ version: version + 2, name: 'one', isSubscribedToDeleteEvents: true });
  });
});

describe('activation', () => {
  it('is noted by the clock of the database, each time, and only when it is one', async () => {
    const { activatedAt: atCreation } = await stored();
    await patch({ isActive: true, name: 'still active' });
    expect((await stored()).activatedAt).toEqual(atCreation);
    await deactivate();
    expect(await stored()).toMatchObject({ isActive: false, activatedAt: atCreation });
    const [clock] = await api.database.prisma.$queryRaw<{ now: Date }[]>`SELECT now()`;
    await patch({ isActive: true });
    expect((await stored()).activatedAt?.getTime()).toBeGreaterThanOrEqual(clock?.now.getTime() ?? Infinity);
  });

  it.each([
    ['deactivated', { isActive: false }],
    ['deleted', { deletedAt: new Date(), isActive: false }],
  ])('of a webhook whose owner is %s is 409; everything else can be changed', async (_, data) => {
    await deactivate();
    const where = { tenantId_id: { tenantId: tenant.id, id: tenant.integrator.resourceId } };
    await api.database.prisma.resource.update({ where, data });
    const asAdmin = (method: string, body: unknown) => api.call(method, '/CompanyWebhooks', { as: tenant.admin, body });
    await expect(asAdmin('PATCH', { id: 1, isActive: true })).resolves.toMatchObject({
      status: 409,
      body: failure('conflict'),
    });
    await expect(asAdmin('PUT', wholeWebhook())).resolves.toMatchObject({ status: 409 });
    await expect(asAdmin('PUT', wholeWebhook({ isActive: false }))).resolves.toMatchObject({ status: 200 });
    expect(await stored()).toMatchObject({ isActive: false, name: 'whole' });
  });

  it('keeps the limit, also when many are activated and created at once', async () => {
    const ids = [2, 3, 4, 5, 6, 7, 8];
    for (const _ of ids) await call('POST', '', webhookBody({ isActive: false }));
    const responses = await Promise.all([
      ...ids.map((id) => call('PATCH', `/${id}`, { isActive: true })),
      call('POST', '', webhookBody()),
      call('PUT', '/2', { ...wholeWebhook({ id: 2 }) }),
      call('POST', '', webhookBody()),
    ]);
    expect(new Set(responses.map((response) => response.status))).toEqual(new Set([200, 409]));
    const where = { tenantId: tenant.id, isActive: true };
    expect(await api.database.prisma.webhook.count({ where })).toBe(5);
    const inactive = await api.database.prisma.webhook.findFirst({ where: { tenantId: tenant.id, isActive: false } });
    await expect(call('PATCH', `/${inactive?.id}`, { isActive: true })).resolves.toMatchObject({ status: 409 });
    // A webhook that is active already counts once.
    await expect(call('PATCH', '/1', { isActive: true, name: 'again' })).resolves.toMatchObject({ status: 200 });
    await deactivate();
    await expect(call('PATCH', `/${inactive?.id}`, { isActive: true })).resolves.toMatchObject({ status: 200 });
  });
});

describe('a resource that may not create webhooks', () => {
  it('may change and delete those there are', async () => {
    await api.database.prisma.resource.updateMany({
      where: { tenantId: tenant.id },
      data: { canCreateWebhooks: false },
    });
    await expect(call('POST', '', webhookBody())).resolves.toMatchObject({ status: 403, body: failure('forbidden') });
    const allowed = [await patch({ name: 'new' }), await call('PUT', '', wholeWebhook()), await call('DELETE', '/1')];
    expect(allowed.map((response) => response.status)).toEqual([200, 200, 200]);
  });
});

describe('DELETE', () => {
  it('removes the webhook and its children from every route, and keeps its row and id', async () => {
    await call('POST', '/1/Fields', { fieldID: 2 });
    await call('POST', '/1/ExcludedResources', { resourceID: 3 });
    const { version } = await stored();
    await expect(call('DELETE', '/1')).resolves.toMatchObject({ status: 200, body: { itemId: 1 } });
    const gone = [
      call('GET', '/1'),
      patch({ name: 'x' }),
      call('PUT', '', wholeWebhook()),
      call('DELETE', '/1'),
      call('GET', '/1/Fields'),
      call('POST', '/1/Fields', { fieldID: 3 }),
      call('GET', '/1', undefined, '/CompanyWebhookFields'),
      call('GET', '/1', undefined, '/CompanyWebhookExcludedResources'),
      call('POST', '', { webhookID: 1, fieldID: 3 }, '/CompanyWebhookFields'),
    ];
    expect((await Promise.all(gone)).map((response) => response.status)).toEqual(gone.map(() => 404));
    expect(await stored()).toMatchObject({ deletedAt: expect.any(Date), isActive: false, version: version + 1 });
    const where = { where: { tenantId: tenant.id } };
    expect(await api.database.prisma.webhookField.count(where)).toBe(0);
    expect(await api.database.prisma.webhookExcludedResource.count(where)).toBe(0);
    await expect(call('POST', '', webhookBody({ fields: [{ fieldID: 2 }] }))).resolves.toMatchObject({
      body: { itemId: 2 },
    });
    expect((await call('GET', '/2/Fields')).body).toMatchObject({ items: [{ id: 2 }] });
  });

  it('succeeds once, however many ask at once, and leaves capacity for another active one', async () => {
    for (let n = 2; n <= 5; n += 1) await call('POST', '', webhookBody());
    await expect(call('POST', '', webhookBody())).resolves.toMatchObject({ status: 409 });
    const responses = await Promise.all([1, 2, 3].map(() => call('DELETE', '/1')));
    expect(responses.map((response) => String(response.status)).toSorted()).toEqual(['200', '404', '404']);
    await expect(call('POST', '', webhookBody())).resolves.toMatchObject({ status: 200, body: { itemId: 6 } });
  });

  it('accepts an empty body with a content type', async () => {
    const headers = { 'Content-Type': 'application/json' };
    await expect(api.call('DELETE', '/CompanyWebhooks/1', { as: tenant.integrator, headers })).resolves.toMatchObject({
      status: 200,
    });
  });
});
