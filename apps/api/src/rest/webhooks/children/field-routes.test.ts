import { beforeEach, describe, expect, it } from '@jest/globals';
import { runTestApi } from '../../../fixtures/run-test-api.ts';
import { makeTenant, tenantPerTest } from '../../../fixtures/test-tenant.ts';
import { webhookBody } from '../../../fixtures/webhook-body.ts';

const api = runTestApi();
const tenant = tenantPerTest(() => makeTenant(api.database));

beforeEach(async () => {
  await api.call('POST', '/CompanyWebhooks', { as: tenant.integrator, body: webhookBody() });
});

const add = (body: unknown, path = '/CompanyWebhooks/1/Fields') =>
  api.call('POST', path, { as: tenant.integrator, body });
const get = (path: string) => api.call('GET', path, { as: tenant.integrator });
const version = async () => {
  const [webhook] = await api.database.prisma.webhook.findMany({ where: { tenantId: tenant.id } });
  return webhook?.version;
};

describe('the Field records of a webhook', () => {
  it('are created, listed and read, in any casing and with quoted numerals', async () => {
    await expect(
      add(
        { FieldID: '13', IsDisplayAlwaysField: 'false', IsSubscribedField: true, WebhookID: '1' },
        '/companywebhooks/1/fields/',
      ),
    ).resolves.toMatchObject({ status: 200, body: { itemId: 1 } });
    await expect(add({ field: 'companyname' })).resolves.toMatchObject({ status: 200, body: { itemId: 2 } });
    const first = { id: 1, webhookID: 1, fieldID: 13, isSubscribedField: true, isDisplayAlwaysField: false };
    await expect(get('/CompanyWebhooks/1/Fields/1')).resolves.toMatchObject({ status: 200, body: { item: first } });
    expect((await get('/CompanyWebhooks/1/Fields/')).body).toEqual({
      items: [first, { id: 2, webhookID: 1, fieldID: 2, isSubscribedField: false, isDisplayAlwaysField: false }],
      pageDetails: { count: 2, requestCount: 500, prevPageUrl: null, nextPageUrl: null },
    });
  });

  it('make the webhook ready, as a new version of its configuration', async () => {
    const before = await version();
    await add({ fieldID: 13, isSubscribedField: true });
    await expect(get('/CompanyWebhooks/1')).resolves.toMatchObject({ body: { item: { isReady: true } } });
    expect(await version()).toBe((before ?? 0) + 1);
  });

  it.each([
    ['no field', {}, 400],
    ['a field that does not exist', { fieldID: 999 }, 400],
    ['a field that webhooks do not support', { fieldID: 1 }, 400],
    ['another webhook than the path', { fieldID: 13, webhookID: 2 }, 400],
    ['a boolean that is none', { fieldID: 13, isSubscribedField: 'perhaps' }, 400],
  ])('are refused with %s', async (_, body, status) => {
    await expect(add(body)).resolves.toMatchObject({ status });
    expect((await get('/CompanyWebhooks/1/Fields')).body).toMatchObject({ items: [] });
  });

  it('exist once per field, and a refused one leaves no gap in the ids', async () => {
    await add({ fieldID: 13 });
    const responses = await Promise.all([add({ fieldID: 2 }), add({ fieldID: 2 }), add({ fieldID: 13 })]);
    expect(responses.map((response) => String(response.status)).toSorted()).toEqual(['200', '409', '409']);
    await expect(add({ fieldID: 3 })).resolves.toMatchObject({ status: 200, body: { itemId: 3 } });
  });

  it('are numbered over all webhooks of their entity, and read under their own webhook only', async () => {
    await api.call('POST', '/CompanyWebhooks', { as: tenant.integrator, body: webhookBody() });
    await add({ fieldID: 13 });
    await expect(add({ fieldID: 13 }, '/CompanyWebhooks/2/Fields')).resolves.toMatchObject({ body: { itemId: 2 } });
    await expect(get('/CompanyWebhooks/1/Fields/2')).resolves.toMatchObject({ status: 404 });
    await expect(get('/CompanyWebhooks/2/Fields/2')).resolves.toMatchObject({ status: 200 });
    await expect(get('/ContactWebhooks/1/Fields')).resolves.toMatchObject({ status: 404 });
  });

  it('of no webhook, of a deleted one and of another tenant are 404', async () => {
    await add({ fieldID: 13 });
    const other = await makeTenant(api.database);
    const asOther = (method: string, path: string) =>
      api.call(method, path, { as: other.admin, ...(method === 'POST' && { body: { fieldID: 2 } }) });
    const foreign = [
      asOther('GET', '/CompanyWebhooks/1/Fields'),
      asOther('GET', '/CompanyWebhooks/1/Fields/1'),
      asOther('POST', '/CompanyWebhooks/1/Fields'),
      add({ fieldID: 13 }, '/CompanyWebhooks/2/Fields'),
      get('/CompanyWebhooks/2/Fields'),
    ];
    expect((await Promise.all(foreign)).map((response) => response.status)).toEqual([404, 404, 404, 404, 404]);
    await api.database.prisma.webhook.updateMany({ where: { tenantId: tenant.id }, data: { deletedAt: new Date() } });
    const gone = [get('/CompanyWebhooks/1/Fields'), get('/CompanyWebhooks/1/Fields/1'), add({ fieldID: 2 })];
    expect((await Promise.all(gone)).map((response) => response.status)).toEqual([404, 404, 404]);
  });
});
