import { beforeEach, describe, expect, it } from '@jest/globals';
import { failure } from '../../fixtures/failure.ts';
import { runTestApi } from '../../fixtures/run-test-api.ts';
import { makeTenant, tenantPerTest } from '../../fixtures/test-tenant.ts';

const api = runTestApi();
const tenant = tenantPerTest(() => makeTenant(api.database));

const company = { companyName: 'Acme', companyType: 1, ownerResourceID: 1, phone: '555-0100' };
const write = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  api.call(method, path, { as: tenant.source, body, headers });
const read = async (path: string) =>
  ((await api.call('GET', path, { as: tenant.integrator })).body as { item: Record<string, unknown> }).item;
const events = () =>
  api.database.prisma.event.findMany({ where: { tenantId: tenant.id }, orderBy: { recordVersion: 'asc' } });

async function defineUdfs() {
  const one = { tenantId: tenant.id, entityType: 'Account' };
  await api.database.prisma.udfDefinition.createMany({
    data: [
      {
        ...one,
        id: 1,
        name: 'Tier',
        nameFolded: 'tier',
        label: 'Service Tier',
        labelFolded: 'service tier',
        dataType: 'integer',
      },
      {
        ...one,
        id: 2,
        name: '__proto__',
        nameFolded: '__proto__',
        label: 'Odd',
        labelFolded: 'odd',
        dataType: 'string',
      },
    ],
  });
}

