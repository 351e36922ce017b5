import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase, startPostgresRelay, type PostgresRelay } from '@callout/testing';
import { failure } from '../../fixtures/failure.ts';
import { startTestApi, type TestApi } from '../../fixtures/test-api.ts';
import { makeTenant, type TestTenant } from '../../fixtures/test-tenant.ts';

let testDatabase: Awaited<ReturnType<typeof createTestDatabase>>;
let relay: PostgresRelay;
let api: TestApi;
let tenant: TestTenant;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  relay = await startPostgresRelay(testDatabase.url);
  api = await startTestApi(relay.url);
});
afterAll(async () => {
  await api.stop();
  await relay.stop();
  await testDatabase.drop();
});
beforeEach(async () => {
  tenant = await makeTenant(api.database);
});

const company = { companyName: 'Acme', companyType: 1, ownerResourceID: 1, phone: '555-0100' };
const event = { eventID: 'e-1', entityType: 'Account', action: 'Update', id: 7, fields: { companyName: 'Acme' } };

const writes = {
  'an event': (eventID = 'e-1') =>
    api.call('POST', '/EntityEvents', { as: tenant.source, body: { events: [{ ...event, eventID }] } }),
  'a record': (key = 'k-1') =>
    api.call('POST', '/Companies', { as: tenant.source, body: company, headers: { 'Idempotency-Key': key } }),
};
const stored = async () => {
  const where = { where: { tenantId: tenant.id } };
  const { prisma } = api.database;
  return Promise.all([prisma.event.count(where), prisma.pendingEvent.count(where), prisma.record.count(where)]);
};
const comeAgain = { status: 503, body: failure('unavailable') };

describe.each(Object.entries(writes))('the write of %s', (_what, write) => {
  it('whose commit was broken before it reached the database is 503 and left nothing, and can be repeated', async () => {
    relay.breakNextCommit('before');
    const response = await write();
    expect(response).toMatchObject(comeAgain);
    expect(response.headers.get('retry-after')).toBe('5');
    expect(await stored()).toEqual([0, 0, 0]);
    expect((await write()).status).toBeLessThan(300);
    expect(await stored()).toEqual([1, 1, 1]);
  });

  it('that was committed while the response got lost is 503, and its repeat gets the result of the first', async () => {
    relay.breakNextCommit('after');
    await expect(write()).resolves.toMatchObject(comeAgain);
    expect(await stored()).toEqual([1, 1, 1]);
    const { status, body, headers } = await write();
    if (status === 202) expect(body).toEqual({ items: [{ eventID: 'e-1', status: 'duplicate' }] });
    else expect([body, headers.get('Idempotent-Replayed')]).toEqual([{ itemId: 1 }, 'true']);
    expect(await stored()).toEqual([1, 1, 1]);
  });

  it('is 503 while the database is away, and goes on when it is back', async () => {
    expect((await write('before')).status).toBeLessThan(300);
    const before = await stored();
    relay.setAway(true);
    const responses = await Promise.all([write('one'), write('other')]);
    relay.setAway(false);
    for (const response of responses) {
      expect(response).toMatchObject(comeAgain);
      expect(response.headers.get('retry-after')).toBe('5');
    }
    expect(await stored()).toEqual(before);
    expect((await write('one')).status).toBeLessThan(300);
  });
});
