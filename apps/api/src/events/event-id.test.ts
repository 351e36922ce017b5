import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase } from '@callout/testing';
import { startTestApi, type TestApi } from '../fixtures/test-api.ts';
import { makeTenant, type TestTenant } from '../fixtures/test-tenant.ts';

let testDatabase: Awaited<ReturnType<typeof createTestDatabase>>;
let api: TestApi;
let tenant: TestTenant;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  api = await startTestApi(testDatabase.url);
});
afterAll(async () => {
  await api.stop();
  await testDatabase.drop();
});
beforeEach(async () => {
  tenant = await makeTenant(api.database);
});

const update = { entityType: 'Account', action: 'Update', id: 7, fields: { companyName: 'Acme' } };
const post = (...events: unknown[]) => api.call('POST', '/EntityEvents', { as: tenant.source, body: { events } });
const stored = () =>
  api.database.prisma.event.findMany({
    where: { tenantId: tenant.id },
    orderBy: [{ recordId: 'asc' }, { recordVersion: 'asc' }],
  });

describe('an eventID', () => {
  const named = { ...update, eventID: 'e-1' };

  it('makes a repeat with equal content a duplicate, also in another form', async () => {
    await post(named);
    await expect(post(named)).resolves.toMatchObject({
      status: 202,
      body: { items: [{ eventID: 'e-1', status: 'duplicate' }] },
    });
    await post({ ...named, eventID: 'e-2', id: 8, fields: { companyName: 'Acme', companyType: 5 } });
    const again = { ...named, eventID: 'e-2', id: '8', fields: { companyType: '5', COMPANYNAME: 'Acme' } };
    await expect(post(again)).resolves.toMatchObject({ body: { items: [{ status: 'duplicate' }] } });
    expect(await stored()).toHaveLength(2);
  });

  it.each([
    ['id', { id: 8 }],
    ['action', { action: 'Delete' }],
    ['fields', { fields: { companyName: 'Bolt' } }],
    ['eventTime', { eventTime: '2025-01-01' }],
    ['resourceID', { resourceID: 5 }],
    ['changedFields', { changedFields: ['companyName'] }],
  ])('with another %s is 409 for the whole batch, with its index', async (_, change) => {
    await post(named);
    const answer = await post({ ...update, id: 99 }, { ...named, ...change });
    expect(answer).toMatchObject({ status: 409, body: { details: [{ field: 'events[1].eventID' }] } });
    expect(await stored()).toHaveLength(1);
  });

  it('makes a repeat a duplicate whether its resourceID is left out or is the one that is meant', async () => {
    await post(named);
    const mine = { ...named, resourceID: tenant.source.resourceId };
    await expect(post(mine)).resolves.toMatchObject({ body: { items: [{ status: 'duplicate' }] } });
    const theirs = { as: tenant.admin, body: { events: [named] } };
    await expect(api.call('POST', '/EntityEvents', theirs)).resolves.toMatchObject({ status: 409 });
    await expect(
      api.call('POST', '/EntityEvents', { as: tenant.admin, body: { events: [mine] } }),
    ).resolves.toMatchObject({ body: { items: [{ status: 'duplicate' }] } });
  });

  it('that the service made names that event for a repeat', async () => {
    const { body } = await post(update);
    const [made] = (body as { items: { eventID: string }[] }).items;
    const repeat = { ...update, eventID: made?.eventID };
    await expect(post(repeat)).resolves.toMatchObject({
      status: 202,
      body: { items: [{ eventID: made?.eventID, status: 'duplicate' }] },
    });
    await expect(post({ ...repeat, fields: { companyName: 'Bolt' } })).resolves.toMatchObject({ status: 409 });
    expect(await stored()).toHaveLength(1);
  });

  it('belongs to its tenant', async () => {
    await post(named);
    const other = await makeTenant(api.database);
    const theirs = { ...named, fields: { companyName: 'Bolt' } };
    await expect(
      api.call('POST', '/EntityEvents', { as: other.source, body: { events: [theirs] } }),
    ).resolves.toMatchObject({ status: 202, body: { items: [{ status: 'accepted' }] } });
  });

  it('sent many times at once is taken once', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => post(named)));
    const statuses = answers.map((answer) => String((answer.body as { items: { status: string }[] }).items[0]?.status));
    expect(statuses.toSorted()).toEqual(['accepted', ...Array.from({ length: 9 }, () => 'duplicate')]);
  });
});
