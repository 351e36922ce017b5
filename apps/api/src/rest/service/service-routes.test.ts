import { randomUUID } from 'node:crypto';
import { request, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase } from '@callout/testing';
import { failure } from '../../fixtures/failure.ts';
import { startTestApi, type TestApi } from '../../fixtures/test-api.ts';
import { makeTenant, type TestTenant } from '../../fixtures/test-tenant.ts';

let testDatabase: Awaited<ReturnType<typeof createTestDatabase>>;
let api: TestApi;
let tenant: TestTenant;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  api = await startTestApi(testDatabase.url, { TRUST_PROXY: '1', EGRESS_ADDRESSES: '203.0.113.7, 2001:db8::/64' });
  tenant = await makeTenant(api.database);
});
afterAll(async () => {
  await api.stop();
  await testDatabase.drop();
});

let addresses = 0;
const zoneOf = (user: string, headers: Record<string, string> = {}) => {
  const from = { 'X-Forwarded-For': `198.51.100.${(addresses += 1)}`, ...headers };
  return api.call('GET', `/zoneInformation?user=${encodeURIComponent(user)}`, { headers: from });
};

async function setZone(url: string, webUrl: string) {
  const { prisma } = api.database;
  const { zoneId } = await prisma.tenant.findUniqueOrThrow({ where: { id: tenant.id } });
  return prisma.zone.update({ where: { id: zoneId }, data: { url, webUrl } });
}

it('GET /EgressAddresses names what the operator has set, without credentials', async () => {
  expect(await api.call('GET', '/EgressAddresses')).toMatchObject({
    status: 200,
    body: { addresses: ['203.0.113.7/32', '2001:db8::/64'] },
  });
});

describe('GET /zoneInformation', () => {
  it('returns the zone of a user without credentials, for any case of the name', async () => {
    const zone = await setZone('https://zone7.example.com', 'https://ww7.example.com/start');
    for (const user of [tenant.source.userName, tenant.source.userName.toUpperCase(), ` ${tenant.admin.userName} `]) {
      await expect(zoneOf(user)).resolves.toMatchObject({
        status: 200,
        body: {
          zoneName: zone.name,
          url: 'https://zone7.example.com/atservicesrest/',
          webUrl: 'https://ww7.example.com/start',
          ci: zone.id,
        },
      });
    }
    expect(Object.keys((await zoneOf(tenant.source.userName)).body as object)).toEqual([
      'zoneName',
      'url',
      'webUrl',
      'ci',
    ]);
  });

  it('returns the default zone for an unknown name, revoked ones too', async () => {
    const { prisma } = api.database;
    await prisma.zone.updateMany({ data: { isDefault: false } });
    const noZone = { zoneName: 'default', url: expect.stringMatching(/\/atservicesrest\/$/), ci: 0 };
    expect((await zoneOf('nobody')).body).toMatchObject(noZone);
    const name = randomUUID();
    const byDefault = await prisma.zone.create({
      data: { name, url: 'https://zone1.example.com', webUrl: '', isDefault: true },
    });
    const expected = {
      zoneName: name,
      url: 'https://zone1.example.com/atservicesrest/',
      webUrl: 'https://zone1.example.com/',
      ci: byDefault.id,
    };
    for (const user of ['nobody', 'no\0body', "' OR 1=1 --", 'x'.repeat(5_000)]) {
      expect((await zoneOf(user)).body).toEqual(expected);
    }
    const { userName } = tenant.integrator;
    await prisma.credential.update({
      where: { userNameFolded: userName.toLowerCase() },
      data: { revokedAt: new Date() },
    });
    expect((await zoneOf(userName)).body).toEqual(expected);
  });

  it('returns no zone for an unknown name where that is configured, as the family does', async () => {
    const zone = await setZone('https://zone7.example.com', '');
    const other = await startTestApi(testDatabase.url, { ZONE_OF_UNKNOWN_USERS: 'none' });
    try {
      const ask = (user: string) => other.call('GET', `/zoneInformation?user=${user}`);
      expect(await ask('nobody')).toMatchObject({
        status: 500,
        body: { errors: ['Zone information could not be determined'], details: [{ code: 'notFound' }] },
      });
      expect(await ask(tenant.source.userName)).toMatchObject({ status: 200, body: { zoneName: zone.name } });
    } finally {
      await other.stop();
    }
  });

  it('leads a zone without an address to where the caller is, and never where a header points', async () => {
    await setZone('', '');
    const { host } = new URL(api.url);
    const local = { url: `http://${host}/atservicesrest/`, webUrl: `http://${host}/` };
    expect((await zoneOf(tenant.source.userName)).body).toMatchObject(local);
    for (const given of ['evil.example.com', 'localhost.evil.example.com', 'localhost@evil.example.com', 'a b']) {
      const { body } = await zoneOf(tenant.source.userName, { 'X-Forwarded-Host': given });
      expect(body).toMatchObject({ url: '/atservicesrest/', webUrl: '/' });
    }
  });

  it('leads a zone without an address to PUBLIC_URL, before the host of the request', async () => {
    await setZone('', '');
    const other = await startTestApi(testDatabase.url, { PUBLIC_URL: 'https://callout.example.com/hooks' });
    try {
      const { body } = await other.call('GET', `/zoneInformation?user=${tenant.source.userName}`);
      expect(body).toMatchObject({ url: 'https://callout.example.com/hooks/atservicesrest/' });
    } finally {
      await other.stop();
    }
  });

  it('needs a user', async () => {
    for (const query of ['', '?user=', '?user=%20', '?name=x']) {
      const response = await api.call('GET', `/zoneInformation${query}`, {
        headers: { 'X-Forwarded-For': '192.0.2.8' },
      });
      expect(response).toMatchObject({
        status: 400,
        body: failure('required', expect.stringContaining('user is required')),
      });
    }
  });

  it('is limited per address', async () => {
    const headers = { 'X-Forwarded-For': '192.0.2.9' };
    const responses = await Promise.all(
      Array.from({ length: 61 }, () => api.call('GET', '/zoneInformation?user=x', { headers })),
    );
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(60);
    const refused = responses.find(({ status }) => status === 429);
    expect(refused).toMatchObject({ body: failure('tooManyRequests') });
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await zoneOf('x')).status).toBe(200);
  });
});

