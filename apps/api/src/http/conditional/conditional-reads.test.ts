import { beforeEach, describe, expect, it } from '@jest/globals';
import { runTestApi } from '../../fixtures/run-test-api.ts';
import { makeTenant, tenantPerTest } from '../../fixtures/test-tenant.ts';
import { webhookBody } from '../../fixtures/webhook-body.ts';

const api = runTestApi();
const tenant = tenantPerTest(() => makeTenant(api.database));
const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  api.call(method, path, { as: tenant.admin, headers });

beforeEach(async () => {
  await api.call('POST', '/CompanyWebhooks', { as: tenant.integrator, body: webhookBody() });
});

describe('a read without a version of its own', () => {
  it.each([
    '/Webhooks',
    '/Overview',
    '/Callouts',
    '/CompanyWebhooks',
    '/CompanyWebhooks/1/Callouts',
    '/CompanyWebhooks/1/Fields',
    '/EntityEvents/query',
    '/CalloutThresholds',
    '/Companies/query',
  ])('of %s has the ETag of its bytes: 304 while it is the same', async (path) => {
    const first = await get(path);
    expect(first.status).toBe(200);
    const tag = first.headers.get('etag') ?? '';
    expect(tag).toMatch(/^"[\w-]{22}"$/u);
    const second = await get(path, { 'If-None-Match': `"other", ${tag}` });
    // Some have a time of their own, and are another response at another moment.
    if (second.status === 200) expect(second.body).not.toEqual(first.body);
    else expect([second.status, second.body, second.headers.get('etag')]).toEqual([304, undefined, tag]);
    expect((await get(path, {}, 'HEAD')).headers.get('etag')).toMatch(/^"[\w-]{22}"$/u);
    expect((await get(path, { 'If-Match': '"other"' })).status).toBe(412);
    expect((await get(path, { 'If-None-Match': 'nothing' })).status).toBe(200);
  });

  it('is 200 again once it is another', async () => {
    const path = '/EntityEvents/query';
    const tag = (await get(path)).headers.get('etag') ?? '';
    expect((await get(path, { 'If-None-Match': tag })).status).toBe(304);
    const company = { entityType: 'Account', id: 1, action: 'Create', fields: { companyName: 'Acme' } };
    await api.call('POST', '/EntityEvents', { as: tenant.source, body: { events: [company] } });
    expect(await get(path, { 'If-None-Match': tag })).toMatchObject({
      status: 200,
      body: { items: [expect.anything()] },
    });
  });

  it('has a tag also when it is long, as HEAD has', async () => {
    const events = Array.from({ length: 400 }, (_, nth) => ({
      entityType: 'Account',
      id: nth + 1,
      action: 'Create',
      fields: { companyName: 'x'.repeat(100), phone: 'x'.repeat(25) },
    }));
    await api.call('POST', '/EntityEvents', { as: tenant.source, body: { events } });
    const path = '/EntityEvents/query?maxRecords=400';
    const { status, headers } = await get(path);
    expect([status, Number(headers.get('content-length')) > 65_536]).toEqual([200, true]);
    const tag = headers.get('etag') ?? '';
    expect((await get(path, {}, 'HEAD')).headers.get('etag')).toBe(tag);
    expect((await get(path, { 'If-None-Match': tag })).status).toBe(304);
  });
});

describe('what promises no comparison', () => {
  it('has no ETag: records, whose writes compare none, and answers that wait or change something', async () => {
    await api.call('POST', '/Companies', {
      as: tenant.source,
      body: { companyName: 'Acme', companyType: 1, ownerResourceID: 1, phone: '1' },
    });
    const company = await get('/Companies/query?search=%7B%22Filter%22%3A%5B%5D%7D');
    const [{ id } = { id: 0 }] = (company.body as { items: { id: number }[] }).items;
    const record = await get(`/Companies/${id}`, { 'If-None-Match': '*' });
    expect([record.status, record.headers.has('etag')]).toEqual([200, false]);
    const query = await api.call('POST', '/CompanyWebhooks/query', {
      as: tenant.admin,
      headers: { 'If-None-Match': '*' },
      body: { Filter: [] },
    });
    expect([query.status, query.headers.has('etag')]).toEqual([200, false]);
  });
});
