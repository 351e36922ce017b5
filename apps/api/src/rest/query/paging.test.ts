import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase } from '@callout/testing';
import { failure } from '../../fixtures/failure.ts';
import { makeFullTenant } from './full-collections.fixture.ts';
import { idsOf, pageOf, pathBelowVersion } from '../../fixtures/pages.ts';
import { call, startTestApi, type TestApi } from '../../fixtures/test-api.ts';
import type { TestTenant } from '../../fixtures/test-tenant.ts';

const ring = `k1:${randomBytes(32).toString('base64')}`;
const newKey = `k2:${randomBytes(32).toString('base64')}`;

let testDatabase: Awaited<ReturnType<typeof createTestDatabase>>;
let api: TestApi;
let tenant: TestTenant;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  api = await startTestApi(testDatabase.url, {
    SECRET_KEYS: ring,
    TRUST_PROXY: '1',
    ALLOWED_HOSTS: 'hooks.example.com',
  });
  tenant = await makeFullTenant(api);
});
afterAll(async () => {
  await api.stop();
  await testDatabase.drop();
});

const get = (path: string, headers = {}) => api.call('GET', path, { as: tenant.admin, headers });
const post = (path: string, body: unknown) => api.call('POST', path, { as: tenant.admin, body });
const nextOf = async (path: string, query: object = {}) =>
  pathBelowVersion(pageOf(await post(`${path}/query`, { MaxRecords: 1, ...query })).pageDetails.nextPageUrl);
const tokenOf = (path: string) => new URLSearchParams(path.split('?')[1]).get('paging') ?? '';

/** Runs with one more API process on the same database. */
async function withApi<T>(env: Record<string, string>, work: (other: TestApi) => Promise<T>): Promise<T> {
  const other = await startTestApi(testDatabase.url, env);
  try {
    return await work(other);
  } finally {
    await other.stop();
  }
}

describe('a paging token', () => {
  it.each([
    ['of another collection', '/Contacts', '/Companies'],
    ['of the root twin', '/CompanyWebhookFields', '/CompanyWebhooks/1/Fields'],
    ['of another parent', '/CompanyWebhooks/1/Fields', '/CompanyWebhooks/2/Fields'],
    ['of another entity', '/CompanyWebhooks', '/TicketWebhooks'],
  ])('%s is 400', async (_what, from, to) => {
    const token = tokenOf(await nextOf(from));
    for (const method of ['GET', 'POST']) {
      const response = await api.call(method, `${to}/query/next?paging=${token}`, { as: tenant.admin });
      expect(response).toMatchObject({
        status: 400,
        body: failure('invalid', expect.stringMatching(/paging is no token/)),
      });
    }
  });

  it('that was changed, cut, or is none, is 400', async () => {
    const token = tokenOf(await nextOf('/Companies'));
    const changed = `${token.slice(0, -2)}${token.endsWith('A') ? 'BB' : 'AA'}`;
    for (const wrong of [changed, token.slice(0, 30), '', 'x', '%00', 'A'.repeat(6000)]) {
      await expect(get(`/Companies/query/next?paging=${wrong}`)).resolves.toMatchObject({ status: 400 });
    }
    await expect(get(`/Companies/query/next`)).resolves.toMatchObject({ status: 400 });
  });

  it('goes on with its own query only', async () => {
    const Filter = [{ op: 'gt', field: 'id', value: 1 }];
    const next = await nextOf('/Companies', { Filter });
    expect(idsOf(await get(next))).toEqual([3]);
    // Key and path in another case, the query spelled in another way.
    const sameQuery = { maxrecords: '1', FILTER: [{ OP: 'GT', FIELD: 'ID', VALUE: '1' }] };
    expect(idsOf(await post(next.toUpperCase().replace(/PAGING=.*/, `Paging=${tokenOf(next)}`), sameQuery))).toEqual([
      3,
    ]);
    const response = await post(next, { MaxRecords: 1, Filter: [] });
    expect(response).toMatchObject({
      status: 400,
      body: failure('invalid', expect.stringMatching(/send the same body/)),
    });
  });

  it('goes on by POST with the filter alone, with any part of the body, and with none', async () => {
    const Filter = [{ op: 'gt', field: 'id', value: 1 }];
    const next = await nextOf('/Companies', { Filter });
    for (const part of [{ Filter }, { MaxRecords: 1 }, {}, undefined]) {
      expect(idsOf(await post(next, part))).toEqual([3]);
    }
    for (const part of [{ MaxRecords: 2 }, { Filter: [{ op: 'gt', field: 'id', value: 2 }] }]) {
      await expect(post(next, part)).resolves.toMatchObject({ status: 400 });
    }
  });

  it('of a query too long for it goes on by POST with the same body', async () => {
    const names = Array.from({ length: 400 }, (_, i) => `a company called ${i}`);
    const query = { MaxRecords: 1, Filter: [{ op: 'notIn', field: 'companyName', value: names }] };
    const first = await post('/Companies/query', query);
    const { nextPageUrl } = pageOf(first).pageDetails;
    expect(nextPageUrl?.length).toBeLessThan(500);
    const next = pathBelowVersion(nextPageUrl);
    expect(idsOf(await post(next, query))).toEqual([2]);
    for (const without of [await get(next), await post(next, {}), await post(next, undefined)]) {
      expect(without).toMatchObject({
        status: 400,
        body: failure('invalid', expect.stringMatching(/POST the same body/)),
      });
    }
  });

  it('is good in every process with the same keys, and after a rotation', async () => {
    const next = await nextOf('/Companies');
    const inOther = async (keys: string) =>
      withApi({ SECRET_KEYS: keys }, async (other) => other.call('GET', next, { as: tenant.admin }));
    expect(idsOf(await inOther(ring))).toEqual([2]);
    expect(idsOf(await inOther(`${newKey},${ring}`))).toEqual([2]);
    await expect(inOther(newKey)).resolves.toMatchObject({ status: 400 });
  });
});

