import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { apiConfig } from '@callout/runtime/config/api';
import { parseConfig } from '@callout/runtime/config/parse';
import { createLogger } from '@callout/runtime/log/logger';
import { createTestDatabase } from '@callout/testing';
import { Browser } from '../console/test/browser.ts';
import { failure } from '../fixtures/failure.ts';
import { call, startTestApi, type TestApi } from '../fixtures/test-api.ts';
import { makeTenant, type TestTenant } from '../fixtures/test-tenant.ts';
import { webhookBody } from '../fixtures/webhook-body.ts';
import type { HttpServer } from '../http/server/server.ts';
import { mustConform } from './operations/conforms.fixture.ts';
import { startOperatorApi } from './start-operator-api.ts';

const token = randomBytes(24).toString('base64url');
const log = createLogger({ service: 'api', level: 'silent' });
const v1 = '/atservicesrest/v1.0';
const secretKeys = `k1:${randomBytes(32).toString('base64')}`;
let testDatabase: Awaited<ReturnType<typeof createTestDatabase>>;
let api: TestApi;
let server: HttpServer;
let operatorUrl: string;
let tenant: TestTenant;

const start = async (ownToken: string, settings: Record<string, string> = {}) => {
  const env = { DATABASE_URL: testDatabase.url, REDIS_URL: 'redis://127.0.0.1', SECRET_KEYS: secretKeys };
  const config = parseConfig(apiConfig, { ...env, OPERATOR_PORT: '0', OPERATOR_TOKEN: ownToken, ...settings });
  const started = await startOperatorApi({ ...api, config, log, build: '1.2.3' });
  if (started === undefined) throw new Error('the operator API did not start');
  return started;
};

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  api = await startTestApi(testDatabase.url, { SECRET_KEYS: secretKeys });
  server = await start(token);
  operatorUrl = `http://127.0.0.1:${server.port}`;
});
afterAll(async () => {
  await server.close();
  await api.stop();
  await testDatabase.drop();
});
beforeEach(async () => {
  tenant = await makeTenant(api.database);
});

async function operate(method: string, path: string, body?: unknown, url = operatorUrl) {
  const response = await call(`${url}/operator/v1${path}`, method, {
    headers: { Authorization: `Bearer ${token}` },
    ...(body !== undefined && { body }),
  });
  mustConform(method, path, response);
  return response;
}

/** The address of a new link, and its token. */
async function aLink(path: string, body: unknown): Promise<{ url: string; link: string }> {
  const response = await operate('POST', path, body);
  expect(response).toMatchObject({ status: 200 });
  const { url } = (response.body as { item: { url: string } }).item;
  return { url, link: new URL(url, 'http://here').hash.replace('#link=', '') };
}

const portalLinks = () => `/tenants/${tenant.id}/portalLinks`;
const use = (browser: Browser, link: string) => browser.page('POST', '/console/session', { body: { link } });
const portal = { 'X-Callout-Console': 'portal' };

/** A webhook that a credential of the tenant made; returns its id. */
async function aWebhook(as = tenant.integrator): Promise<number> {
  const response = await api.call('POST', '/CompanyWebhooks', { as, body: webhookBody() });
  return (response.body as { itemId: number }).itemId;
}

async function aPortal(body: Record<string, unknown> = { resourceID: 1 }): Promise<Browser> {
  const browser = new Browser(api.url);
  const { link } = await aLink(portalLinks(), body);
  expect(await use(browser, link)).toMatchObject({ status: 200, body: { item: { kind: 'portal', isPortal: true } } });
  return browser;
}

