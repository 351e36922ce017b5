import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { connectCounter } from '@callout/queue/redis/redis';
import {
  createTestDatabase,
  eventually,
  type RedisRelay,
  startRedisRelay,
  testRedis,
  type TestRedis,
} from '@callout/testing';
import type { ApiParts } from '../../api-context.ts';
import { createRequestLimit } from './request-limit.ts';
import { Browser } from '../../console/test/browser.ts';
import { failure } from '../../fixtures/failure.ts';
import { startTestApi, type TestApi } from '../../fixtures/test-api.ts';
import { makeTenant, type TestCredential } from '../../fixtures/test-tenant.ts';
import { createCounters } from './shared-counters.ts';

let testDatabase: Awaited<ReturnType<typeof createTestDatabase>>;
let redis: TestRedis;
const stopping: (() => Promise<void>)[] = [];

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  redis = await testRedis();
});
afterEach(async () => {
  for (const stop of stopping.splice(0).toReversed()) await stop();
});
afterAll(async () => {
  await redis.cleanUp();
  await testDatabase.drop();
});

/** The part of an API process that counts requests. */
async function startCountingApi(
  perHour: number,
  url = redis.url,
  askAgain?: () => number,
  limits: ApiParts['limits'] = {},
): Promise<TestApi & { away: string[] }> {
  const connection = connectCounter({ url });
  await eventually(() => connection.status === 'ready');
  const away: string[] = [];
  const makeCounter = createCounters({
    redis: connection,
    prefix: redis.prefix,
    log: { warn: (_fields, message) => void away.push(message) },
    ...(askAgain && { now: askAgain }),
  });
  const env = { API_REQUESTS_PER_HOUR: String(perHour), TRUST_PROXY: '1' };
  const api = await startTestApi(testDatabase.url, env, makeCounter, { limits });
  stopping.push(async () => {
    await api.stop();
    connection.disconnect();
  });
  return { ...api, away };
}

const read = (api: TestApi, as: TestCredential) => api.call('GET', '/Companies/1', { as });
const statuses = async (api: TestApi, as: TestCredential, times: number) => {
  const all: number[] = [];
  for (let time = 0; time < times; time += 1) all.push((await read(api, as)).status);
  return all;
};
const threshold = async (api: TestApi, as: TestCredential) =>
  (await api.call('GET', '/ThresholdInformation', { as })).body;

