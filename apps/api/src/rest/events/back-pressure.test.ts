import { request as httpRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, eventually } from '@callout/testing';
import { failure } from '../../fixtures/failure.ts';
import { startTestApi, type TestApi } from '../../fixtures/test-api.ts';
import { makeTenant, type TestCredential, type TestTenant } from '../../fixtures/test-tenant.ts';

const MIB = 1024 * 1024;
const bodyBytes = MIB / 4;
const eventsBodyBytes = 16 * bodyBytes;
const bytesInFlight = 32 * bodyBytes;

let testDatabase: Awaited<ReturnType<typeof createTestDatabase>>;
let api: TestApi;
let tenants: TestTenant[];

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  api = await startTestApi(testDatabase.url, { MAX_BODY_BYTES: String(bodyBytes) });
  tenants = await Promise.all(Array.from({ length: 3 }, () => makeTenant(api.database)));
});
afterAll(async () => {
  await api.stop();
  await testDatabase.drop();
});

const sourceOf = (index: number): TestCredential => {
  const tenant = tenants[index % tenants.length];
  if (tenant === undefined) throw new Error('there are three tenants');
  return tenant.source;
};

/** One event, and as many blanks as make it `bytes` long. */
function batchOf(bytes: number, id: number): string {
  const batch = JSON.stringify({ events: [{ entityType: 'Account', action: 'Create', id, fields: { city: 'Oslo' } }] });
  return batch.slice(0, -1) + ' '.repeat(bytes - batch.length) + batch.slice(-1);
}

/** A request whose body the test sends on command. */
function openRequest(as: TestCredential, announced: number | null) {
  const { userName, secret, apiIntegrationCode } = as;
  const request = httpRequest(`${api.url}/atservicesrest/v1.0/EntityEvents`, {
    method: 'POST',
    agent: false,
    headers: {
      UserName: userName,
      Secret: secret,
      ApiIntegrationCode: apiIntegrationCode,
      'Content-Type': 'application/json',
      ...(announced !== null && { 'Content-Length': announced }),
    },
  });
  const response = new Promise<{ status: number; retryAfter: string | undefined; body: unknown }>((resolve, reject) => {
    request.on('error', reject).on('response', (response) => {
      const { statusCode = 0, headers } = response;
      text(response).then(
        (body) =>
          resolve({ status: statusCode, retryAfter: headers['retry-after'], body: JSON.parse(body) as unknown }),
        reject,
      );
    });
  });
  return { request, response };
}

describe('payload limits', () => {
  it.each([
    ['/EntityEvents', eventsBodyBytes, 202],
    ['/Companies', bodyBytes, 400],
  ])('of %s hold to the byte: %i bytes are read, one more is 413', async (path, bytes, status) => {
    const post = (length: number) => api.call('POST', path, { as: sourceOf(0), body: batchOf(length, 1) });
    await expect(post(bytes)).resolves.toMatchObject({ status });
    await expect(post(bytes + 1)).resolves.toMatchObject({ status: 413, body: failure('tooLarge') });
  });
});

describe('bodies in flight', () => {
  it('are bounded in bytes: of many large ones at once each is accepted or refused for now, and none is lost', async () => {
    let refused = 0;
    const send = async (index: number): Promise<number[]> => {
      const statuses: number[] = [];
      while (statuses.at(-1) !== 202) {
        const { request, response } = openRequest(sourceOf(index), null);
        request.end(batchOf(MIB, 1000 + index));
        const { status, retryAfter } = await response;
        expect([202, 429, 503]).toContain(status);
        if (status !== 202) {
          expect(retryAfter).toBe('1');
          refused += 1;
        }
        statuses.push(status);
      }
      return statuses;
    };
    // Nothing is stored until one was refused, however fast a commit is.
    const blocker = await api.database.pool.connect();
    await blocker.query('BEGIN; LOCK TABLE pending_events IN EXCLUSIVE MODE');
    const sending = Promise.all(Array.from({ length: 24 }, (_, index) => send(index)));
    await eventually(() => Promise.resolve(refused > 0));
    await blocker.query('ROLLBACK');
    blocker.release();
    const all = await sending;
    expect(all.map((statuses) => statuses.at(-1))).toEqual(all.map(() => 202));
    const stored = await api.database.prisma.event.count({ where: { recordId: { gte: 1000, lt: 1024 } } });
    expect(stored).toBe(24);
  });

  it('of a tenant that stalls leave capacity for the others, and the place is free when it goes away', async () => {
    const share = bytesInFlight / 2;
    const stalled = [1, 2].map(() => openRequest(sourceOf(0), 2 * MIB));
    const large = (index: number) =>
      api.call('POST', '/EntityEvents', { as: sourceOf(index), body: batchOf(MIB, 2000 + index) });
    try {
      for (const { request } of stalled) request.write(' '.repeat(share / stalled.length - 1));
      // A request that announces a body and sends none uses no capacity, and gets a response only when there is none
      // for it.
      await eventually(async () => {
        const { request, response } = openRequest(sourceOf(0), MIB);
        request.flushHeaders();
        const meanwhile = api.call('GET', '/Companies/999', { as: sourceOf(0) });
        const outcome = await Promise.race([response, meanwhile.then(() => ({ status: 'unanswered' }))]);
        response.catch(() => undefined);
        request.destroy();
        expect(outcome).toMatchObject({ status: 429, retryAfter: '1', body: failure('tooManyRequests') });
      });
      await expect(large(0)).resolves.toMatchObject({ status: 429 });
      await expect(large(1)).resolves.toMatchObject({ status: 202 });
    } finally {
      for (const { request, response } of stalled) {
        response.catch(() => undefined);
        request.destroy();
      }
    }
    await eventually(async () => expect(await large(0)).toMatchObject({ status: 202 }));
  });
});
