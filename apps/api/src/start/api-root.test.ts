import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createTestDatabase } from '@callout/testing';
import { call, startTestApi, type TestApi } from '../fixtures/test-api.ts';
import { makeTenant, type TestTenant } from '../fixtures/test-tenant.ts';

let testDatabase: Awaited<ReturnType<typeof createTestDatabase>>;
let api: TestApi;
let tenant: TestTenant;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  api = await startTestApi(testDatabase.url, { API_ROOT: 'api' });
  tenant = await makeTenant(api.database);
});
afterAll(async () => {
  await api.stop();
  await testDatabase.drop();
});

it.each([
  '/api/VersionInformation',
  '/atservicesrest/VersionInformation',
  '/api/v1.0/Version',
  '/atservicesrest/v1.0/Version',
])('GET %s responds where API_ROOT is api', async (path) => {
  await expect(call(api.url + path, 'GET')).resolves.toMatchObject({ status: 200 });
});

it('serves records under both roots, and names API_ROOT in the address of the next page', async () => {
  const records = [1, 2].map((id) => ({
    entityType: 'Account',
    action: 'Create',
    id,
    fields: { companyName: 'Acme' },
  }));
  await api.call('POST', '/EntityEvents', { as: tenant.source, body: { events: records } });
  const search = encodeURIComponent('{"MaxRecords":1,"filter":[{"op":"exist","field":"id"}]}');
  for (const root of ['api', 'atservicesrest']) {
    const response = await call(`${api.url}/${root}/v1.0/Companies/query?search=${search}`, 'GET', {
      as: tenant.admin,
    });
    expect(response).toMatchObject({
      status: 200,
      body: { pageDetails: { nextPageUrl: expect.stringMatching(/\/api\/v1\.0\/Companies\/query\/next\?paging=/u) } },
    });
  }
  await expect(call(`${api.url}/other/v1.0/Version`, 'GET')).resolves.toMatchObject({ status: 404 });
});