describe('requests per tenant and hour', () => {
  it('are counted over all credentials and processes, and are 429 with Retry-After beyond the limit', async () => {
    const [one, other] = [await startCountingApi(4), await startCountingApi(4)];
    const { integrator, admin } = await makeTenant(one.database);
    expect(await statuses(one, integrator, 2)).toEqual([404, 404]);
    expect(await statuses(other, admin, 2)).toEqual([404, 404]);
    for (const [api, as] of [
      [one, admin],
      [other, integrator],
    ] as const) {
      const response = await read(api, as);
      expect(response).toMatchObject({
        status: 429,
        body: failure('tooManyRequests', expect.stringContaining('4 requests per hour')),
      });
      const retryAfterS = Number(response.headers.get('retry-after'));
      expect(retryAfterS).toBeGreaterThan(3_000);
      expect(retryAfterS).toBeLessThanOrEqual(3_600);
    }
    expect(await statuses(one, (await makeTenant(one.database)).admin, 1)).toEqual([404]);
  });

  it('are counted exactly when they come at once', async () => {
    const api = await startCountingApi(10);
    const { admin } = await makeTenant(api.database);
    const responses = await Promise.all(Array.from({ length: 25 }, () => read(api, admin)));
    expect(responses.filter(({ status }) => status === 404)).toHaveLength(10);
    expect(responses.filter(({ status }) => status === 429)).toHaveLength(15);
  });

  it("go by the tenant's own limit where it has one; 0 is none", async () => {
    const api = await startCountingApi(2);
    const { prisma } = api.database;
    const { id, admin } = await makeTenant(api.database);
    const setLimit = (apiRequestsPerHour: number | null) =>
      prisma.tenant.update({ where: { id }, data: { apiRequestsPerHour } });
    await setLimit(3);
    expect(await statuses(api, admin, 4)).toEqual([404, 404, 404, 429]);
    await setLimit(0);
    expect(await statuses(api, admin, 3)).toEqual([404, 404, 404]);
    expect(await threshold(api, admin)).toEqual({
      externalRequestThreshold: 0,
      requestThresholdTimeframe: 60,
      currentTimeframeRequestCount: 0,
    });
    await setLimit(null);
    expect(await statuses(api, admin, 1)).toEqual([429]);
    const none = await startCountingApi(0);
    expect(await statuses(none, admin, 3)).toEqual([404, 404, 404]);
  });

  it('leave out what a source writes, and nothing else', async () => {
    const api = await startCountingApi(2);
    const { source, admin } = await makeTenant(api.database);
    const event = { entityType: 'Account', action: 'Update', id: 77, fields: { companyName: 'x' } };
    for (let time = 0; time < 3; time += 1) {
      const events = await api.call('POST', '/EntityEvents', { as: source, body: { events: [event] } });
      expect(events.status).toBe(202);
      for (const [method, path] of [
        ['POST', '/Companies'],
        ['PATCH', '/Companies'],
        ['PUT', '/Companies/1'],
        ['DELETE', '/Companies/99'],
      ] as const) {
        expect((await api.call(method, path, { as: source, body: {} })).status).not.toBe(429);
      }
    }
    expect((await api.call('POST', '/Companies', { as: admin, body: {} })).status).toBe(400);
    expect(await statuses(api, source, 2)).toEqual([404, 429]);
    expect((await api.call('POST', '/EntityEvents', { as: admin, body: { events: [event] } })).status).toBe(429);
    expect((await api.call('POST', '/EntityEvents', { as: source, body: { events: [event] } })).status).toBe(202);
  });

  it('count what a role may not do, and nothing before the credentials are right', async () => {
    const api = await startCountingApi(1);
    const { integrator } = await makeTenant(api.database);
    expect((await api.call('GET', '/Companies/1', { as: { ...integrator, secret: 'x' } })).status).toBe(401);
    expect((await api.call('POST', '/Companies', { as: integrator, body: {} })).status).toBe(403);
    expect(await statuses(api, integrator, 1)).toEqual([429]);
  });
});

describe('what the console reads', () => {
  const v1 = '/atservicesrest/v1.0';
  const startWith = (perHour: number, consoleReadsPerHour: number) =>
    startCountingApi(perHour, redis.url, undefined, { consoleReadsPerHour });
  const signedIn = async (api: TestApi, as: TestCredential) => {
    const browser = new Browser(api.url);
    await browser.signIn(as);
    return browser;
  };
  const reads = async (browser: Browser, times: number) => {
    const all: number[] = [];
    for (let time = 0; time < times; time += 1) all.push((await browser.page('GET', `${v1}/Companies/1`)).status);
    return all;
  };
  const used = async (api: TestApi, as: TestCredential): Promise<number> =>
    ((await threshold(api, as)) as { currentTimeframeRequestCount: number }).currentTimeframeRequestCount;

  it('has an allowance of its resource in all its sessions, and counts in the hour of the tenant above it', async () => {
    const api = await startWith(100, 4);
    const { integrator, admin } = await makeTenant(api.database);
    const one = await signedIn(api, integrator);
    const other = await signedIn(api, integrator);
    const before = await used(api, admin);
    expect([...(await reads(one, 2)), ...(await reads(other, 2))]).toEqual([404, 404, 404, 404]);
    const query = { body: { Filter: [] } };
    expect(await used(api, admin)).toBe(before + 1);
    expect((await other.page('POST', `${v1}/Companies/query`, query)).status).toBe(200);
    expect(await reads(one, 1)).toEqual([404]);
    expect(await used(api, admin)).toBe(before + 4);
  });

  it('is refused once the allowance and the hour are used up; a change counts in the hour at once', async () => {
    const api = await startWith(5, 2);
    const { integrator } = await makeTenant(api.database);
    const browser = await signedIn(api, integrator);
    expect(await reads(browser, 2)).toEqual([404, 404]);
    expect((await browser.page('POST', `${v1}/CompanyWebhooks`, { body: {} })).status).toBe(400);
    expect(await reads(browser, 4)).toEqual([404, 404, 404, 429]);
  });

  it('is no more for all resources together than three of them may read', async () => {
    const counts = new Map<string, number>();
    const limit = createRequestLimit(
      (name) => ({
        async add(key) {
          const used = (counts.get(`${name} ${key}`) ?? 0) + 1;
          counts.set(`${name} ${key}`, used);
          return { used, endsInS: 1 };
        },
        used: async (key) => counts.get(`${name} ${key}`) ?? 0,
      }),
      { perHour: 100, consoleReadsPerHour: 5 },
    );
    const tenant = { tenantId: 1, apiRequestsPerHour: null };
    for (const resourceId of [1, 2, 3]) {
      for (let nth = 0; nth < 5; nth += 1) await limit.countReading({ ...tenant, resourceId });
    }
    expect(await limit.useOf(tenant)).toEqual({ perHour: 100, used: 0 });
    await limit.countReading({ ...tenant, resourceId: 4 });
    expect(await limit.useOf(tenant)).toEqual({ perHour: 100, used: 1 });
  });
});

