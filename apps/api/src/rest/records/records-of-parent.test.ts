import { beforeEach, describe, expect, it } from '@jest/globals';
import { failure } from '../../fixtures/failure.ts';
import { idsOf, pageOf, pathBelowVersion } from '../../fixtures/pages.ts';
import { runTestApi } from '../../fixtures/run-test-api.ts';
import { storedEvents } from '../events/stored-events.fixture.ts';
import { makeTenant, type TestTenant } from '../../fixtures/test-tenant.ts';

const api = runTestApi();
let tenant: TestTenant;

const company = { companyName: 'Northwind', companyType: 1, ownerResourceID: 1, phone: '555-0100' };
const contact = { firstName: 'Jo', lastName: 'Doe', isActive: 1 };
const ticket = { companyID: 1, title: 'Fire', status: 1, priority: 1 };
const note = { description: 'It is on fire', noteType: 1, publish: 1, title: 'Fire' };

const call = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  api.call(method, path, { as: tenant.source, body, ...(headers && { headers }) });
const make = async (path: string, body: unknown): Promise<number> => {
  const response = await call('POST', path, body);
  if (response.status !== 200) throw new Error(`${path}: ${JSON.stringify(response.body)}`);
  return (response.body as { itemId: number }).itemId;
};
const itemOf = async (path: string) => ((await call('GET', path)).body as { item: Record<string, unknown> }).item;
const notFound = { status: 404, body: failure('notFound', '404: No matching records found') };

beforeEach(async () => {
  tenant = await makeTenant(api.database);
  for (const companyName of ['Northwind', 'Southwind']) await make('/Companies', { ...company, companyName });
});

