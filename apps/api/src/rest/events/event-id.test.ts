import { describe, expect, it } from '@jest/globals';
import { runTestApi } from '../../fixtures/run-test-api.ts';
import { storedEvents } from './stored-events.fixture.ts';
import { makeTenant, tenantPerTest } from '../../fixtures/test-tenant.ts';

const api = runTestApi();
const tenant = tenantPerTest(() => makeTenant(api.database));

const update = { entityType: 'Account', action: 'Update', id: 7, fields: { companyName: 'Acme' } };
const post = (...events: unknown[]) => api.call('POST', '/EntityEvents', { as: tenant.source, body: { events } });
const stored = () => storedEvents(api, tenant.id);

describe('an eventID', () => {
  const named = { ...update, eventID: 'e-1' };

  it('may be a number, which is its text, but none that lost digits on the way', async () => {
    await expect(post({ ...named, eventID: 42 })).resolves.toMatchObject({ body: { items: [{ eventID: '42' }] } });
    await expect(post({ ...named, eventID: '42' })).resolves.toMatchObject({
      body: { items: [{ eventID: '42', status: 'duplicate' }] },
    });
    await expect(post({ ...named, eventID: 2 ** 53 })).resolves.toMatchObject({ status: 400 });
  });

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
    const response = await post({ ...update, id: 99 }, { ...named, ...change });
    expect(response).toMatchObject({ status: 409, body: { details: [{ field: 'events[1].eventID' }] } });
    expect(await stored()).toHaveLength(1);
  });

  it('that is in a batch twice is accepted once when both have the same content, and 409 when they do not', async () => {
    await expect(post(named, { ...update, id: 8 }, { ...named, id: '7' })).resolves.toMatchObject({
      status: 202,
      body: { items: [{ eventID: 'e-1', status: 'accepted' }, {}, { eventID: 'e-1', status: 'duplicate' }] },
    });
    const other = { ...named, eventID: 'e-2' };
    const response = await post(other, { ...other, fields: { companyName: 'Bolt' } });
    expect(response).toMatchObject({ status: 409, body: { details: [{ field: 'events[1].eventID' }] } });
    expect(await stored()).toHaveLength(2);
  });

  it('names one event however often it comes, also when that changed nothing', async () => {
    await post(named);
    const same = { ...update, eventID: 'e-2' };
    const statuses = [await post(same), await post(same)].map(({ body }) => body);
    expect(statuses).toEqual([
      { items: [{ eventID: 'e-2', status: 'unchanged' }] },
      { items: [{ eventID: 'e-2', status: 'duplicate' }] },
    ]);
    await expect(post({ ...same, fields: { companyName: 'Bolt' } })).resolves.toMatchObject({ status: 409 });
  });

  it('is case-sensitive, and may have 100 visible characters', async () => {
    const ids = ['e-1', 'E-1', `"\\'{}%,~!${'x'.repeat(90)}`];
    const response = await post(...ids.map((eventID, index) => ({ ...update, id: index + 1, eventID })));
    const items = ids.map((eventID) => ({ eventID, status: 'accepted' }));
    expect(response).toMatchObject({ status: 202, body: { items } });
    expect((await stored()).map(({ eventKey }) => eventKey)).toEqual(ids);
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

  it('sent many times at once is accepted once', async () => {
    const responses = await Promise.all(Array.from({ length: 10 }, () => post(named)));
    const statuses = responses.map((response) =>
      String((response.body as { items: { status: string }[] }).items[0]?.status),
    );
    expect(statuses.toSorted()).toEqual(['accepted', ...Array.from({ length: 9 }, () => 'duplicate')]);
  });
});