describe('creating a record', () => {
  it('responds with the next id, knows every field, and makes one pending event', async () => {
    await expect(write('POST', '/Companies', company)).resolves.toMatchObject({ status: 200, body: { itemId: 1 } });
    await expect(write('POST', '/companies/', company)).resolves.toMatchObject({ body: { itemId: 2 } });
    const [event] = await events();
    expect(event).toMatchObject({ action: 'Create', recordId: 1n, personId: 2, recordVersion: 1n });
    expect(event?.fields).toMatchObject({ companyName: 'Acme', companyType: '1', city: null });
    expect(api.enqueuedEvents).toContain(event?.id);
    expect(await api.database.prisma.pendingEvent.count({ where: { tenantId: tenant.id } })).toBe(2);
  });

  it('shows typed values and the time of creation in reads', async () => {
    await write('POST', '/Companies', { ...company, isActive: 'True', ownerResourceID: '7', city: 'Oslo' });
    expect(await read('/Companies/1')).toMatchObject({
      id: 1,
      companyName: 'Acme',
      companyType: 1,
      ownerResourceID: 7,
      isActive: true,
      city: 'Oslo',
      address1: null,
      createDate: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      userDefinedFields: [],
    });
  });

  it('accepts an id that is free, goes on above it, and refuses one that is used', async () => {
    await expect(write('POST', '/Companies', { ...company, id: '40' })).resolves.toMatchObject({
      body: { itemId: 40 },
    });
    await expect(write('POST', '/Companies', { ...company, id: 40 })).resolves.toMatchObject({ status: 409 });
    const { body } = await write('POST', '/Companies', company);
    expect((body as { itemId: number }).itemId).toBeGreaterThan(40);
  });

  it.each([0, '0', -1, '-1', '', null])('reads the id %j as none', async (id) => {
    await write('POST', '/Companies', company);
    await expect(write('POST', '/Companies', { ...company, id })).resolves.toMatchObject({
      status: 200,
      body: { itemId: 2 },
    });
  });

  it('accepts booleans as 1 and 0, quoted or not', async () => {
    for (const [index, isActive] of [1, '1', 0, '0'].entries()) {
      await write('POST', '/Companies', { ...company, isActive });
      expect(await read(`/Companies/${index + 1}`)).toMatchObject({ isActive: index < 2 });
    }
  });

  it('names every problem at once', async () => {
    const response = await write('POST', '/Companies', {
      id: 'x',
      companyName: 'x'.repeat(101),
      companyType: 'many',
      phone: '',
      isActive: 'perhaps',
      city: ['deep', ['er']],
      userDefinedFields: [{ name: 'Nothing', value: 1 }],
    });
    expect(response.status).toBe(400);
    const { details } = response.body as { details: { field: string }[] };
    expect(new Set(details.map((detail) => detail.field))).toEqual(
      new Set([
        'id',
        'companyName',
        'companyType',
        'phone',
        'isActive',
        'city',
        'ownerResourceID',
        'userDefinedFields[0]',
      ]),
    );
    expect(await events()).toEqual([]);
  });

  it('ignores read-only fields, except fields that are set at creation', async () => {
    const contact = { firstName: 'A', lastName: 'B', isActive: 1, companyID: 12, lastActivityDate: '2020-01-01' };
    await write('POST', '/Contacts', contact);
    expect(await read('/Contacts/1')).toMatchObject({ companyID: 12, lastActivityDate: null });
    await write('PATCH', '/Contacts', { id: 1, companyID: 13, lastName: 'C' });
    expect(await read('/Contacts/1')).toMatchObject({ companyID: 12, lastName: 'C' });
  });

  it.each([
    ['/ConfigurationItems', { isActive: true, productID: 5, companyID: 1 }],
    ['/Tickets', { companyID: 1, priority: 1, status: 1, title: 'Printer' }],
    ['/TicketNotes', { description: 'Done', noteType: 1, publish: 1, ticketID: 1 }],
  ])('works in %s as well', async (path, body) => {
    await expect(write('POST', path, body)).resolves.toMatchObject({ status: 200, body: { itemId: 1 } });
    expect(await read(`${path}/1`)).toMatchObject(body);
  });

  it.each([
    ['integer', 12, '12'],
    ['integer', '12', '12'],
    ['decimal', 1.25, '1.25'],
    ['decimal', '1.250', '1.25'],
    ['boolean', true, 'true'],
    ['boolean', 'True', 'true'],
    ['boolean', 0, 'false'],
    ['datetime', '2025-09-15T17:10:00+02:00', '2025-09-15T15:10:00Z'],
    ['list', 7, '7'],
    ['string', 'x', 'x'],
    ['string', null, null],
  ])('shows the %s %j of a user-defined field as %j', async (dataType, value, shown) => {
    const listValues = dataType === 'list' ? [{ value: 7, label: 'Seven' }] : [];
    const body = { entityType: 'Account', name: 'Own', dataType, listValues };
    await api.call('POST', '/UserDefinedFieldDefinitions', { as: tenant.admin, body });
    const userDefinedFields = [{ name: 'Own', value }];
    await write('POST', '/Companies', { ...company, userDefinedFields });
    expect(await read('/Companies/1')).toMatchObject({ userDefinedFields: [{ name: 'Own', value: shown }] });
    const { body: page } = await api.call('GET', '/Companies', { as: tenant.integrator });
    expect(page).toMatchObject({ items: [{ userDefinedFields: [{ name: 'Own', value: shown }] }] });
    // A record can be written as it was read, which changes nothing.
    await write('PATCH', '/Companies/1', { userDefinedFields: [{ name: 'Own', value: shown }] });
    expect(await events()).toHaveLength(1);
  });

  it('keeps user-defined fields by name, with any characters', async () => {
    await defineUdfs();
    await write('POST', '/Companies', {
      ...company,
      UserDefinedFields: [
        { Name: 'service tier', Value: '5' },
        { name: '__PROTO__', value: 'x' },
      ],
    });
    expect(await read('/Companies/1')).toMatchObject({
      userDefinedFields: [
        { name: 'Tier', value: '5' },
        { name: '__proto__', value: 'x' },
      ],
    });
    await expect(
      write('PATCH', '/Companies/1', { userDefinedFields: [{ name: 'Tier', value: 'high' }] }),
    ).resolves.toMatchObject({ status: 400 });
  });

  it('keeps texts of user-defined fields of up to 32,000 UTF-16 units', async () => {
    await defineUdfs();
    const longest = '😀'.repeat(16_000);
    const withText = (value: string) => ({ ...company, userDefinedFields: [{ name: 'Odd', value }] });
    await expect(write('POST', '/Companies', withText(longest))).resolves.toMatchObject({ status: 200 });
    expect((await read('/Companies/1'))['userDefinedFields']).toContainEqual({ name: '__proto__', value: longest });
    await expect(write('POST', '/Companies', withText(`${longest}.`))).resolves.toMatchObject({
      status: 400,
      body: failure('tooLong', expect.stringContaining('32000 characters or fewer')),
    });
  });
});

