import { byOperator } from '@callout/domain/changes/actor';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createAdministration, type Administration } from '@callout/tenancy/operator/administration/administration';
import { removeResource, updateResource } from '@callout/tenancy/resource-changes';
import { failure } from '../fixtures/failure.ts';
import { runTestApi } from '../fixtures/run-test-api.ts';
import { makeTenant, type TestCredential, type TestTenant } from '../fixtures/test-tenant.ts';
import { webhookBody } from '../fixtures/webhook-body.ts';
import { Browser } from './test/browser.ts';

const api = runTestApi();
const v1 = '/atservicesrest/v1.0';
const COOKIE = 'callout-console';
let administration: Administration;
let tenant: TestTenant;
let browser: Browser;

beforeAll(() => {
  administration = createAdministration(api.database);
});
beforeEach(async () => {
  tenant = await makeTenant(api.database);
  browser = new Browser(api.url);
});

const isIn = async (one = browser) => (await one.page('GET', `${v1}/CompanyWebhooks`)).status === 200;
const credentialOf = async ({ userName }: TestCredential) => administration.credentials.readByUserName(userName);
const passTime = (ms: number) =>
  api.database.pool.query(
    `UPDATE console_sessions SET expires_at = expires_at - $1 * interval '1 ms', created_at = created_at - $1 * interval '1 ms'`,
    [ms],
  );
const hour = 3_600_000;