describe('GET /ThresholdInformation', () => {
  it('shows the limit and its use to any role, this request included', async () => {
    const api = await startCountingApi(4);
    const { integrator, source, admin } = await makeTenant(api.database);
    const used = (used: number) => ({
      externalRequestThreshold: 4,
      requestThresholdTimeframe: 60,
      currentTimeframeRequestCount: used,
    });
    expect(await threshold(api, integrator)).toEqual(used(1));
    expect(await threshold(api, source)).toEqual(used(2));
    await read(api, admin);
    expect(await threshold(api, admin)).toEqual(used(4));
    expect((await api.call('GET', '/thresholdinformation/', { as: admin })).status).toBe(429);
  });
});

describe('while Redis is away', () => {
  async function startBehindRelay(
    perHour: number,
  ): Promise<{ api: TestApi & { away: string[] }; relay: RedisRelay; pass: () => void }> {
    const relay = await startRedisRelay(redis.url);
    stopping.push(relay.stop);
    let nowMs = 0;
    const api = await startCountingApi(perHour, relay.url, () => nowMs);
    return { api, relay, pass: () => void (nowMs += 2_000) };
  }

  it('each process counts for itself and the log says so once; then all count together again', async () => {
    const { api, relay, pass } = await startBehindRelay(3);
    const { admin } = await makeTenant(api.database);
    expect(await statuses(api, admin, 2)).toEqual([404, 404]);
    relay.cut();
    // Its own count begins at zero: a few too many is better than none at all.
    expect(await statuses(api, admin, 4)).toEqual([404, 404, 404, 429]);
    pass();
    expect((await read(api, admin)).status).toBe(429);
    expect(api.away).toEqual(['Redis is away: each process counts API requests for itself']);
    relay.mend();
    await eventually(async () => {
      pass();
      await read(api, admin);
      expect(api.away).toHaveLength(2);
    });
    expect(api.away[1]).toBe('Redis is back: API requests are counted for all processes together');
    // Two before it was cut, one at least since it is back.
    expect(await statuses(await startCountingApi(3), admin, 1)).toEqual([429]);
  });

  it('a Redis that hangs holds up one request, and fails none', async () => {
    const { api, relay, pass } = await startBehindRelay(100);
    const { admin } = await makeTenant(api.database);
    expect(await statuses(api, admin, 1)).toEqual([404]);
    relay.stall();
    pass();
    expect(await statuses(api, admin, 5)).toEqual([404, 404, 404, 404, 404]);
    expect(api.away).toHaveLength(1);
  });

  it('the API starts and limits without it', async () => {
    const connection = connectCounter({ url: 'redis://127.0.0.1:1' });
    const away: string[] = [];
    const makeCounter = createCounters({
      redis: connection,
      prefix: redis.prefix,
      log: { warn: (_fields, message) => void away.push(message) },
    });
    const api = await startTestApi(testDatabase.url, { API_REQUESTS_PER_HOUR: '1' }, makeCounter);
    stopping.push(async () => {
      await api.stop();
      connection.disconnect();
    });
    const { admin } = await makeTenant(api.database);
    expect(await statuses(api, admin, 2)).toEqual([404, 429]);
    expect(away).toHaveLength(1);
  });
});
