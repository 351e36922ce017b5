import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ownCatalogueDir } from '@callout/domain/catalogue/catalogue-dir';
import { createTestDatabase } from '@callout/testing';
import { deletions, routesOfEntity } from './fixtures/every-route.ts';
import { startTestApi, type TestApi } from './fixtures/test-api.ts';
import { makeWholeTenant, type WholeTenant } from './fixtures/whole-tenant.ts';

const field = {
  dataType: 'string',
  length: 20,
  isRequired: true,
  isReadOnly: false,
  isReference: false,
  referenceEntityType: '',
  isPickList: false,
  isSupportedWebhookField: true,
};
const gadgets = {
  collection: 'Gadgets',
  entityType: 'Gadget',
  singular: 'Gadget',
  webhookCollection: 'GadgetWebhooks',
  hasUserDefinedFields: true,
  supportsWebhookCallouts: true,
  fields: [
    { ...field, fieldID: 1, name: 'id', dataType: 'long', length: 0, isReadOnly: true, isSupportedWebhookField: false },
    { ...field, fieldID: 2, name: 'gadgetName' },
  ],
};

let testDatabase: Awaited<ReturnType<typeof createTestDatabase>>;
let directory: string;
let api: TestApi;
let tenant: WholeTenant;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  directory = await mkdtemp(path.join(tmpdir(), 'callout-catalogue-'));
  await cp(ownCatalogueDir, directory, { recursive: true });
  await writeFile(path.join(directory, 'gadgets.json'), JSON.stringify(gadgets));
  api = await startTestApi(testDatabase.url, { CATALOGUE_DIR: directory });
  tenant = await makeWholeTenant(api);
});
afterAll(async () => {
  await api.stop();
  await testDatabase.drop();
  await rm(directory, { recursive: true });
});

describe('a sixth entity', () => {
  it('needs a catalogue file and a restart: then it has every route that the others have', async () => {
    const entity = api.catalogue.watched.find((one) => one.entityType === 'Gadget');
    if (entity === undefined) throw new Error('the catalogue was not read');
    const withUdfs = api.catalogue.watched.filter((one) => one.hasUserDefinedFields);
    const company = withUdfs[0];
    const cases = [
      ...routesOfEntity(entity, withUdfs.indexOf(entity) + 1, tenant.logged),
      ...deletions([entity], tenant.errorLogId),
    ];
    expect(cases).toHaveLength(
      [...(company ? routesOfEntity(company, 1, tenant.logged) : []), ...deletions([entity], tenant.errorLogId)].length,
    );
    for (const { method, path, body, status } of cases) {
      const response = await api.call(method, path, { as: tenant.admin, body });
      expect({ [`${method} ${path}`]: response.status }).toEqual({ [`${method} ${path}`]: status });
    }
  });

  it('is accepted in events, and described in metadata', async () => {
    const events = [{ entityType: 'gadget', action: 'Create', id: 5, fields: { gadgetName: 'Lamp' } }];
    await expect(api.call('POST', '/EntityEvents', { as: tenant.source, body: { events } })).resolves.toMatchObject({
      status: 202,
      body: { items: [{ status: 'accepted' }] },
    });
    const { body } = await api.call('GET', '/GadgetWebhookFields/entityInformation/fields', { as: tenant.admin });
    expect(body).toMatchObject({
      fields: [{ name: 'fieldID', picklistValues: [{ value: '2', label: 'GadgetName' }] }, {}, {}, {}, {}],
    });
  });
});