describe('signing in', () => {
  it('gives a cookie that scripts cannot read, and describes the user to the page', async () => {
    const response = await browser.signIn(tenant.integrator);
    expect(response.status).toBe(200);
    const [line] = response.headers.getSetCookie();
    expect(line).toMatch(/^callout-console=[\w.-]+; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(response.body).toEqual({
      item: expect.objectContaining({
        kind: 'user',
        isPortal: false,
        tenant: { id: tenant.id, name: expect.any(String) },
        resource: { id: 1, email: 'integrator@example.com' },
        userName: tenant.integrator.userName,
        role: 'integrator',
        rights: expect.objectContaining({ canCreateWebhooks: true, canManageResources: false }),
        apiRoot: v1,
        version: '1.2.3',
        limits: expect.objectContaining({ maxActiveWebhooksPerEntity: 50 }),
      }),
    });
    const described = await browser.page('GET', '/console/session');
    expect(described).toMatchObject({ status: 200, body: { item: { userName: tenant.integrator.userName } } });
    expect(JSON.stringify([response.body, api.log()])).not.toContain(tenant.integrator.secret);
  });

  it('ends the oldest sessions of a credential that has a hundred, and no other', async () => {
    const other = new Browser(api.url);
    await other.signIn(tenant.admin);
    await browser.signIn(tenant.integrator);
    for (let nth = 0; nth < 100; nth += 1) {
      expect((await new Browser(api.url).signIn(tenant.integrator)).status).toBe(200);
    }
    expect([await isIn(), await isIn(other)]).toEqual([false, true]);
    const { id } = await credentialOf(tenant.integrator);
    expect(await api.database.prisma.consoleSession.count({ where: { credentialId: id } })).toBe(100);
  });

  it('lets the page call the API with the rights of the credential', async () => {
    await browser.signIn(tenant.integrator);
    const made = await browser.page('POST', `${v1}/CompanyWebhooks`, { body: webhookBody() });
    expect(made).toMatchObject({ status: 200, body: { itemId: 1 } });
    const read = await browser.page('GET', `${v1}/CompanyWebhooks/1`);
    expect(read).toMatchObject({ body: { item: { ownerResourceID: tenant.integrator.resourceId } } });
    const resources = await browser.page('POST', `${v1}/Resources`, { body: {} });
    expect(resources).toMatchObject({ status: 403, body: failure('forbidden') });
    const acting = { ImpersonationResourceId: '77' };
    const impersonating = await browser.page('GET', `${v1}/CompanyWebhooks`, { headers: acting });
    expect(impersonating).toMatchObject({ status: 400, body: failure('unknownReference') });
  });

  it('is Secure, and of this host alone, behind TLS', async () => {
    const lines = await Promise.all(
      [{ Origin: 'https://callout.example.com' }, {}].map(async (headers: Record<string, string>) => {
        const response = await new Browser(api.url).signIn(tenant.integrator, headers);
        return response.headers.getSetCookie()[0];
      }),
    );
    expect(lines[0]).toMatch(/^__Host-callout-console=[\w.-]+; Path=\/; HttpOnly; Secure; SameSite=Strict$/);
    expect(lines[1]).not.toContain('Secure');
  });

  it('goes by lockout, role and rate of the API', async () => {
    const wrong = { ...tenant.admin, secret: 'wrong' };
    for (let time = 0; time < 10; time += 1) expect((await browser.signIn(wrong)).status).toBe(401);
    expect(await browser.signIn(tenant.admin)).toMatchObject({ status: 401, body: failure('lockedOut') });
    expect((await api.call('GET', '/Companies/1', { as: tenant.admin })).status).toBe(401);
    expect(await browser.signIn(tenant.source)).toMatchObject({ status: 403, body: failure('forbidden') });
    await api.database.prisma.tenant.update({ where: { id: tenant.id }, data: { apiRequestsPerHour: 2 } });
    const statuses = [];
    for (let time = 0; time < 3; time += 1) statuses.push((await browser.signIn(tenant.integrator)).status);
    expect(statuses.at(-1)).toBe(429);
    expect(browser.cookies.has(COOKIE)).toBe(true);
  });

  it('knows no user name with U+0000, which would fail the authentications that are looked up with it', async () => {
    const body = { userName: 'me\0', secret: 'x', apiIntegrationCode: 'x' };
    expect(await browser.page('POST', '/console/session', { body })).toMatchObject({
      status: 401,
      body: failure('unauthorized'),
    });
  });

  it('names what is absent', async () => {
    const response = await browser.page('POST', '/console/session', { body: { userName: ' ', secret: 7 } });
    expect(response).toMatchObject({
      status: 400,
      body: { details: ['userName', 'secret', 'apiIntegrationCode'].map((field) => ({ code: 'required', field })) },
    });
    expect((await browser.page('POST', '/console/session', { body: [] })).status).toBe(400);
    expect(await browser.page('GET', '/console/session')).toMatchObject({ status: 401, body: failure('unauthorized') });
    expect((await browser.page('PUT', '/console/session')).status).toBe(405);
  });

  it('begins a new session each time, so that none can be planted', async () => {
    const thief = new Browser(api.url);
    await thief.signIn(tenant.integrator);
    const planted = thief.cookies.get(COOKIE) ?? '';
    browser.cookies.set(COOKIE, planted);
    await browser.signIn(tenant.admin);
    expect(browser.cookies.get(COOKIE)).not.toBe(planted);
    expect([await isIn(), await isIn(thief)]).toEqual([true, false]);
  });
});

describe('a session', () => {
  const endings: [string, () => Promise<unknown>][] = [
    ['signing out', () => browser.page('DELETE', '/console/session')],
    [
      'revoking the credential',
      async () => administration.credentials.revoke(tenant.id, (await credentialOf(tenant.integrator)).id),
    ],
    [
      'another secret',
      async () => administration.credentials.reissue(tenant.id, (await credentialOf(tenant.integrator)).id),
    ],
    ['deactivating the resource', () => updateResource(api.database, tenant.id, 1, { isActive: 'false' }, byOperator)],
    ['deleting the resource', () => removeResource(api.database, tenant.id, 1, byOperator)],
    [
      'deleting the tenant',
      async () => administration.tenants.remove(tenant.id, (await administration.tenants.read(tenant.id)).name),
    ],
    ['8 hours without a request', () => passTime(8 * hour + 1)],
  ];

  it.each(endings)('is ended at once by %s, also for a thief of its cookie', async (_, end) => {
    await browser.signIn(tenant.integrator);
    const thief = new Browser(api.url);
    thief.cookies.set(COOKIE, browser.cookies.get(COOKIE) ?? '');
    expect([await isIn(), await isIn(thief)]).toEqual([true, true]);
    await end();
    const refused = await thief.page('GET', `${v1}/CompanyWebhooks`);
    expect(refused).toMatchObject({ status: 401, body: failure('unauthorized') });
    expect(refused.body).toMatchObject({ errors: [expect.stringContaining('sign in again')] });
    expect((await thief.page('GET', '/console/session')).status).toBe(401);
  });

  it('does not count again when its resource is activated again', async () => {
    await browser.signIn(tenant.integrator);
    await updateResource(api.database, tenant.id, 1, { isActive: 'false' }, byOperator);
    await updateResource(api.database, tenant.id, 1, { isActive: 'true' }, byOperator);
    expect(await isIn()).toBe(false);
  });

  it('goes on for 8 hours with each request, and for 7 days at most', async () => {
    await browser.signIn(tenant.integrator);
    for (let hours = 0; hours < 7 * 24; hours += 7) {
      expect(await isIn()).toBe(true);
      await passTime(7 * hour);
    }
    await passTime(hour);
    expect(await isIn()).toBe(false);
  });

  it('has the rights that its credential and resource have now', async () => {
    await browser.signIn(tenant.integrator);
    await administration.credentials.update(tenant.id, (await credentialOf(tenant.integrator)).id, { role: 'source' });
    expect((await browser.page('GET', `${v1}/CompanyWebhooks`)).status).toBe(403);
  });

  it('of one tenant finds nothing of another, at any address', async () => {
    const other = await makeTenant(api.database);
    await browser.signIn(other.admin);
    await browser.page('POST', `${v1}/CompanyWebhooks`, { body: webhookBody() });
    const own = new Browser(api.url);
    await own.signIn(tenant.admin);
    for (const path of ['/CompanyWebhooks/1', '/CompanyWebhooks/1/Callouts', '/CompanyWebhooks/1/readiness']) {
      expect(await own.page('GET', `${v1}${path}`)).toMatchObject({ status: 404, body: failure('notFound') });
    }
    expect(await own.page('GET', `${v1}/CompanyWebhooks`)).toMatchObject({ body: { items: [] } });
  });
});

describe('a cookie', () => {
  it('that was changed or cut short is 401, and ends no other', async () => {
    await browser.signIn(tenant.integrator);
    const good = browser.cookies.get(COOKIE) ?? '';
    const [keyId, nonce = '', ciphertext = ''] = good.split('.');
    const changed = (text: string) => (text.startsWith('A') ? 'B' : 'A') + text.slice(1);
    const bad = [
      good.slice(0, -1),
      good.slice(0, 20),
      `${good}A`,
      `other.${nonce}.${ciphertext}`,
      `${keyId}.${changed(nonce)}.${ciphertext}`,
      `${keyId}.${nonce}.${changed(ciphertext)}`,
      'x',
      '..',
      '',
    ];
    for (const value of bad) {
      const one = new Browser(api.url);
      one.cookies.set(COOKIE, value);
      expect(await one.page('GET', `${v1}/CompanyWebhooks`)).toMatchObject({ status: 401 });
    }
    expect(await isIn()).toBe(true);
  });

  it('that comes twice counts for nothing: one of the two was planted', async () => {
    await browser.signIn(tenant.integrator);
    const good = browser.cookies.get(COOKIE) ?? '';
    const headers = {
      Cookie: `${COOKIE}=${good}; ${COOKIE}=${good.slice(0, -4)}AAAA`,
      'Sec-Fetch-Site': 'same-origin',
    };
    expect((await new Browser(api.url).send('GET', `${v1}/CompanyWebhooks`, { headers })).status).toBe(401);
  });

  it('stands behind headers: those alone count where there are any, right or wrong', async () => {
    await browser.signIn(tenant.integrator);
    const { userName, secret, apiIntegrationCode } = tenant.admin;
    const headers = { UserName: userName, Secret: secret, ApiIntegrationCode: apiIntegrationCode };
    // Neither the console's header nor its origin.
    const asAdmin = await browser.send('POST', `${v1}/UserDefinedFieldDefinitions/query`, { body: {}, headers });
    expect(asAdmin.status).toBe(200);
    const wrong = { ...headers, Secret: 'wrong' };
    expect((await browser.page('GET', `${v1}/CompanyWebhooks`, { headers: wrong })).status).toBe(401);
    expect((await browser.page('GET', `${v1}/CompanyWebhooks`, { headers: { UserName: userName } })).status).toBe(401);
  });
});

describe('requests that other pages have a browser make', () => {
  const change = { body: webhookBody() };
  const own = { 'X-Callout-Console': '1' };
  const forged: [string, Record<string, string>][] = [
    ['a form, posted from another site', { 'Sec-Fetch-Site': 'cross-site', 'Content-Type': 'text/plain' }],
    ['fetch without CORS', { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors' }],
    ['the own page without its header', { 'Sec-Fetch-Site': 'same-origin' }],
    ['another value of the header', { 'Sec-Fetch-Site': 'same-origin', 'X-Callout-Console': '2' }],
    ['another site with the header', { 'Sec-Fetch-Site': 'cross-site', ...own }],
    ['a neighbouring host', { 'Sec-Fetch-Site': 'same-site', ...own }],
    ['an address that was typed', { 'Sec-Fetch-Site': 'none', ...own }],
    ['an old browser, of another origin', { Origin: 'https://evil.example', ...own }],
    ['an old browser, of another port', { Origin: 'http://127.0.0.1:1', ...own }],
    ['an opaque origin', { Origin: 'null', ...own }],
    ['neither origin nor site', { ...own }],
  ];

  it.each(forged)('are 403: %s', async (_, headers) => {
    await browser.signIn(tenant.integrator);
    const made = await browser.send('POST', `${v1}/CompanyWebhooks`, { ...change, headers });
    expect(made).toMatchObject({ status: 403, body: failure('forbidden') });
    const signedIn = await new Browser(api.url).send('POST', '/console/session', { body: tenant.admin, headers });
    expect(signedIn.status).toBe(403);
    const out = await browser.send('DELETE', '/console/session', { headers });
    expect(out.status).toBe(403);
    expect(await browser.page('GET', `${v1}/CompanyWebhooks`)).toMatchObject({ body: { items: [] } });
  });

  it('are served when the browser names this very origin in place of the site', async () => {
    await browser.signIn(tenant.integrator);
    const headers = { Origin: api.url, ...own };
    expect((await browser.send('POST', `${v1}/CompanyWebhooks`, { ...change, headers })).status).toBe(200);
  });

  it.each(['cross-site', 'same-site'])('read nothing either (%s), not even blindly', async (site) => {
    await browser.signIn(tenant.integrator);
    const response = await browser.send('GET', `${v1}/CompanyWebhooks`, { headers: { 'Sec-Fetch-Site': site } });
    expect(response).toMatchObject({ status: 403, body: failure('forbidden') });
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
    const typed = await browser.send('GET', `${v1}/CompanyWebhooks`, { headers: { 'Sec-Fetch-Site': 'none' } });
    expect(typed.status).toBe(200);
  });
});