describe('records under their parent', () => {
  it('are created there, with the id of the path', async () => {
    expect(await make('/Companies/2/Contacts', contact)).toBe(1);
    expect(await make('/companies/2/contacts/', { ...contact, companyID: '2' })).toBe(2);
    expect(await make('/Companies/1/Contacts', { ...contact, companyID: null })).toBe(3);
    expect(await itemOf('/Contacts/1')).toMatchObject({ firstName: 'Jo', companyID: 2 });
    const events = await storedEvents(api, tenant.id);
    expect(events.filter(({ entityType }) => entityType === 'Contact')).toHaveLength(3);
  });

  it('are those of the parent alone, in lists, reads, queries and counts', async () => {
    for (const parent of [1, 2, 1, 2, 1]) await make(`/Companies/${parent}/Contacts`, contact);
    const path = '/Companies/1/Contacts';
    expect(idsOf(await call('GET', path))).toEqual([1, 3, 5]);
    const search = { Filter: [{ op: 'gt', field: 'id', value: 1 }] };
    expect(idsOf(await call('GET', `${path}/query?search=${JSON.stringify(search)}`))).toEqual([3, 5]);
    expect(idsOf(await call('POST', `${path}/query`, search))).toEqual([3, 5]);
    const either = { op: 'or', items: [2, 3].map((value) => ({ op: 'eq', field: 'id', value })) };
    expect(idsOf(await call('POST', `${path}/query`, { Filter: [either] }))).toEqual([3]);
    const other = { Filter: [{ op: 'eq', field: 'companyID', value: 2 }] };
    expect(idsOf(await call('POST', `${path}/query`, other))).toEqual([]);
    await expect(call('POST', `${path}/query/count`, search)).resolves.toMatchObject({ body: { queryCount: 2 } });
    await expect(call('GET', `${path}/query/count`)).resolves.toMatchObject({ body: { queryCount: 3 } });
    expect(await itemOf(`${path}/3`)).toEqual(await itemOf('/Contacts/3'));
    await expect(call('GET', `${path}/2`)).resolves.toMatchObject(notFound);
  });

  it('are paged both ways, by tokens of this parent alone', async () => {
    for (const parent of [1, 2, 1, 2, 1]) await make(`/Companies/${parent}/Contacts`, contact);
    const { nextPageUrl } = pageOf(await call('POST', '/Companies/1/Contacts/query', { MaxRecords: 2 })).pageDetails;
    const next = pathBelowVersion(nextPageUrl);
    expect(next).toMatch(/^\/Companies\/1\/Contacts\/query\/next\?paging=/);
    const second = await call('GET', next);
    expect(idsOf(second)).toEqual([5]);
    expect(idsOf(await call('GET', pathBelowVersion(pageOf(second).pageDetails.prevPageUrl)))).toEqual([1, 3]);
    for (const elsewhere of ['/Companies/2/Contacts', '/Contacts', '/Companies/1/ConfigurationItems']) {
      const response = await call('GET', next.replace('/Companies/1/Contacts', elsewhere));
      expect(response).toMatchObject({ status: 400, body: { details: [{ field: 'paging' }] } });
    }
  });

  it('are changed there when they belong to it', async () => {
    await make('/Companies/1/Contacts', contact);
    for (const [method, path, body] of [
      ['PATCH', '/Companies/1/Contacts', { id: 1, title: 'One' }],
      ['PATCH', '/Companies/1/Contacts/1', { title: 'Two', companyID: 1 }],
      ['PUT', '/Companies/1/Contacts', { ...contact, id: 1, title: 'Three' }],
      ['PUT', '/Companies/1/Contacts/1', { ...contact, title: 'Four' }],
    ] as const) {
      await expect(call(method, path, body)).resolves.toMatchObject({ status: 200, body: { itemId: 1 } });
      expect(await itemOf('/Contacts/1')).toMatchObject({ title: (body as { title: string }).title, companyID: 1 });
      await expect(call(method, path.replace('/1/', '/2/'), { id: 1 })).resolves.toMatchObject(notFound);
    }
    await expect(call('DELETE', '/Companies/1/Contacts/1')).resolves.toMatchObject({ status: 405 });
  });

  it('refuse the id of another parent in the body', async () => {
    await make('/Companies/1/Contacts', contact);
    const refused = {
      status: 400,
      body: { errors: ['companyID is 2 in the body and 1 in the path'], details: [{ field: 'companyID' }] },
    };
    await expect(call('POST', '/Companies/1/Contacts', { ...contact, companyID: 2 })).resolves.toMatchObject(refused);
    await expect(call('PATCH', '/Companies/1/Contacts', { id: 1, companyID: 2 })).resolves.toMatchObject(refused);
    await expect(call('PUT', '/Companies/1/Contacts/1', { ...contact, companyID: 2 })).resolves.toMatchObject(refused);
    await expect(call('GET', '/Contacts/query/count')).resolves.toMatchObject({ body: { queryCount: 1 } });
  });

  it('are 404 under a parent that is unknown or deleted', async () => {
    await make('/Companies/1/Contacts', contact);
    await call('DELETE', '/Companies/1');
    for (const parent of ['1', '7']) {
      const path = `/Companies/${parent}/Contacts`;
      for (const [method, rest, body] of [
        ['GET', '', undefined],
        ['GET', '/1', undefined],
        ['POST', '/query', {}],
        ['GET', '/query/count', undefined],
        ['GET', '/entityInformation', undefined],
        ['POST', '', { ...contact, companyID: 2 }],
        ['PATCH', '', { id: 1 }],
        ['PUT', '/1', contact],
      ] as const) {
        await expect(call(method, path + rest, body)).resolves.toMatchObject(notFound);
      }
    }
    await expect(call('GET', '/Companies/abc/Contacts')).resolves.toMatchObject({
      status: 404,
      body: { errors: ['404: No matching records found: "abc" is no id, which is a whole number from 1'] },
    });
  });

  it('are notes of tickets under their short name, and a PUT keeps them with their ticket', async () => {
    await make('/Tickets', ticket);
    expect(await make('/Tickets/1/Notes', note)).toBe(1);
    await expect(call('PUT', '/Tickets/1/Notes/1', { ...note, title: 'Out' })).resolves.toMatchObject({ status: 200 });
    await expect(call('PATCH', '/Tickets/1/Notes/1', { ticketID: 2 })).resolves.toMatchObject({ status: 400 });
    expect(await itemOf('/TicketNotes/1')).toMatchObject({ title: 'Out', ticketID: 1 });
    expect(await itemOf('/Tickets/1/Notes/1')).toEqual(await itemOf('/TicketNotes/1'));
  });

  it('can only be read where the catalogue says so: tickets of a company', async () => {
    await make('/Tickets', ticket);
    expect(idsOf(await call('GET', '/Companies/1/Tickets'))).toEqual([1]);
    expect(idsOf(await call('GET', '/Companies/2/Tickets'))).toEqual([]);
    await expect(call('POST', '/Companies/1/Tickets', ticket)).resolves.toMatchObject({ status: 405 });
    const { body } = await call('GET', '/Companies/1/Tickets/entityInformation');
    expect(body).toMatchObject({ info: { name: 'Ticket', canCreate: false, canUpdate: false, canQuery: true } });
    const { body: described } = await call('GET', '/Companies/1/Contacts/entityInformation/fields');
    const { fields } = described as { fields: { name: string; isRequired: boolean }[] };
    expect(fields.find(({ name }) => name === 'companyID')).toMatchObject({ isRequired: false });
  });

  it('are created once under one Idempotency-Key, which counts for one parent', async () => {
    const key = { 'Idempotency-Key': 'first' };
    const first = await call('POST', '/Companies/1/Contacts', contact, key);
    expect(first).toMatchObject({ status: 200, body: { itemId: 1 } });
    const again = await call('POST', '/companies/01/Contacts', contact, key);
    expect(again).toMatchObject({ status: 200, body: { itemId: 1 } });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    await expect(call('POST', '/Companies/2/Contacts', contact, key)).resolves.toMatchObject({ body: { itemId: 2 } });
  });
});