describe('a sign-in link', () => {
  it('is used up by the first authentication, and not by opening its page', async () => {
    const { url, link } = await aLink(`/tenants/${tenant.id}/signInLinks`, { userName: tenant.admin.userName });
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1\/console#link=[\w-]{43}$/);
    await fetch(`${api.url}/console`);
    const both = await Promise.all([use(new Browser(api.url), link), use(new Browser(api.url), link)]);
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401]);
    expect(both.find(({ status }) => status === 200)).toMatchObject({
      body: { item: { role: 'admin', kind: 'user' } },
    });
    expect(await use(new Browser(api.url), link)).toMatchObject({ status: 401, body: failure('unauthorized') });
  });

  it('is over after 5 minutes, and counts no more once its credential has another secret', async () => {
    const late = await aLink(`/tenants/${tenant.id}/signInLinks`, { userName: tenant.admin.userName });
    await api.database.pool.query("UPDATE console_links SET expires_at = expires_at - interval '5 minutes 1 second'");
    expect((await use(new Browser(api.url), late.link)).status).toBe(401);
    const old = await aLink(`/tenants/${tenant.id}/signInLinks`, { userName: tenant.admin.userName });
    await api.database.prisma.credential.updateMany({
      where: { userName: tenant.admin.userName },
      data: { secretHash: Uint8Array.from([1]) },
    });
    expect((await use(new Browser(api.url), old.link)).status).toBe(401);
  });

  it.each([
    ['/signInLinks', {}, 'required'],
    ['/signInLinks', { userName: 'nobody' }, 'unknownReference'],
    ['/portalLinks', {}, 'required'],
    ['/portalLinks', { resourceID: 99 }, 'unknownReference'],
    ['/portalLinks', { resourceID: 1, webhookID: 1 }, 'required'],
    ['/portalLinks', { resourceID: 1, entityType: 'Account', webhookID: 9 }, 'unknownReference'],
    ['/portalLinks', { resourceID: 1, webhookGUID: randomUUID() }, 'unknownReference'],
    ['/portalLinks', { resourceID: 1, entityType: 'Account', webhookID: 1, webhookGUID: randomUUID() }, 'invalid'],
    ['/portalLinks', { resourceID: 1, expiresInSeconds: 1e9 }, 'invalidType'],
  ])('%s refuses %j', async (path, body, code) => {
    const response = await operate('POST', `/tenants/${tenant.id}${path}`, body);
    expect(response.status).toBe(400);
    expect(response.body).toMatchObject({ details: [{ message: expect.any(String) }] });
    if (code !== 'invalidType') expect(response.body).toEqual(failure(code));
  });

  it('is not made for a credential that sends events, for another tenant or for an unknown one', async () => {
    const links = `/tenants/${tenant.id}/signInLinks`;
    const other = await makeTenant(api.database);
    for (const { userName } of [tenant.source, other.admin]) {
      expect((await operate('POST', links, { userName })).status).toBe(400);
    }
    expect((await operate('POST', '/tenants/9999999/portalLinks', { resourceID: 1 })).status).toBe(404);
  });

  it.each([
    ['/signInLinks', {}],
    ['/tenants/1/signInLinks', { userName: 'integrator' }],
    ['/tenants/1/portalLinks', { resourceID: 1 }],
  ])('at %s is 404 where the console is off', async (path, body) => {
    const own = await start(token, { CONSOLE: 'off' });
    const response = await operate('POST', path, body, `http://127.0.0.1:${own.port}`);
    await own.close();
    expect(response.status).toBe(404);
  });
});