describe('methods without a body', () => {
  it.each([
    ['/Version', 'GET, HEAD, OPTIONS'],
    ['/zoneInformation', 'GET, HEAD, OPTIONS'],
    ['/EntityEvents', 'POST, OPTIONS'],
    ['/Companies/1', 'GET, PATCH, PUT, DELETE, HEAD, OPTIONS'],
  ])('OPTIONS %s says which there are, without credentials', async (path, allow) => {
    const response = await api.call('OPTIONS', path);
    expect(response).toMatchObject({ status: 200, body: { methods: allow.split(', ') } });
    expect(response.headers.get('allow')).toBe(allow);
  });

  it('OPTIONS of an unknown path is 404', async () => {
    await expect(api.call('OPTIONS', '/Nothing')).resolves.toMatchObject({ status: 404, body: failure('notFound') });
  });

  it.each([
    ['/Version', 200],
    ['/Companies/1', 404],
    ['/Nothing', 404],
  ])('HEAD %s is GET without the body: %i', async (path, status) => {
    const { source } = tenant;
    const headers = { UserName: source.userName, Secret: source.secret, ApiIntegrationCode: source.apiIntegrationCode };
    const [head, get] = await Promise.all(
      ['HEAD', 'GET'].map(async (method) => {
        const sent = request(`${api.url}/atservicesrest/v1.0${path}`, { method, headers });
        sent.end();
        const [response] = (await once(sent, 'response')) as [IncomingMessage];
        return { status: response.statusCode, length: response.headers['content-length'], body: await text(response) };
      }),
    );
    expect(head).toEqual({ ...get, body: '' });
    expect(head?.status).toBe(status);
  });

  it('POST to what can only be read is 405', async () => {
    await expect(api.call('POST', '/ThresholdInformation')).resolves.toMatchObject({ status: 405 });
  });
});
