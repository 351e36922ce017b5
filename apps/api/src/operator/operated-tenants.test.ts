import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { apiConfig } from '@callout/runtime/config/api';
import { parseConfig } from '@callout/runtime/config/parse';
import { createLogger } from '@callout/runtime/log/logger';
import { insertLoggedCallout } from '../fixtures/logged-callout.ts';
import { runTestApi } from '../fixtures/run-test-api.ts';
import { makeTenantWithWebhooks } from '../fixtures/tenant-with-webhooks.ts';
import { call } from '../fixtures/test-api.ts';
import { tenantPerTest } from '../fixtures/test-tenant.ts';
import type { HttpServer } from '../http/server/server.ts';
import { mustConform } from './operations/conforms.fixture.ts';
import { startOperatorApi } from './start-operator-api.ts';

const token = 'the-operator-token-of-these-tests';
const api = runTestApi({ API_REQUESTS_PER_HOUR: '3' });
const tenant = tenantPerTest(() => makeTenantWithWebhooks(api));
let server: HttpServer;

beforeAll(async () => {
  const config = parseConfig(apiConfig, {
    DATABASE_URL: 'postgres://unused',
    REDIS_URL: 'redis://127.0.0.1',
    SECRET_KEYS: `k1:${'A'.repeat(43)}=`,
    OPERATOR_PORT: '0',
    OPERATOR_TOKEN: token,
  });
  const log = createLogger({ service: 'api', level: 'fatal' });
  const { database, operatedTenants } = api;
  const started = await startOperatorApi({ config, database, operatedTenants, log, build: '1.2.3' });
  if (started === undefined) throw new Error('the operator API did not start');
  server = started;
});
afterAll(() => server.close());

const operate = (method: string, path: string, body?: unknown, given = token) =>
  call(`http://127.0.0.1:${server.port}/operator/v1${path}`, method, {
    headers: { Authorization: `Bearer ${given}` },
    body,
  });
const inTenant = (method: string, path: string, body?: unknown, id: string | number = tenant.id) =>
  operate(method, `/tenants/${id}/v1.0${path}`, body);
const failed = async () => (await insertLoggedCallout(api, tenant.id, { state: 'failed' })).calloutId;

