import { beforeAll, describe, expect, it } from '@jest/globals';
import { failure } from '../../fixtures/failure.ts';
import { runTestApi } from '../../fixtures/run-test-api.ts';
import { call } from '../../fixtures/test-api.ts';
import { makeTenantWithWebhooks } from '../../fixtures/tenant-with-webhooks.ts';
import type { TestTenant } from '../../fixtures/test-tenant.ts';
import { normalUrl } from './normal-path.ts';

describe('the normal form of an address', () => {
  it.each([
    ['/', '/'],
    ['//', '/'],
    ['/a/', '/a'],
    ['//a///b//', '/a/b'],
    ['/a/b', '/a/b'],
    ['/a//b/?x=//y/', '/a/b?x=//y/'],
    ['/a%2F%2Fb%2f/', '/a%2F%2Fb%2f'],
    ['/a/%2F/b', '/a/%2F/b'],
    ['/a\\\\b', '/a\\\\b'],
    ['/a/..//b', '/a/../b'],
    ['http://a.example//b//c/?d=//e', 'http://a.example/b/c?d=//e'],
    ['http://a.example', 'http://a.example'],
    ['*', '*'],
  ])('of %s is %s', (given, expected) => {
    expect(normalUrl(given)).toBe(expected);
    expect(normalUrl(expected)).toBe(expected);
  });
});

describe('a path with slashes too many', () => {
  const api = runTestApi({ API_REQUESTS_PER_HOUR: '1000' });
  let tenant: TestTenant;

  beforeAll(async () => {
    tenant = await makeTenantWithWebhooks(api);
  });

  it.each([
    '//CompanyWebhooks//1',
    '/CompanyWebhooks/1//',
    '///companywebhooks///1/',
    '/CompanyWebhooks//1//Fields',
    '/CompanyWebhooks//query/',
    '/CompanyWebhooks//entityInformation//fields//',
    '//Version',
  ])('%s is the one without', async (path) => {
    await expect(api.call('GET', path, { as: tenant.integrator })).resolves.toMatchObject({ status: 200 });
  });

  it.each(['//atservicesrest//v1.0//Version', '//healthz', '/readyz//', '//openapi.json'])(
    '%s too, from the first one on',
    async (path) => {
      await expect(call(api.url + path, 'GET')).resolves.toMatchObject({ status: 200 });
    },
  );

  it.each([
    ['POST', '//Companies//', 403],
    ['DELETE', '/Companies//1', 403],
    ['POST', '///UserDefinedFieldDefinitions', 403],
    ['DELETE', '//CompanyWebhooks//', 405],
  ])('has the rights of the one without: %s %s is %i', async (method, path, status) => {
    const body = method === 'POST' ? {} : undefined;
    await expect(api.call(method, path, { as: tenant.integrator, body })).resolves.toMatchObject({ status });
  });

  it('is one path with its other spelling for an Idempotency-Key', async () => {
    const write = (path: string) =>
      api.call('PATCH', path, { as: tenant.source, body: { city: 'Oslo' }, headers: { 'Idempotency-Key': 'k' } });
    const body = { companyName: 'Acme', companyType: 1, ownerResourceID: 1, phone: '1' };
    await api.call('POST', '/Companies', { as: tenant.source, body });
    await write('/Companies/1');
    const repeat = await write('//Companies//1/');
    expect(repeat.headers.get('idempotent-replayed')).toBe('true');
  });

  it.each(['/CompanyWebhooks%2F1', '/%2FCompanyWebhooks/1', '/CompanyWebhooks/%2F1', '/CompanyWebhooks/1%2F%2F'])(
    'stays as it is where a slash is encoded: %s is 404',
    async (path) => {
      await expect(api.call('GET', path, { as: tenant.integrator })).resolves.toMatchObject({
        status: 404,
        body: failure('notFound'),
      });
    },
  );
});
