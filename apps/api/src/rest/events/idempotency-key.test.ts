import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase, eventually } from '@callout/testing';
import { failure } from '../../fixtures/failure.ts';
import { startTestApi, type TestResponse, type TestApi } from '../../fixtures/test-api.ts';
import { makeCredential, makeTenant, type TestTenant } from '../../fixtures/test-tenant.ts';

let testDatabase: Awaited<ReturnType<typeof createTestDatabase>>;
/** Two processes on one database. */
let api: TestApi;
let other: TestApi;
let tenant: TestTenant;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  [api, other] = await Promise.all([startTestApi(testDatabase.url), startTestApi(testDatabase.url)]);
});
afterAll(async () => {
  await Promise.all([api.stop(), other.stop()]);
  await testDatabase.drop();
});
beforeEach(async () => {
  tenant = await makeTenant(api.database);
});

const company = { companyName: 'Acme', companyType: 1, ownerResourceID: 1, phone: '555-0100' };
const update = { entityType: 'Account', action: 'Update', id: 7, fields: { companyName: 'Acme' } };
const batch = { events: [update, { ...update, id: 8 }] };

const write = (key: string, method: string, path: string, body?: unknown, at = api): Promise<TestResponse> =>
  at.call(method, path, { as: tenant.source, body, headers: { 'Idempotency-Key': key } });
const post = (key: string, body: unknown, at = api) => write(key, 'POST', '/EntityEvents', body, at);
const isReplayed = ({ headers }: TestResponse) => headers.get('Idempotent-Replayed') === 'true';
const events = () => api.database.prisma.event.count({ where: { tenantId: tenant.id } });
const keys = () => api.database.pool.query('SELECT * FROM idempotency_keys WHERE credential_id = $1', [sourceId]);
let sourceId: number;
beforeEach(async () => {
  const userNameFolded = tenant.source.userName.toLowerCase();
  sourceId = (await api.database.prisma.credential.findUniqueOrThrow({ where: { userNameFolded } })).id;
});

