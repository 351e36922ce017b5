import { beforeAll, describe, expect, it } from '@jest/globals';
import { failure } from '../../fixtures/failure.ts';
import { runTestApi } from '../../fixtures/run-test-api.ts';
import { makeTenant, type TestTenant } from '../../fixtures/test-tenant.ts';
import { makeWholeTenant, type WholeTenant } from '../../fixtures/whole-tenant.ts';

const api = runTestApi();
let tenant: WholeTenant;
let other: TestTenant;

beforeAll(async () => {
  tenant = await makeWholeTenant(api);
  other = await makeTenant(api.database);
});

const updates = ['PATCH', 'PUT'] as const;
const collections = [
  { path: '/CompanyWebhooks', methods: updates },
  { path: '/TicketNoteWebhooks', methods: updates },
  { path: '/CompanyWebhooks/1/Fields', methods: updates },
  { path: '/CompanyWebhooks/1/UdfFields', methods: updates },
  { path: '/Resources', methods: updates },
  { path: '/UserDefinedFieldDefinitions', methods: ['PATCH'] as const },
].flatMap(({ path, methods }) => methods.map((method) => ({ path, method })));

const everyKeyWrong = {
  ...{ name: 5, webhookUrl: 'nowhere', isActive: 'perhaps', webhookID: 'x', isSubscribedField: 'perhaps' },
  ...{ email: 'nobody', label: '', dataType: 'colour', fieldID: -1, udfFieldID: -1 },
};

describe.each(collections)('$method of an unknown id of $path with a body that is wrong', ({ path, method }) => {
  const send = (to: string, body: unknown, as = tenant.admin) => api.call(method, to, { as, body });
  const notFound = { status: 404, body: failure('notFound', expect.stringContaining('No matching records found')) };

  it('is 404, with the id in the path or in the body', async () => {
    for (const id of [999, 2 ** 31]) {
      await expect(send(`${path}/${id}`, everyKeyWrong)).resolves.toMatchObject(notFound);
      await expect(send(`${path}/${id}`, [])).resolves.toMatchObject(notFound);
      await expect(send(`${path}/${id}`, { ...everyKeyWrong, id: id + 1 })).resolves.toMatchObject(notFound);
      await expect(send(path, { ...everyKeyWrong, ID: String(id) })).resolves.toMatchObject(notFound);
      await expect(send(path, { ...everyKeyWrong, itemId: id })).resolves.toMatchObject(notFound);
    }
  });

  it('stays 400 where the id is known, or none is named', async () => {
    await expect(send(`${path}/1`, everyKeyWrong)).resolves.toMatchObject({ status: 400 });
    await expect(send(path, { ...everyKeyWrong, id: 1 })).resolves.toMatchObject({ status: 400 });
    await expect(send(path, { ...everyKeyWrong, itemId: 1 })).resolves.toMatchObject({ status: 400 });
    await expect(send(path, { id: 1, itemId: 2 })).resolves.toMatchObject({ status: 400 });
    await expect(send(`${path}/1`, { id: 999 })).resolves.toMatchObject({ status: 400 });
    for (const id of [undefined, null, 'x', 0, 2 ** 53]) {
      await expect(send(path, { ...everyKeyWrong, id })).resolves.toMatchObject({ status: 400 });
    }
    await expect(send(path, { ...everyKeyWrong, id: 999, ID: 1 })).resolves.toMatchObject({ status: 400 });
  });
});

it("is another tenant's id as much as one that does not exist", async () => {
  const definition = { entityType: 'Account', name: 'Mine', dataType: 'string' };
  const made = await api.call('POST', '/UserDefinedFieldDefinitions', { as: tenant.admin, body: definition });
  const { itemId } = made.body as { itemId: number };
  const path = `/UserDefinedFieldDefinitions/${itemId}`;
  const asks = (as: TestTenant) => api.call('PATCH', path, { as: as.admin, body: everyKeyWrong });
  await expect(asks(tenant)).resolves.toMatchObject({ status: 400 });
  await expect(asks(other)).resolves.toMatchObject({ status: 404 });
});