describe('an update with itemId', () => {
  it('is one of that id, where no other is named', async () => {
    for (let n = 0; n < 2; n += 1) await write('POST', '/Companies', company);
    for (const [method, body] of [
      ['PATCH', { itemId: 1, city: 'Oslo' }],
      ['PUT', { ...company, ITEMID: '1', id: null, city: 'Bergen' }],
    ] as const) {
      await expect(write(method, '/Companies', body)).resolves.toMatchObject({ status: 200, body: { itemId: 1 } });
    }
    expect(await read('/Companies/1')).toMatchObject({ city: 'Bergen' });
    for (const [path, body] of [
      ['/Companies', { itemId: 1, id: 2 }],
      ['/Companies/1', { itemId: 2 }],
      ['/Companies', { itemId: 'x' }],
    ] as const) {
      await expect(write('PATCH', path, body)).resolves.toMatchObject({ status: 400 });
    }
    await expect(write('PATCH', '/Companies', { itemId: 99 })).resolves.toMatchObject({ status: 404 });
    // On create it is a key like any that is unknown.
    await expect(write('POST', '/Companies', { ...company, itemId: 40 })).resolves.toMatchObject({
      body: { itemId: 3 },
    });
  });
});

describe('changing a record', () => {
  beforeEach(async () => {
    await write('POST', '/Companies', { ...company, city: 'Oslo' });
  });

  it('by PATCH changes what is named, with the id in body or path', async () => {
    await expect(write('PATCH', '/Companies', { id: '1', CITY: 'Bergen' })).resolves.toMatchObject({
      status: 200,
      body: { itemId: 1 },
    });
    await write('PATCH', '/Companies/1', { state: 'Vestland' });
    expect(await read('/Companies/1')).toMatchObject({ companyName: 'Acme', city: 'Bergen', state: 'Vestland' });
    expect((await events()).map((event) => event.changedFields)).toEqual([expect.any(Array), ['city'], ['state']]);
  });

  it('by PUT empties what is left out, and needs what is required', async () => {
    await expect(write('PUT', '/Companies', { id: 1, companyName: 'Acme' })).resolves.toMatchObject({ status: 400 });
    await write('PUT', '/Companies', { ...company, id: 1, state: 'Vestland' });
    expect(await read('/Companies/1')).toMatchObject({ city: null, state: 'Vestland', createDate: expect.any(String) });
  });

  it('that changes nothing makes no event', async () => {
    await expect(write('PATCH', '/Companies', { id: 1, city: 'Oslo', companyType: '1' })).resolves.toMatchObject({
      status: 200,
      body: { itemId: 1 },
    });
    expect(await events()).toHaveLength(1);
  });

  it('acts for the impersonated resource', async () => {
    await write('PATCH', '/Companies', { id: 1, city: 'Bergen' }, { ImpersonationResourceId: '3' });
    expect((await events()).map((event) => event.personId)).toEqual([2, 3]);
  });

  it.each([
    ['PATCH', '/Companies', { city: 'Bergen' }, 400],
    ['PATCH', '/Companies/1', { id: 2, city: 'Bergen' }, 400],
    ['PATCH', '/Companies', { id: 1, companyName: null }, 400],
    ['PATCH', '/Companies', { id: 99, city: 'Bergen' }, 404],
    ['PUT', '/Companies', { ...company, id: 99 }, 404],
    ['DELETE', '/Companies/99', undefined, 404],
  ])('%s %s %j is %i', async (method, path, body, status) => {
    await expect(write(method, path, body)).resolves.toMatchObject({ status });
  });

  it.each(['PATCH', 'PUT'])('%s without an id says that it is required', async (method) => {
    const response = await write(method, '/Companies', company);
    expect(response).toMatchObject({ status: 400, body: { details: [{ code: 'required', field: 'id' }] } });
  });

  it.each([
    ['PATCH', '/Companies/99', { companyType: 'many', userDefinedFields: [{ name: 'Nothing', value: 1 }] }],
    ['PATCH', '/Companies', { id: 99, companyType: 'many' }],
    ['PATCH', '/Companies/99', { id: 98 }],
    ['PATCH', '/Companies/99', []],
    ['PATCH', '/Companies/9007199254740991', { city: 5 }],
    ['PUT', '/Companies/99', {}],
    ['PUT', '/Companies', { id: '99' }],
    ['DELETE', '/Companies/99', undefined],
  ])('that is not there is 404, whatever else is wrong: %s %s %j', async (method, path, body) => {
    await expect(write(method, path, body)).resolves.toMatchObject({ status: 404 });
  });

  it.each([
    ['PATCH', '/Companies/1', { companyType: 'many' }],
    ['PATCH', '/Companies', { id: 1, companyType: 'many' }],
    ['PATCH', '/Companies/1', []],
    ['PUT', '/Companies/1', {}],
    ['PATCH', '/Companies/1', { userDefinedFields: [{ name: 'Nothing', value: 1 }] }],
  ])('that is there is 400 when the body is wrong: %s %s %j', async (method, path, body) => {
    await expect(write(method, path, body)).resolves.toMatchObject({ status: 400 });
  });

  it('ends with its deletion', async () => {
    await expect(write('DELETE', '/Companies/1')).resolves.toMatchObject({ status: 200, body: { itemId: 1 } });
    const gone = [write('DELETE', '/Companies/1'), write('PATCH', '/Companies', { id: 1, city: 'x' })];
    expect((await Promise.all(gone)).map((response) => response.status)).toEqual([404, 404]);
    await expect(api.call('GET', '/Companies/1', { as: tenant.admin })).resolves.toMatchObject({ status: 404 });
    expect((await events()).map((event) => event.action)).toEqual(['Create', 'Delete']);
  });
});