describe('a portal', () => {
  it('shows the webhooks of its resource, and nothing else of the tenant', async () => {
    const [own, others] = [await aWebhook(), await aWebhook(tenant.admin)];
    const browser = await aPortal();
    const status = async (method: string, path: string, body?: unknown) =>
      (await browser.page(method, `${v1}${path}`, { headers: portal, ...(body !== undefined && { body }) })).status;
    expect(await status('GET', `/CompanyWebhooks/${own}`)).toBe(200);
    expect(await status('GET', `/CompanyWebhooks/${own}/Callouts`)).toBe(200);
    expect(await status('GET', `/CompanyWebhooks/${own}/Fields`)).toBe(200);
    expect(await status('PATCH', `/CompanyWebhooks/${own}`, { name: 'mine' })).toBe(200);
    expect(await status('GET', '/CompanyWebhookFields/entityInformation/fields')).toBe(200);
    for (const path of ['', '/Callouts', '/Fields', '/readiness']) {
      expect(await status('GET', `/CompanyWebhooks/${others}${path}`)).toBe(404);
    }
    expect(await status('POST', `/CompanyWebhooks/${others}/cancel`, {})).toBe(404);
    const closed: [string, string, unknown?][] = [
      ['GET', '/CompanyWebhooks'],
      ['POST', '/CompanyWebhooks/query', {}],
      ['PATCH', '/CompanyWebhooks', { id: others, name: 'mine' }],
      ['GET', '/CompanyWebhookFields'],
      ['GET', '/Callouts'],
      ['GET', '/EntityEvents/query'],
      ['GET', '/Companies'],
      ['GET', '/Resources'],
      ['GET', '/WebhookEventErrorLogs'],
      ['GET', '/CalloutThresholds'],
    ];
    for (const [method, path, body] of closed) {
      expect([path, await status(method, path, body)]).toEqual([path, 403]);
    }
    expect(await status('POST', '/CompanyWebhooks', webhookBody())).toBe(200);
  });

  it('for one webhook shows no other, and makes none', async () => {
    const [one, two] = [await aWebhook(), await aWebhook()];
    const browser = await aPortal({ resourceID: 1, entityType: 'Account', webhookID: one });
    const get = async (id: number) =>
      (await browser.page('GET', `${v1}/CompanyWebhooks/${id}`, { headers: portal })).status;
    expect([await get(one), await get(two)]).toEqual([200, 404]);
    const made = await browser.page('POST', `${v1}/CompanyWebhooks`, { headers: portal, body: webhookBody() });
    expect(made.status).toBe(403);
    expect(await browser.page('GET', '/console/session', { headers: portal })).toMatchObject({
      body: { item: { webhook: { entityType: 'Account', webhookID: one }, rights: { canCreateWebhooks: false } } },
    });
  });

  it('acts as its resource alone, and makes no webhook without the right to', async () => {
    const browser = await aPortal();
    const headers = { ...portal, ImpersonationResourceId: '3' };
    const acting = await browser.page('POST', `${v1}/CompanyWebhooks`, { headers, body: webhookBody() });
    expect(acting).toMatchObject({ status: 403, body: failure('forbidden') });
    await api.database.prisma.resource.updateMany({
      where: { tenantId: tenant.id },
      data: { canCreateWebhooks: false },
    });
    const made = await browser.page('POST', `${v1}/CompanyWebhooks`, { headers: portal, body: webhookBody() });
    expect(made.status).toBe(403);
  });

  it('has a cookie of its own, so that it never replaces the session of the page around it', async () => {
    const browser = await aPortal();
    expect([...browser.cookies.keys()]).toEqual(['callout-portal']);
    await browser.signIn(tenant.admin);
    const kindOf = async (headers: Record<string, string>) =>
      (await browser.page('GET', '/console/session', { headers })).body;
    expect(await kindOf(portal)).toMatchObject({ item: { kind: 'portal' } });
    expect(await kindOf({})).toMatchObject({ item: { kind: 'user' } });
    const resources = await browser.page('GET', `${v1}/UserDefinedFieldDefinitions`, { headers: portal });
    expect(resources.status).toBe(403);
  });

  it('behind TLS has a cookie that frames of other sites keep, apart for each of them', async () => {
    const { link } = await aLink(portalLinks(), { resourceID: 1 });
    const headers = { Origin: 'https://callout.example.com' };
    const response = await new Browser(api.url).page('POST', '/console/session', { body: { link }, headers });
    expect(response.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^__Host-callout-portal=[\w.-]+; Path=\/; HttpOnly; Secure; Partitioned; SameSite=None$/),
    ]);
  });

  it('ends with its resource', async () => {
    const id = await aWebhook();
    const browser = await aPortal();
    await api.call('PATCH', '/Resources', { as: tenant.admin, body: { id: 1, isActive: false } });
    expect((await browser.page('GET', `${v1}/CompanyWebhooks/${id}`, { headers: portal })).status).toBe(401);
  });
});

