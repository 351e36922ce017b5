import { describe, expect, it } from '@jest/globals';
import { runTestApi } from '../../fixtures/run-test-api.ts';
import { storedEvents } from './stored-events.fixture.ts';
import { makeTenant, tenantPerTest } from '../../fixtures/test-tenant.ts';

const api = runTestApi();
const tenant = tenantPerTest(() => makeTenant(api.database));

const update = { entityType: 'Account', action: 'Update', id: 7, fields: { companyName: 'Acme' } };
const post = (...events: unknown[]) => api.call('POST', '/EntityEvents', { as: tenant.source, body: { events } });
const stored = () => storedEvents(api, tenant.id);
const accepted = { eventID: expect.any(String), status: 'accepted' };

describe('POST /EntityEvents', () => {
  it('responds with 202 and one item per event, in their order', async () => {
    await post(update);
    const response = await post(
      { ...update, eventID: 'my-1', fields: { companyName: 'Bolt' } },
      { ...update, id: 8 },
      { ...update, fields: { companyName: 'Bolt' } },
    );
    expect(response).toMatchObject({
      status: 202,
      body: { items: [{ eventID: 'my-1', status: 'accepted' }, accepted, { status: 'unchanged' }] },
    });
  });

  it('reads keys, entity types and actions in any case, and values in any form', async () => {
    const response = await api.call('POST', '/entityevents/', {
      as: tenant.source,
      body: {
        EVENTS: [
          {
            EntityType: 'account',
            ACTION: 'update',
            Id: '7',
            ResourceID: '12',
            EventTime: '2025-09-15T17:10:00.999+02:00',
            Fields: {
              CompanyName: 'Acme',
              ISACTIVE: 'True',
              taxID: null,
              id: 99,
              nonsense: 1,
              createDate: '2020-01-01',
            },
          },
        ],
      },
    });
    expect(response).toMatchObject({ status: 202, body: { items: [accepted] } });
    const [event] = await stored();
    expect(event).toMatchObject({
      action: 'Update',
      recordId: 7n,
      personId: 12,
      eventTime: new Date('2025-09-15T15:10:00Z'),
      fields: { companyName: 'Acme', isActive: 'true', createDate: '2020-01-01T00:00:00Z' },
    });
    expect(event?.fields).not.toHaveProperty('id');
    expect(event?.fields).not.toHaveProperty('nonsense');
  });

  it.each([1, '1', 0, '0'])('reads a boolean of %j', async (isActive) => {
    await post({ ...update, fields: { isActive } });
    expect(await stored()).toMatchObject([{ fields: { isActive: String(Number(isActive) === 1) } }]);
  });

  it('counts every given field of a record never seen as changed, and compares afterwards', async () => {
    await post({ ...update, fields: { companyName: 'Acme', city: 'Oslo' } });
    await post({ ...update, fields: { companyName: 'Acme', city: 'Bergen' } });
    expect((await stored()).map((event) => event.changedFields)).toEqual([['companyName', 'city'], ['city']]);
  });

  it('believes changedFields, and refuses names that are unknown or have no known value', async () => {
    await post(update);
    await expect(post({ ...update, changedFields: ['COMPANYNAME'] })).resolves.toMatchObject({
      body: { items: [accepted] },
    });
    expect((await stored()).at(-1)?.changedFields).toEqual(['companyName']);
    const responses = [
      await post({ ...update, changedFields: ['colour'] }),
      await post({ ...update, changedFields: ['city'] }),
    ];
    for (const response of responses) {
      expect(response).toMatchObject({ status: 400, body: { details: [{ field: 'events[0].changedFields' }] } });
    }
  });

  it('accepts a name in changedFields once, in any number and case', async () => {
    await post({ ...update, fields: { companyName: 'Acme', city: 'Oslo' } });
    await post({ ...update, changedFields: ['city', 'CITY', 'companyName', 'city'] });
    expect((await stored()).at(-1)?.changedFields).toEqual(['city', 'companyName']);
  });

  it('orders the events of a record by arrival, not by their times', async () => {
    const names = ['Ant', 'Bee', 'Cat'];
    for (const [index, companyName] of names.entries()) {
      const eventTime = `${2025 - index}-01-01T00:00:00Z`;
      await expect(post({ ...update, fields: { companyName }, eventTime })).resolves.toMatchObject({ status: 202 });
    }
    expect((await stored()).map(({ fields }) => fields)).toEqual(names.map((companyName) => ({ companyName })));
  });

  it('keeps values that changedFields leaves out, and makes no event of an empty list', async () => {
    await post({ ...update, fields: { companyName: 'Acme', city: 'Oslo', phone: '1' } });
    const complete = { ...update, fields: { city: 'Bergen', phone: '2' } };
    await expect(post({ ...complete, changedFields: [] })).resolves.toMatchObject({
      body: { items: [{ status: 'unchanged' }] },
    });
    await post({ ...complete, fields: { companyName: 'Bolt', phone: '3' }, changedFields: ['companyName'] });
    expect((await stored()).slice(1)).toMatchObject([
      { changedFields: ['companyName'], fields: { companyName: 'Bolt', city: 'Bergen', phone: '3' } },
    ]);
  });

  it('accepts user-defined fields by name or label, and refuses unknown ones', async () => {
    await api.database.prisma.udfDefinition.create({
      data: {
        tenantId: tenant.id,
        id: 4,
        entityType: 'Account',
        name: 'Tier',
        nameFolded: 'tier',
        label: 'Service Tier',
        labelFolded: 'service tier',
        dataType: 'decimal',
      },
    });
    const udf = { ...update, fields: {}, userDefinedFields: { 'SERVICE tier': '5.50' } };
    await expect(post(udf)).resolves.toMatchObject({ body: { items: [accepted] } });
    expect(await stored()).toMatchObject([{ udfFields: { 4: '5.5' }, changedUdfs: [4], changedFields: [] }]);
    await expect(post({ ...udf, changedFields: ['tier'] })).resolves.toMatchObject({ body: { items: [accepted] } });
    await expect(post({ ...udf, userDefinedFields: { Tier: 'high' } })).resolves.toMatchObject({ status: 400 });
    const unknown = `Other${'x'.repeat(1000)}`;
    const field = `events[1].userDefinedFields.${unknown.slice(0, 100)}`;
    await expect(post(udf, { ...udf, userDefinedFields: { tier: 1, [unknown]: 1 } })).resolves.toMatchObject({
      status: 400,
      body: { details: [{ field, message: expect.stringContaining('is no user-defined field of Account') }] },
    });
    const note = { entityType: 'TicketNote', action: 'Update', id: 7, userDefinedFields: { Tier: 5 } };
    await expect(post(note)).resolves.toMatchObject({ status: 400 });
  });

  it('accepts deletions, and creations that replace the known values', async () => {
    await post(
      { ...update, action: 'Create', fields: { companyName: 'Acme', city: 'Oslo' } },
      { entityType: 'Account', action: 'Delete', id: 7 },
      { ...update, action: 'Create' },
    );
    expect((await stored()).map(({ action, fields }) => [action, fields])).toEqual([
      ['Create', { companyName: 'Acme', city: 'Oslo' }],
      ['Delete', { companyName: 'Acme', city: 'Oslo' }],
      ['Create', { companyName: 'Acme' }],
    ]);
  });

  it('keeps nothing of a batch with one bad event, and names its index and key', async () => {
    const response = await post(update, { ...update, id: 8, fields: { companyType: 'many' } });
    expect(response).toMatchObject({
      status: 400,
      body: {
        errors: [expect.stringContaining('events[1].fields.companyType must be an integer')],
        details: [{ code: 'invalidType', field: 'events[1].fields.companyType' }],
      },
    });
    expect(await stored()).toEqual([]);
  });

  it.each([
    ['entityType', { entityType: 'Spaceship' }],
    ['entityType', { entityType: 'Resource' }],
    ['entityType', { entityType: 7 }],
    ['action', { action: 'Upsert' }],
    ['action', { action: null }],
    ['id', { id: undefined }],
    ['id', { id: 0 }],
    ['id', { id: '-1' }],
    ['id', { id: 1.5 }],
    ['id', { id: 9_007_199_254_740_992 }],
    ['resourceID', { resourceID: 0 }],
    ['resourceID', { resourceID: 4_294_967_296 }],
    ['eventTime', { eventTime: 'yesterday' }],
    ['eventTime', { eventTime: 5 }],
    ['eventID', { eventID: '' }],
    ['eventID', { eventID: 'x'.repeat(101) }],
    ['eventID', { eventID: 'with blank' }],
    ['eventID', { eventID: 'ümlaut' }],
    ['eventID', { eventID: true }],
    ['fields', { fields: [] }],
    ['fields', { fields: 'companyName' }],
    ['fields.companyName', { fields: { companyName: { deep: true } } }],
    ['fields.companyName', { fields: { companyName: 'nul \u0000' } }],
    ['fields.companyName', { fields: { companyName: 'a', COMPANYNAME: 'b' } }],
    ['userDefinedFields', { userDefinedFields: [] }],
    ['changedFields', { changedFields: 'companyName' }],
    ['changedFields', { changedFields: [1] }],
  ])('refuses a bad %s: %j', async (key, change) => {
    const response = await post(update, { ...update, ...change });
    expect(response.status).toBe(400);
    expect((response.body as { details: { field: string }[] }).details.map((detail) => detail.field)).toContain(
      `events[1].${key}`,
    );
    expect(await stored()).toEqual([]);
  });

  it.each([
    {},
    { events: [] },
    { events: {} },
    { events: null },
    { events: [1] },
    { events: Array.from({ length: 1001 }, () => update) },
    [],
  ])('refuses a body that is no batch', async (body) => {
    await expect(api.call('POST', '/EntityEvents', { as: tenant.source, body })).resolves.toMatchObject({
      status: 400,
    });
  });

  it('accepts 1000 events at once', async () => {
    const response = await post(...Array.from({ length: 1000 }, (_, index) => ({ ...update, id: index + 1 })));
    expect(response.status).toBe(202);
    expect(await stored()).toHaveLength(1000);
  });

  it('stops looking for problems after the first hundred', async () => {
    const response = await post(...Array.from({ length: 1000 }, () => ({ action: 'x' })));
    const { details } = response.body as { details: unknown[] };
    expect(details.length).toBeLessThan(110);
  });

  it('keeps text with unusual characters unchanged', async () => {
    const companyName = 'Ünï "\\\u2028 😀 \u0001';
    await post({ ...update, fields: { companyName } });
    expect((await stored())[0]?.fields).toEqual({ companyName });
  });
});

describe('GET /EntityEvents', () => {
  it('names the path that lists events', async () => {
    expect(await api.call('GET', '/EntityEvents', { as: tenant.integrator })).toMatchObject({
      status: 405,
      body: { errors: ['This path takes POST only; GET is for /EntityEvents/query'] },
    });
  });
});
