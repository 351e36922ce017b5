import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Database, openDatabase } from '@callout/database/connection/database';
import { operations } from '@callout/domain/operations/operations';
import { apiConfig } from '@callout/runtime/config/api';
import { parseConfig } from '@callout/runtime/config/parse';
import { createLogger } from '@callout/runtime/log/logger';
import { createTestDatabase } from '@callout/testing';
import { failure } from '../fixtures/failure.ts';
import { call, startTestApi, type CallOptions, type TestApi } from '../fixtures/test-api.ts';
import type { TestCredential } from '../fixtures/test-tenant.ts';
import type { HttpServer } from '../http/server/server.ts';
import { mustConform } from './operations/conforms.fixture.ts';
import { startOperatorApi } from './start-operator-api.ts';

const token = randomBytes(24).toString('base64url');
let testDatabase: Awaited<ReturnType<typeof createTestDatabase>>;
let database: Database;
let server: HttpServer;
let api: TestApi;
let logged = '';

const config = (env: Record<string, string>) =>
  parseConfig(apiConfig, {
    DATABASE_URL: testDatabase.url,
    REDIS_URL: 'redis://127.0.0.1',
    SECRET_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    OPERATOR_PORT: '0',
    ...env,
  });
const log = createLogger({ service: 'api', level: 'debug', destination: { write: (line) => void (logged += line) } });

const start = (env: Record<string, string>) =>
  startOperatorApi({ config: config(env), database, log, build: '1.2.3', operatedTenants: api.operatedTenants });

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase({
    url: testDatabase.url,
    poolSize: 5,
    applicationName: 'test',
    onError: (err) => log.warn({ err }, 'a database connection broke'),
  });
  api = await startTestApi(testDatabase.url);
  const started = await start({ OPERATOR_TOKEN: token });
  if (started === undefined) throw new Error('the operator API did not start');
  server = started;
});
afterAll(async () => {
  await api.stop();
  await server.close();
  await database.close();
  await testDatabase.drop();
});

async function operate(method: string, path: string, body?: unknown, options: CallOptions = {}) {
  const url = `http://${server.host}:${server.port}/operator/v1${path}`;
  const response = await call(url, method, {
    headers: { Authorization: `Bearer ${token}` },
    ...(body !== undefined && { body }),
    ...options,
  });
  mustConform(method, path, response);
  return response;
}

async function made<T = { id: number }>(path: string, body: unknown): Promise<T> {
  const response = await operate('POST', path, body);
  expect(response.status).toBe(200);
  return (response.body as { item: T }).item;
}

interface LockoutPage {
  readonly items: readonly unknown[];
  readonly nextAfter: string | null;
}

describe('statistics of the installation', () => {
  it('are those of all tenants, of one, or apart', async () => {
    const { id } = await made('/tenants', { name: randomUUID() });
    const webhook = await database.pool.query<{ key: number }>(
      `WITH owner AS (INSERT INTO resources (tenant_id, id, email) VALUES ($1, 1, 'a@example.com'))
       SELECT nextval('webhooks_key_seq') AS key`,
      [id],
    );
    const minute = new Date(Math.floor(Date.now() / 60_000) * 60_000 - 300_000);
    await database.pool.query(
      `INSERT INTO delivery_minutes (webhook_key, minute, tenant_id, entity_type, delivered, attempts)
       VALUES ($1, $2, $3, 'Account', 7, 8)`,
      [webhook.rows[0]?.key, minute, id],
    );
    const totals = { delivered: 7, attempts: 8 };
    expect(await operate('GET', `/statistics?tenantID=${id}`)).toMatchObject({ body: { item: { totals } } });
    expect(await operate('GET', '/statistics?groupBy=tenant')).toMatchObject({
      body: { item: { totals, groups: [{ tenantID: id, delivered: 7 }] } },
    });
    expect(await operate('GET', `/statistics?tenantID=${id + 1}`)).toMatchObject({
      body: { item: { totals: { delivered: 0 } } },
    });
    for (const path of [
      '/statistics?groupBy=zone',
      '/statistics?tenantID=acme',
      '/lockouts?tenantID=0',
      '/tenants?search=%00',
    ]) {
      expect((await operate('GET', path)).status).toBe(400);
    }
  });
});