describe('the API of a tenant below the operator API', () => {
  it('reads webhooks, callouts and changes of the tenant, and nothing of another', async () => {
    const other = await makeTenantWithWebhooks(api);
    const id = await failed();
    expect(await inTenant('GET', '/Webhooks')).toMatchObject({ status: 200, body: { items: [{}, {}] } });
    expect(await inTenant('POST', '/CompanyWebhooks/query', { Filter: [] })).toMatchObject({ status: 200 });
    expect(await inTenant('GET', '/CompanyWebhooks/1/readiness')).toMatchObject({ status: 200 });
    expect(await inTenant('GET', '/CompanyWebhooks/1/Changes')).toMatchObject({ status: 200 });
    expect(await inTenant('GET', `/Callouts/${id}`)).toMatchObject({ body: { item: { id } } });
    expect(await inTenant('GET', `/Callouts/${id}`, undefined, other.id)).toMatchObject({ status: 404 });
    expect(await inTenant('GET', '/Callouts', undefined, other.id)).toMatchObject({ body: { items: [] } });
  });

  it('is paged as the API of the tenant', async () => {
    const { calloutId: first } = await insertLoggedCallout(api, tenant.id, { state: 'failed' });
    await insertLoggedCallout(api, tenant.id, { state: 'failed', sequenceNumber: 2 });
    const page = (await inTenant('GET', '/Callouts?maxRecords=1')).body as { pageDetails: { nextPageUrl: string } };
    const next = page.pageDetails.nextPageUrl.replace(/^.*\/v1\.0/u, '');
    expect(await inTenant('GET', next)).toMatchObject({ status: 200, body: { items: [{ id: first }] } });
  });

  it('redelivers, retries and cancels', async () => {
    const id = await failed();
    expect(await inTenant('POST', '/CompanyWebhooks/1/redeliver', { fromSequence: 1, dryRun: true })).toMatchObject({
      body: { queued: 1, dryRun: true },
    });
    expect(await inTenant('POST', `/CompanyWebhooks/1/Callouts/${id}/redeliver`)).toMatchObject({
      body: { queued: 1 },
    });
    expect(await inTenant('POST', '/CompanyWebhooks/1/retryNow', {})).toMatchObject({ status: 200 });
    expect(await inTenant('POST', `/CompanyWebhooks/1/Callouts/${id}/cancel`)).toMatchObject({
      body: { cancelled: 1 },
    });
    expect(await inTenant('POST', '/CompanyWebhooks/1/cancel', { fromSequence: 1 })).toMatchObject({
      body: { cancelled: 0 },
    });
  });

  it('deactivates a webhook in nobody’s name, and notifies its receiver', async () => {
    await api.database.pool.query('UPDATE webhooks SET is_active = true WHERE tenant_id = $1', [tenant.id]);
    const before = api.enqueuedWebhooks.length;
    expect(await inTenant('PATCH', '/CompanyWebhooks/1', { ISACTIVE: false })).toMatchObject({
      status: 200,
      body: { itemId: 1 },
    });
    expect(await inTenant('GET', '/CompanyWebhooks/1')).toMatchObject({ body: { item: { isActive: false } } });
    expect(await inTenant('GET', '/CompanyWebhooks/1/Changes')).toMatchObject({
      body: {
        items: expect.arrayContaining([
          expect.objectContaining({
            action: 'deactivated',
            changedBy: { kind: 'operator', resourceID: null, userName: null },
          }),
        ]),
      },
    });
    expect(api.enqueuedWebhooks.length).toBe(before + 1);
    expect(await inTenant('PATCH', '/CompanyWebhooks/9', { isActive: false })).toMatchObject({ status: 404 });
  });

  it.each([{ isActive: true }, { isActive: false, name: 'x' }, { webhookUrl: 'https://e.example' }, {}, [], 'no'])(
    'refuses every other change of a webhook, such as %j',
    async (body) => {
      expect(await inTenant('PATCH', '/CompanyWebhooks/1', body)).toMatchObject({ status: 400 });
    },
  );

  it.each([
    ['POST', '/CompanyWebhooks'],
    ['PUT', '/CompanyWebhooks/1'],
    ['DELETE', '/CompanyWebhooks/1'],
    ['POST', '/CompanyWebhooks/1/Fields'],
    ['POST', '/CompanyWebhooks/1/rotateSecret'],
    ['POST', '/CompanyWebhooks/1/test'],
    ['POST', '/CompanyWebhooks/1/Pull'],
    ['POST', '/Companies'],
    ['POST', '/Events'],
    ['PATCH', '/Resources/1'],
  ])('has no %s %s', async (method, path) => {
    const { status } = await inTenant(method, path, {});
    expect([404, 405]).toContain(status);
  });

  it('uses up nothing of the limit of the tenant', async () => {
    for (let nth = 0; nth < 5; nth += 1) expect(await inTenant('GET', '/Webhooks')).toMatchObject({ status: 200 });
    expect(await api.call('GET', '/Webhooks', { as: tenant.admin })).toMatchObject({ status: 200 });
  });

  it('lets a tenant that is being moved be read alone', async () => {
    await api.database.pool.query(`UPDATE tenants SET state = 'moving' WHERE id = $1`, [tenant.id]);
    expect(await inTenant('GET', '/Webhooks')).toMatchObject({ status: 200 });
    expect(await inTenant('POST', '/CompanyWebhooks/1/cancel', { fromSequence: 1 })).toMatchObject({ status: 503 });
    expect(await inTenant('PATCH', '/CompanyWebhooks/1', { isActive: false })).toMatchObject({ status: 503 });
  });

  it.each(['0', '2147483647', '2147483648', '-1', 'x', '1%00', '1;drop', '%2e%2e', ' '])(
    'is 404 for the tenant %j',
    async (id) => {
      expect(await inTenant('GET', '/Webhooks', undefined, id)).toMatchObject({ status: 404 });
      expect(await inTenant('GET', '/Webhooks', undefined, `${tenant.id}/${id}`)).toMatchObject({ status: 404 });
    },
  );

  it('needs the operator token, whatever else comes with the request', async () => {
    const path = `/operator/v1/tenants/${tenant.id}/v1.0/Webhooks`;
    const url = `http://127.0.0.1:${server.port}${path}`;
    expect(await call(url, 'GET', { as: tenant.admin })).toMatchObject({ status: 401 });
    expect(await operate('GET', path.slice('/operator/v1'.length), undefined, 'wrong')).toMatchObject({ status: 401 });
  });
});

describe('GET /callouts/{calloutId}', () => {
  it('finds the tenant and the webhook of a callout', async () => {
    const find = async (id: string) => {
      const response = await operate('GET', `/callouts/${id}`);
      mustConform('GET', `/callouts/${id}`, response);
      return response;
    };
    expect(await find(await failed())).toMatchObject({
      body: { item: { tenantID: tenant.id, entityType: 'Account', webhookID: 1 } },
    });
    for (const id of ['x', '00000000-0000-7000-8000-000000000000', '%00', '1']) {
      expect(await find(id)).toMatchObject({ status: 404 });
    }
  });
});