describe('an Idempotency-Key', () => {
  it('gets a repeated batch the response of the first', async () => {
    const first = await post('k-1', batch);
    const second = await post('k-1', batch, other);
    expect(first.status).toBe(202);
    expect([isReplayed(first), isReplayed(second)]).toEqual([false, true]);
    expect({ status: second.status, body: second.body }).toEqual({ status: first.status, body: first.body });
    expect(await events()).toBe(2);
  });

  it('makes one record of a creation that is sent twice, and one change of each other write', async () => {
    const writes: [string, string, unknown?][] = [
      ['POST', '/Companies', company],
      ['PATCH', '/Companies', { id: 1, city: 'Oslo' }],
      ['PATCH', '/Companies/1', { city: 'Bergen' }],
      ['PUT', '/Companies/1', { ...company, city: 'Voss' }],
      ['PUT', '/Companies', { ...company, id: 1, city: 'Bodo' }],
      ['DELETE', '/Companies/1'],
    ];
    for (const [method, path, body] of writes) {
      const before = await events();
      const responses = [await write('k-1', method, path, body), await write('k-1', method, path, body, other)];
      expect(responses.map(({ status, body: response }) => [status, response])).toEqual([
        [200, { itemId: 1 }],
        [200, { itemId: 1 }],
      ]);
      expect(responses.map(isReplayed)).toEqual([false, true]);
      expect((await events()) - before).toBe(1);
    }
  });

  it('sent many times at once to two processes, is accepted once', async () => {
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, index) => write('k-1', 'POST', '/Companies', company, index % 2 ? api : other)),
    );
    expect(new Set(responses.map(({ status, body }) => JSON.stringify([status, body]))).size).toBe(1);
    expect(responses.filter(isReplayed)).toHaveLength(19);
    expect(await events()).toBe(1);
  });

  it('waits while the first still runs, replaces it when that fails, and delays no other request', async () => {
    const first = await other.database.pool.connect();
    await first.query('BEGIN');
    await first.query(
      `INSERT INTO idempotency_keys (credential_id, route, key, request_hash, status, body)
       VALUES ($1, 'POST /EntityEvents', 'k-1', '', 0, '')`,
      [sourceId],
    );
    let isAnswered = false;
    const second = post('k-1', batch).finally(() => (isAnswered = true));
    const isWaiting = `SELECT FROM pg_locks WHERE NOT granted AND locktype = 'transactionid'
      AND transactionid = pg_current_xact_id()::xid`;
    await eventually(async () => expect((await first.query(isWaiting)).rowCount).toBe(1));
    await expect(post('k-2', { events: [{ ...update, id: 9 }] })).resolves.toMatchObject({ status: 202 });
    expect(isAnswered).toBe(false);
    await first.query('ROLLBACK');
    first.release();
    const response = await second;
    expect([response.status, isReplayed(response)]).toEqual([202, false]);
    expect(await events()).toBe(3);
  });

  it('does not keep requests with other keys from sharing their commit', async () => {
    const shared = Array.from({ length: 60 }, (_, index) => {
      const events = [index, 60 - index].map((id) => ({ ...update, id: id + 1, fields: { phone: String(index) } }));
      return post(`k-${index % 20}`, { events: index < 20 ? events : [events[0]] }, index % 2 ? api : other);
    });
    const responses = await Promise.all(shared);
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([202, 409]));
    expect((await keys()).rowCount).toBe(20);
  });

  it.each([
    ['body', batch, { events: [update] }, {}],
    ['person', batch, batch, { ImpersonationResourceId: '1' }],
  ])('is 409 with another %s', async (_, first, second, headers) => {
    await post('k-1', first);
    await expect(
      api.call('POST', '/EntityEvents', {
        as: tenant.source,
        body: second,
        headers: { 'Idempotency-Key': 'k-1', ...headers },
      }),
    ).resolves.toMatchObject({ status: 409, body: failure('conflict') });
    expect(await events()).toBe(2);
  });

  it('of other content at the same time is accepted once and 409 for the other', async () => {
    const responses = await Promise.all([
      post('k-1', batch),
      post('k-1', { events: [update] }),
      post('k-1', batch, other),
    ]);
    const statuses = new Set(responses.map(({ status }) => status));
    expect(statuses).toEqual(new Set([202, 409]));
  });

  it('counts for one route and one record of one credential', async () => {
    await write('k-1', 'POST', '/Companies', company);
    await write('k-1', 'POST', '/Companies', { ...company, id: undefined });
    const responses = [
      await post('k-1', batch),
      await write('k-1', 'POST', '/TicketNotes', { description: 'Done', noteType: 1, publish: 1, ticketID: 1 }),
      await write('k-1', 'PATCH', '/Companies/7', { city: 'Oslo' }),
      await write('k-1', 'PATCH', '/Companies/8', { city: 'Oslo' }),
      await write('k-1', 'DELETE', '/Companies/7'),
    ];
    expect(responses.map(({ status }) => status)).toEqual([202, 200, 200, 200, 200]);
    expect(responses.some(isReplayed)).toBe(false);
    const colleague = await makeCredential(api.database, tenant.id, 2, 'source');
    const theirs = await api.call('POST', '/EntityEvents', {
      as: colleague,
      body: { events: [{ ...update, id: 70 }] },
      headers: { 'Idempotency-Key': 'k-1' },
    });
    expect(theirs.status).toBe(202);
    expect(isReplayed(theirs)).toBe(false);
  });

  it('ignores how the path is spelled', async () => {
    const first = await write('k-1', 'POST', '/Companies', company);
    const second = await write('k-1', 'POST', '/COMPANIES/', company);
    expect([second.body, isReplayed(second)]).toEqual([first.body, true]);
    await write('k-2', 'PATCH', '/Companies/1', { city: 'Oslo' });
    expect(isReplayed(await write('k-2', 'PATCH', `/companies/${'0'.repeat(3000)}1`, { city: 'Oslo' }))).toBe(true);
  });

  it('is not kept when the request fails, so that it may be mended', async () => {
    const failures = [
      await post('k-1', { events: [{ ...update, id: 0 }] }),
      await post('k-1', { events: [{ ...update, changedFields: ['city'] }] }),
      await write('k-1', 'PATCH', '/Companies/1', { city: 'Oslo' }),
      await write('k-1', 'POST', '/Companies', { companyName: 'Acme' }),
    ];
    expect(failures.map(({ status }) => status)).toEqual([400, 400, 404, 400]);
    expect((await keys()).rowCount).toBe(0);
    await expect(post('k-1', batch)).resolves.toMatchObject({ status: 202 });
  });

  it('repeats the response of a request that would be refused by now', async () => {
    const udf = { entityType: 'Account', name: 'Tier', label: 'Tier', dataType: 'string' };
    const made = await api.call('POST', '/UserDefinedFieldDefinitions', { as: tenant.admin, body: udf });
    expect(made.status).toBe(200);
    const event = { ...update, userDefinedFields: { Tier: 'gold' } };
    const first = await post('k-1', { events: [event] });
    await api.call('DELETE', '/UserDefinedFieldDefinitions/1', { as: tenant.admin });
    const second = await post('k-1', { events: [event] });
    expect([second.status, second.body]).toEqual([202, first.body]);
    await expect(post('k-2', { events: [event] })).resolves.toMatchObject({ status: 400 });
  });

  it('of unchanged and duplicate events repeats their response as well', async () => {
    const named = { events: [{ ...update, eventID: 'e-1' }] };
    await post('k-1', named);
    const duplicate = await post('k-2', named);
    expect([await post('k-2', named), await post('k-1', named)]).toMatchObject([
      { status: 202, body: duplicate.body },
      { status: 202, body: { items: [{ eventID: 'e-1', status: 'accepted' }] } },
    ]);
  });

  it('is a new one after 24 hours', async () => {
    await write('k-1', 'POST', '/Companies', company);
    const aged = `UPDATE idempotency_keys SET created_at = created_at - interval '24 hours' WHERE credential_id = $1`;
    await api.database.pool.query(aged, [sourceId]);
    const later = await write('k-1', 'POST', '/Companies', { ...company, companyName: 'Bolt' });
    expect([later.status, later.body, isReplayed(later)]).toEqual([200, { itemId: 2 }, false]);
    expect(isReplayed(await write('k-1', 'POST', '/Companies', { ...company, companyName: 'Bolt' }))).toBe(true);
  });

  it.each(['', 'x'.repeat(256), 'with blank', 'one, two', 'ümlaut'])('of bad syntax is 400: %j', async (key) => {
    await expect(post(key, batch)).resolves.toMatchObject({ status: 400, body: failure('invalid') });
    expect(await events()).toBe(0);
  });

  it('may have 255 characters of any visible kind', async () => {
    const key = `"~!{}${'x'.repeat(250)}`;
    await post(key, batch);
    expect(isReplayed(await post(key, batch))).toBe(true);
  });
});