describe('the operator API', () => {
  it('listens on the loopback address alone, and not at all without a token', async () => {
    expect(server.host).toBe('127.0.0.1');
    await expect(start({})).resolves.toBeUndefined();
  });

  it.each(['short', 'x'.repeat(31), `${'x'.repeat(20)} ${'x'.repeat(20)}`])('accepts no token such as %j', (weak) => {
    expect(() => config({ OPERATOR_TOKEN: weak })).toThrow(/OPERATOR_TOKEN must be 32 to 1000 visible/);
    expect(() => config({ OPERATOR_TOKEN: weak })).not.toThrow(weak);
  });

  it('describes itself behind the token, and has each operation that it describes', async () => {
    const url = `http://${server.host}:${server.port}/operator/v1`;
    const headers = { Authorization: `Bearer ${token}` };
    expect((await call(`${url}/openapi.json`, 'GET', {})).status).toBe(401);
    const { body } = await call(`${url}/openapi.json`, 'GET', { headers });
    expect(body).toMatchObject({ openapi: '3.1.0', servers: [{ url: '/operator/v1' }] });
    const lists = Object.values(operations).filter(({ path }) => !path.endsWith('/export') && !path.endsWith('Links'));
    for (const { path, method } of lists) {
      const refused = await call(url + path.replaceAll(/:\w+/gu, '1'), 'PUT', { headers });
      expect([path, refused.status, refused.headers.get('allow')]).toEqual([
        path,
        405,
        expect.stringContaining(method),
      ]);
    }
  });

  it('reads several slashes as one, behind the token too', async () => {
    await expect(operate('GET', '//tenants//')).resolves.toMatchObject({ status: 200 });
    await expect(operate('GET', '//tenants//', undefined, { headers: {} })).resolves.toMatchObject({ status: 401 });
  });

  it.each([
    ['none', undefined],
    ['a wrong one', `Bearer ${'x'.repeat(32)}`],
    ['a part of it', `Bearer ${token.slice(0, -1)}`],
    ['one too long', `Bearer ${token}x`],
    ['another scheme', `Basic ${token}`],
    ['the bare token', token],
  ])('is 401 everywhere with %s', async (_, authorization) => {
    const headers: Record<string, string> = authorization === undefined ? {} : { Authorization: authorization };
    for (const path of ['/tenants', '/zones', '/nothing']) {
      const response = await operate('GET', path, undefined, { headers });
      expect(response).toMatchObject({ status: 401, body: failure('unauthorized') });
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
    }
    await expect(
      operate('GET', '/tenants', undefined, { headers: { authorization: `bearer ${token}` } }),
    ).resolves.toMatchObject({ status: 200 });
  });

  it('deletes a tenant whose name is given once more: its callers are refused at once', async () => {
    const name = `gone ${randomUUID()}`;
    const tenant = await made('/tenants', { name });
    const path = `/tenants/${tenant.id}`;
    const resource = await made(`${path}/resources`, { email: 'crm@example.com' });
    const body = { resourceID: resource.id, userName: `crm-${randomUUID()}`, role: 'integrator' };
    const issued = await made<TestCredential>(`${path}/credentials`, body);
    const ask = () => api.call('GET', '/ThresholdInformation', { as: { ...issued, resourceId: resource.id } });
    await expect(ask()).resolves.toMatchObject({ status: 200 });
    for (const wrong of ['', '?name=another']) {
      await expect(operate('DELETE', `${path}${wrong}`)).resolves.toMatchObject({
        status: 400,
        body: failure('invalid'),
      });
    }
    await expect(operate('DELETE', `${path}?name=${encodeURIComponent(name)}`)).resolves.toMatchObject({
      status: 202,
      body: { item: { id: tenant.id, deletingDateTime: expect.any(String) } },
    });
    await expect(ask()).resolves.toMatchObject({ status: 401 });
    await expect(operate('POST', `${path}/credentials`, body)).resolves.toMatchObject({ status: 409 });
  });

  it('slows down an address that tries out tokens, also when it hits upon the right one', async () => {
    const own = await start({ OPERATOR_TOKEN: token });
    if (own === undefined) throw new Error('the operator API did not start');
    try {
      const ask = (given: string) =>
        call(`http://${own.host}:${own.port}/operator/v1/zones`, 'GET', {
          headers: { Authorization: `Bearer ${given}` },
        });
      for (let n = 0; n < 20; n += 1) await expect(ask(`${n}${token}`)).resolves.toMatchObject({ status: 401 });
      const refused = await ask(token);
      expect(refused).toMatchObject({ status: 429, body: failure('tooManyRequests') });
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(logged).toContain('too many wrong operator tokens');
    } finally {
      await own.close();
    }
  });

  it('sets a tenant up until it can call the REST API, and removes the access again', async () => {
    const zone = await made('/zones', { name: randomUUID(), url: 'https://z9.example.com' });
    const name = randomUUID();
    const tenant = await made('/tenants', { name, zoneID: zone.id, apiRequestsPerHour: 100 });
    const resources = `/tenants/${tenant.id}/resources`;
    const credentials = `/tenants/${tenant.id}/credentials`;
    const resource = await made(resources, { email: 'crm@example.com', canCreateWebhooks: true });
    const body = { resourceID: resource.id, userName: `crm-${randomUUID()}`, role: 'integrator' };
    const issued = await made<TestCredential & { id: number }>(credentials, body);

    const as = { ...issued, resourceId: resource.id };
    const response = await api.call('GET', '/ThresholdInformation', { as });
    expect(response).toMatchObject({ status: 200, body: { externalRequestThreshold: 100 } });
    await operate('PATCH', `/tenants/${tenant.id}`, { apiRequestsPerHour: null });
    const after = await api.call('GET', '/ThresholdInformation', { as });
    expect(after).toMatchObject({ body: { externalRequestThreshold: 10_000 } });

    const listed = await operate('GET', credentials);
    expect(listed).toMatchObject({
      status: 200,
      body: { items: [{ id: issued.id, userName: body.userName }], nextAfter: null },
    });
    for (const hidden of [issued.secret, issued.apiIntegrationCode]) {
      expect(JSON.stringify(listed.body)).not.toContain(hidden);
      expect(logged).not.toContain(hidden);
    }
    expect(logged).not.toContain(token);
    const found = await operate('GET', `/credentials?userName=${body.userName.toUpperCase()}`);
    expect(found).toMatchObject({
      status: 200,
      body: { item: { id: issued.id, tenantID: tenant.id, role: body.role } },
    });
    for (const [query, status] of Object.entries({ '': 400, '?userName=nobody': 404 })) {
      expect((await operate('GET', `/credentials${query}`)).status).toBe(status);
    }

    await expect(operate('DELETE', `${credentials}/${issued.id}`)).resolves.toMatchObject({
      status: 200,
      body: { item: { revokeDateTime: expect.any(String) } },
    });
    expect((await api.call('GET', '/ThresholdInformation', { as })).status).toBe(401);
    const again = await made<TestCredential>(`${credentials}/${issued.id}/reissue`, undefined);
    expect((await api.call('GET', '/ThresholdInformation', { as: { ...again, resourceId: 1 } })).status).toBe(200);
    expect((await api.call('GET', '/ThresholdInformation', { as })).status).toBe(401);
    await operate('PATCH', `${resources}/${resource.id}`, { isActive: false });
    expect((await api.call('GET', '/ThresholdInformation', { as: { ...again, resourceId: 1 } })).status).toBe(401);
  });

  it('imports a secret, changes a role, lists lockouts and lifts them', async () => {
    const tenant = await made('/tenants', { name: randomUUID() });
    const credentials = `/tenants/${tenant.id}/credentials`;
    const resource = await made(`/tenants/${tenant.id}/resources`, { email: 'crm@example.com' });
    const given = { userName: randomUUID(), secret: `old ${randomUUID()}`, apiIntegrationCode: `code-${randomUUID()}` };
    const response = await operate('POST', credentials, { ...given, resourceID: resource.id, role: 'integrator' });
    expect(response).toMatchObject({ status: 200, body: { item: { isSecretImported: true } } });
    for (const text of [JSON.stringify(response.body), logged]) {
      for (const hidden of [given.secret, given.apiIntegrationCode]) expect(text).not.toContain(hidden);
    }
    const as = { ...given, resourceId: resource.id };
    const postCompany = async () => (await api.call('POST', '/Companies', { as, body: {} })).status;
    expect(await postCompany()).toBe(403);
    const { id } = (response.body as { item: { id: number } }).item;
    await expect(operate('PATCH', `${credentials}/${id}`, { role: 'source' })).resolves.toMatchObject({
      status: 200,
      body: { item: { id, role: 'source' } },
    });
    expect(await postCompany()).toBe(400);

    // The secret is remembered: only a wrong one would be hashed each time.
    const wrong = { ...as, apiIntegrationCode: 'wrong' };
    for (let time = 0; time < 10; time += 1) await api.call('GET', '/Companies/1', { as: wrong });
    expect(await postCompany()).toBe(401);
    await expect(operate('GET', '/lockouts')).resolves.toMatchObject({
      status: 200,
      body: {
        items: expect.arrayContaining([
          {
            userName: given.userName,
            tenantID: expect.any(Number),
            tenantName: expect.any(String),
            address: '127.0.0.1',
            endDateTime: expect.any(String),
          },
        ]),
      },
    });
    const lift = (query: string) => operate('DELETE', `/lockouts?${query}`);
    await expect(lift(`userName=${given.userName}&address=192.0.2.1`)).resolves.toMatchObject({ body: { lifted: 0 } });
    await expect(lift(`userName=${given.userName}`)).resolves.toMatchObject({ status: 200, body: { lifted: 1 } });
    expect(await postCompany()).toBe(400);
    await expect(lift('')).resolves.toMatchObject({ status: 400, body: { details: [{ code: 'required' }] } });
    await expect(lift('userName=x&address=here')).resolves.toMatchObject({ status: 400 });
  });

  it('lists lockouts page by page', async () => {
    const wrong = Array.from({ length: 3 }, () => ({ userName: randomUUID(), secret: 'x', apiIntegrationCode: 'x' }));
    for (const as of wrong) {
      for (let time = 0; time < 10; time += 1) await api.call('GET', '/Companies/1', { as: { ...as, resourceId: 1 } });
    }
    const whole = (await operate('GET', '/lockouts')).body as LockoutPage;
    const seen: unknown[] = [];
    for (let after: string | null = ''; after !== null;) {
      const response = await operate('GET', `/lockouts?limit=1${after && `&after=${after}`}`);
      const { items, nextAfter } = response.body as LockoutPage;
      seen.push(...items);
      after = nextAfter;
    }
    expect(seen.length).toBeGreaterThanOrEqual(wrong.length);
    expect({ items: seen, nextAfter: null }).toEqual(whole);
    for (const after of ['1', 'x', '2026-01-01', '']) {
      await expect(operate('GET', `/lockouts?after=${after}`)).resolves.toMatchObject({ status: 400 });
    }
  });

  it.each(['short', ' padded with blanks ', 'ümlaut secret', 'x'.repeat(201), 12345678, 'line\nend of it'])(
    'does not import the secret %j, and does not repeat it',
    async (secret) => {
      const tenant = await made('/tenants', { name: randomUUID() });
      const body = { resourceID: 1, userName: randomUUID(), role: 'admin', secret };
      const response = await operate('POST', `/tenants/${tenant.id}/credentials`, body);
      expect(response).toMatchObject({ status: 400, body: { details: [{ field: 'secret' }] } });
      expect(JSON.stringify(response.body)).not.toContain(String(secret));
    },
  );

  it('reads and changes one thing, and lists page by page', async () => {
    const zone = await made('/zones', { name: randomUUID(), url: '' });
    await expect(operate('GET', `/zones/${zone.id}`)).resolves.toMatchObject({ body: { item: zone } });
    await expect(operate('PATCH', `/zones/${zone.id}/`, { webUrl: 'https://w.example.com' })).resolves.toMatchObject({
      body: { item: { ...zone, webUrl: 'https://w.example.com' } },
    });
    const other = { headers: { Authorization: `Bearer ${token}`, 'If-Match': '"another"' } };
    expect(await operate('PATCH', `/zones/${zone.id}`, { url: '' }, other)).toMatchObject({ status: 412 });
    const tenant = await made('/tenants', { name: randomUUID(), zoneID: zone.id });
    const path = `/tenants/${tenant.id}/resources`;
    for (const nth of [1, 2, 3]) await made(path, { email: `r${nth}@example.com` });
    const pages = [await operate('GET', `${path}?limit=2`), await operate('GET', `${path}?limit=2&after=2`)];
    expect(pages.map(({ body }) => body)).toMatchObject([
      { items: [{ id: 1 }, { id: 2 }], nextAfter: 2 },
      { items: [{ id: 3 }], nextAfter: null },
    ]);
    await expect(operate('GET', `/zones?limit=1&after=${zone.id - 1}`)).resolves.toMatchObject({
      body: { items: [{ id: zone.id }] },
    });
    await expect(operate('GET', `/tenants/${tenant.id}`)).resolves.toMatchObject({ body: { item: { id: tenant.id } } });
    await expect(operate('GET', `${path}/2`)).resolves.toMatchObject({ body: { item: { id: 2 } } });
    await expect(operate('HEAD', path)).resolves.toMatchObject({ status: 200, body: undefined });
  });

  it.each([
    ['GET', '/nothing', undefined, 404],
    ['GET', '/tenants/0', undefined, 404],
    ['GET', '/tenants/abc', undefined, 404],
    ['GET', '/tenants/2147483647', undefined, 404],
    ['GET', '/tenants/2147483647/resources', undefined, 404],
    ['GET', '/tenants?limit=0', undefined, 400],
    ['GET', '/tenants?limit=501', undefined, 400],
    ['GET', '/tenants?after=-1', undefined, 400],
    ['PUT', '/tenants', {}, 405],
    ['DELETE', '/zones/1', undefined, 405],
    ['POST', '/tenants', {}, 400],
    ['POST', '/tenants', undefined, 400],
    ['POST', '/tenants', [], 400],
    ['POST', '/tenants', '{', 400],
    ['POST', '/tenants', { name: 'x', NAME: 'y' }, 400],
    ['POST', '/zones', { name: 'x', url: 'javascript:alert(1)' }, 400],
  ])('%s %s with %j is %i', async (method, path, body, status) => {
    const response = await operate(method, path, body);
    expect(response).toMatchObject({ status, body: { errors: [expect.any(String)], details: [expect.any(Object)] } });
  });

  it('is 409 for a name that is used, and reveals nothing of the database', async () => {
    const name = randomUUID();
    await made('/tenants', { name });
    const response = await operate('POST', '/tenants', { name });
    expect(response).toMatchObject({
      status: 409,
      body: failure('duplicate', `name ${name} is the name of another tenant`),
    });
  });
});
