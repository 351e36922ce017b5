import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase } from '@callout/testing';
import { failure } from '../fixtures/failure.ts';
import { startTestApi, type TestResponse, type TestApi } from '../fixtures/test-api.ts';
import { makeTenant, type TestCredential } from '../fixtures/test-tenant.ts';

let testDatabase: Awaited<ReturnType<typeof createTestDatabase>>;
/** Behind one proxy, so that a test can come from where it likes. */
let api: TestApi;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  api = await startTestApi(testDatabase.url, { TRUST_PROXY: '1' });
});
afterAll(async () => {
  await api.stop();
  await testDatabase.drop();
});

let addresses = 0;
const newAddress = () => `198.51.100.${(addresses += 1)}`;
const newUser = async () => (await makeTenant(api.database)).source;
const anUnknownUser = (): TestCredential => ({
  userName: randomUUID(),
  secret: 'x',
  apiIntegrationCode: 'x',
  resourceId: 0,
});

function ask(as: TestCredential, from: string, to: TestApi = api): Promise<TestResponse> {
  return to.call('GET', '/Companies/1', { as, headers: { 'X-Forwarded-For': from } });
}

async function fail(as: TestCredential, from: string, times: number): Promise<TestResponse[]> {
  const responses: TestResponse[] = [];
  for (let time = 0; time < times; time += 1) responses.push(await ask({ ...as, secret: 'wrong' }, from));
  return responses;
}

const lockedOut = { status: 401, body: failure('lockedOut', expect.stringMatching(/locked out.*in 15 minutes/)) };

describe('ten failures from one address', () => {
  it('lock the user name out from there, also for the right secret, and say so', async () => {
    const [user, from] = [await newUser(), newAddress()];
    const failures = await fail(user, from, 10);
    for (const response of failures) expect(response).toMatchObject({ status: 401, body: failure('unauthorized') });
    for (const as of [user, { ...user, secret: 'wrong' }, { ...user, apiIntegrationCode: 'wrong' }]) {
      const response = await ask(as, from);
      expect(response).toMatchObject(lockedOut);
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(600);
    }
    expect((await ask(user, newAddress())).status).toBe(404);
    expect((await ask(await newUser(), from)).status).toBe(404);
    const lines = api
      .log()
      .split('\n')
      .filter((line) => line.includes('is locked out from this address'));
    expect(lines.filter((line) => line.includes(from))).toHaveLength(1);
    expect(api.log()).not.toContain(user.userName);
  });

  it('are the same steps with the same message for an unknown name', async () => {
    const [known, unknown, from] = [await newUser(), anUnknownUser(), newAddress()];
    const refusalOf = async (as: TestCredential) => {
      const responses = [...(await fail(as, from, 11)), await ask(as, from)];
      return responses.map(({ status, headers, body }) => ({ status, names: [...headers.keys()], body }));
    };
    expect(await refusalOf(unknown)).toEqual(await refusalOf(known));
  });

  it('are counted exactly when they come at once, and nine lock no user out', async () => {
    const [user, from] = [await newUser(), newAddress()];
    await Promise.all(Array.from({ length: 9 }, () => ask({ ...user, secret: 'wrong' }, from)));
    expect((await ask(user, from)).status).toBe(404);
    const elsewhere = newAddress();
    const responses = await Promise.all(Array.from({ length: 30 }, () => ask({ ...user, secret: 'wrong' }, elsewhere)));
    const codes = responses.map(({ body }) => (body as { details: [{ code: string }] }).details[0].code);
    expect(codes.filter((code) => code === 'unauthorized')).toHaveLength(10);
    expect(codes.filter((code) => code === 'lockedOut')).toHaveLength(20);
    expect(await ask(user, elsewhere)).toMatchObject(lockedOut);
  });

  it('do not count what was no wrong guess', async () => {
    const { id, source } = await makeTenant(api.database);
    const from = newAddress();
    await api.database.prisma.resource.update({
      where: { tenantId_id: { tenantId: id, id: source.resourceId } },
      data: { isActive: false },
    });
    for (let time = 0; time < 12; time += 1) {
      expect(await ask(source, from)).toMatchObject({ status: 401, body: failure('unauthorized') });
      expect(await ask({ ...source, secret: '' }, from)).toMatchObject({ status: 401, body: failure('unauthorized') });
    }
  });

  it('count the network of an IPv6 address, and no name by its case', async () => {
    const user = await newUser();
    for (let time = 0; time < 10; time += 1) {
      const userName = time % 2 === 0 ? user.userName.toUpperCase() : user.userName.toLowerCase();
      await ask({ ...user, userName, secret: 'wrong' }, `2001:db8:77:1:${time}::1`);
    }
    expect(await ask(user, '2001:db8:77:1:ffff::')).toMatchObject(lockedOut);
    expect((await ask(user, '2001:db8:77:2::1')).status).toBe(404);
  });
});

describe('where a request comes from', () => {
  it('uses the address from the nearest proxy, not from the client', async () => {
    const [user, from] = [await newUser(), newAddress()];
    for (let time = 0; time < 10; time += 1) await ask({ ...user, secret: 'wrong' }, `203.0.113.${time}, ${from}`);
    expect(await ask(user, from)).toMatchObject(lockedOut);
  });

  it('is the proxy itself where it names no address', async () => {
    const user = await newUser();
    for (let time = 0; time < 10; time += 1) await ask({ ...user, secret: 'wrong' }, `hidden-${time}`);
    expect(await ask(user, 'unknown')).toMatchObject(lockedOut);
    expect((await ask(user, newAddress())).status).toBe(404);
  });

  it('is the other end of the connection unless a proxy is trusted', async () => {
    const direct = await startTestApi(testDatabase.url);
    try {
      const user = await newUser();
      for (let time = 0; time < 10; time += 1) await ask({ ...user, secret: 'wrong' }, newAddress(), direct);
      expect(await ask(user, newAddress(), direct)).toMatchObject(lockedOut);
    } finally {
      await direct.stop();
    }
  });
});

describe('a request with the right secret', () => {
  it('costs one statement to let in, and writes nothing', async () => {
    const user = await newUser();
    const statements: unknown[] = [];
    const { pool } = api.database;
    const query = pool.query.bind(pool);
    pool.query = ((given: { name?: string; text: string }) => {
      statements.push(given.name);
      return query(given);
    }) as typeof pool.query;
    try {
      expect((await api.call('GET', '/ThresholdInformation', { as: user })).status).toBe(200);
    } finally {
      pool.query = query;
    }
    expect(statements).toEqual(['credentials_find']);
  });
});