describe('the defaults of the catalogue', () => {
  it('are stored by a create, and are in its event; what a body gives stays, null as well', async () => {
    await write('POST', '/Companies', company);
    await write('POST', '/Companies', { ...company, isActive: false });
    await write('POST', '/Companies', { ...company, isActive: null });
    expect(await read('/Companies/1')).toMatchObject({ isActive: true, isTaxExempt: null });
    expect(await read('/Companies/2')).toMatchObject({ isActive: false });
    expect(await read('/Companies/3')).toMatchObject({ isActive: null });
    const [first] = await events();
    expect(first?.fields).toMatchObject({ isActive: 'true' });
    expect(first?.changedFields).toContain('isActive');
    const found = await api.call('POST', '/Companies/query', {
      as: tenant.integrator,
      body: { Filter: [{ op: 'eq', field: 'isActive', value: true }] },
    });
    expect(found.body).toMatchObject({ items: [{ id: 1 }] });
  });

  it('number tickets, unless a create names a number', async () => {
    const ticket = { companyID: 1, title: 'Printer', priority: 2, status: 1 };
    for (const change of [{}, { ticketNumber: 'MINE-1' }, { id: 900 }]) {
      expect(await write('POST', '/Tickets', { ...ticket, ...change })).toMatchObject({ status: 200 });
    }
    const numbers = [];
    for (const id of [1, 2, 900]) numbers.push((await read(`/Tickets/${id}`))['ticketNumber']);
    expect(numbers).toEqual([
      expect.stringMatching(/^T\d{8}\.0001$/u),
      'MINE-1',
      expect.stringMatching(/^T\d{8}\.0002$/u),
    ]);
  });

  it('are not for updates, nor for events of products that own their records', async () => {
    await write('POST', '/Companies', company);
    await write('PUT', '/Companies/1', company);
    expect(await read('/Companies/1')).toMatchObject({ isActive: null });
    const event = { entityType: 'Account', action: 'Create', id: 77, fields: { companyName: 'Theirs' } };
    await write('POST', '/EntityEvents', { events: [event] });
    const stored = await api.database.prisma.event.findFirst({ where: { tenantId: tenant.id, recordId: 77 } });
    expect(stored?.fields).toEqual({ companyName: 'Theirs' });
  });
});