describe('the address of a page', () => {
  async function setZoneUrl(url: string) {
    const { prisma } = api.database;
    const { zoneId } = await prisma.tenant.findUniqueOrThrow({ where: { id: tenant.id } });
    await prisma.zone.update({ where: { id: zoneId }, data: { url } });
  }
  const urlFor = async (headers: Record<string, string> = {}) =>
    pageOf(await get('/companywebhooks/1/FIELDS/query?search={"MaxRecords":1}', headers)).pageDetails.nextPageUrl;
  const rest = '/atservicesrest/v1.0/CompanyWebhooks/1/Fields/query/next?paging=';

  it('is under the zone of the tenant', async () => {
    await setZoneUrl('https://zone7.example.com');
    expect(await urlFor()).toMatch(new RegExp(`^https://zone7\\.example\\.com${rest.replace('?', '\\?')}[\\w-]+$`));
  });

  it('is under PUBLIC_URL before all', async () => {
    await setZoneUrl('https://zone7.example.com');
    await withApi({ SECRET_KEYS: ring, PUBLIC_URL: 'https://callout.example.com/hooks/' }, async (other) => {
      const page = pageOf(await other.call('POST', '/Companies/query', { as: tenant.admin, body: { MaxRecords: 1 } }));
      expect(page.pageDetails.nextPageUrl).toMatch(
        /^https:\/\/callout\.example\.com\/hooks\/atservicesrest\/v1\.0\/Companies\/query\/next\?paging=/,
      );
    });
  });

  it('is where the caller is when that is this machine or an allowed host, and else a path', async () => {
    await setZoneUrl('');
    const url = await urlFor();
    expect(url?.startsWith(`${api.url}${rest}`)).toBe(true);
    // It can be called as it is.
    const next = await call(url ?? '', 'GET', { as: tenant.admin });
    expect(pageOf(next).pageDetails.count).toBe(1);
    const forwarded = (host: string) => urlFor({ 'X-Forwarded-Host': host, 'X-Forwarded-Proto': 'https' });
    expect((await forwarded('hooks.example.com'))?.startsWith(`https://hooks.example.com${rest}`)).toBe(true);
    for (const host of [
      'evil.example.com',
      'hooks.example.com.evil.example.com',
      'hooks.example.com@evil.example.com',
    ]) {
      expect((await forwarded(host))?.startsWith(rest)).toBe(true);
    }
  });
});