describe('operators', () => {
  const signIn = (browser: Browser, given: string) =>
    browser.page('POST', '/console/session', { body: { token: given } });

  it('sign in with their token on their port, and use the operator API by their cookie', async () => {
    const browser = new Browser(operatorUrl);
    expect(await signIn(browser, 'x'.repeat(32))).toMatchObject({ status: 401, body: failure('unauthorized') });
    expect(await signIn(browser, token)).toMatchObject({ status: 200, body: { item: { kind: 'operator' } } });
    expect([...browser.cookies.keys()]).toEqual(['callout-operator']);
    expect((await browser.page('GET', '/operator/v1/tenants')).status).toBe(200);
    expect((await browser.send('POST', '/operator/v1/tenants', { body: { name: 'forged' } })).status).toBe(403);
    const wrong = { Authorization: `Bearer ${'x'.repeat(32)}` };
    expect((await browser.page('GET', '/operator/v1/tenants', { headers: wrong })).status).toBe(401);
    await browser.page('DELETE', '/console/session');
    expect((await browser.page('GET', '/operator/v1/tenants')).status).toBe(401);
  });

  it('sign in by a link, once', async () => {
    const { url, link } = await aLink('/signInLinks', {});
    expect(url).toMatch(new RegExp(`^${operatorUrl}/console#link=`));
    const browser = new Browser(operatorUrl);
    expect((await use(browser, link)).status).toBe(200);
    expect((await browser.page('GET', '/operator/v1/zones')).status).toBe(200);
    expect((await use(new Browser(operatorUrl), link)).status).toBe(401);
  });

  it('have no session on the port of tenants, nor the other way round', async () => {
    const operator = new Browser(operatorUrl);
    await signIn(operator, token);
    const member = new Browser(api.url);
    await member.signIn(tenant.admin);
    const [operatorCookie = ''] = operator.cookies.values();
    const [memberCookie = ''] = member.cookies.values();
    for (const name of ['callout-operator', 'callout-console', 'callout-portal']) {
      for (const [url, path, value] of [
        [api.url, `${v1}/CompanyWebhooks`, operatorCookie],
        [api.url, '/console/session', operatorCookie],
        [operatorUrl, '/operator/v1/tenants', memberCookie],
        [operatorUrl, '/console/session', memberCookie],
      ] as const) {
        const browser = new Browser(url);
        browser.cookies.set(name, value);
        expect([name, path, (await browser.page('GET', path)).status]).toEqual([name, path, 401]);
      }
    }
    const [tenantLink, operatorLink] = [
      await aLink(`/tenants/${tenant.id}/signInLinks`, { userName: tenant.admin.userName }),
      await aLink('/signInLinks', {}),
    ];
    expect((await use(new Browser(operatorUrl), tenantLink.link)).status).toBe(401);
    expect((await use(new Browser(api.url), operatorLink.link)).status).toBe(401);
    expect((await use(new Browser(api.url), tenantLink.link)).status).toBe(200);
    const asMember = await operator.page('POST', '/console/session', { body: tenant.admin });
    expect(asMember).toMatchObject({ status: 400, body: failure('required') });
  });

  it('are signed out by a new token', async () => {
    const browser = new Browser(operatorUrl);
    await signIn(browser, token);
    const next = await start(randomBytes(24).toString('base64url'));
    const there = new Browser(`http://127.0.0.1:${next.port}`);
    for (const [name, value] of browser.cookies) there.cookies.set(name, value);
    expect((await there.page('GET', '/operator/v1/tenants')).status).toBe(401);
    await next.close();
  });

  it('who try out tokens in the form are slowed down like those who do so in headers', async () => {
    const own = await start(token);
    const browser = new Browser(`http://127.0.0.1:${own.port}`);
    for (let n = 0; n < 20; n += 1) expect((await signIn(browser, `${n}${token}`)).status).toBe(401);
    expect((await signIn(browser, token)).status).toBe(429);
    await own.close();
  });
});
