import { beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@callout/testing';
import { childKinds, noFlags } from '../../../fixtures/child-kinds.ts';
import { failure } from '../../../fixtures/failure.ts';
import { makeTenantWithWebhooks, webhookVersion } from '../../../fixtures/tenant-with-webhooks.ts';
import { runTestApi } from '../../../fixtures/run-test-api.ts';
import { tenantPerTest } from '../../../fixtures/test-tenant.ts';
import { webhookBody } from '../../../fixtures/webhook-body.ts';

const api = runTestApi();
const tenant = tenantPerTest(() => makeTenantWithWebhooks(api));

const call = (method: string, path: string, body?: unknown) => api.call(method, path, { as: tenant.integrator, body });
const itemOf = async (path: string) => ((await call('GET', path)).body as { item: unknown }).item;

const version = (id = 1) => webhookVersion(api, tenant, id);

const flagged = childKinds.filter((kind) => kind.hasFlags);

describe.each(flagged)('changing $segment', ({ path, targets }) => {
  beforeEach(async () => {
    await call('POST', path, { ...targets[0], isDisplayAlwaysField: true });
  });

  it.each(['', '/1'])('by PATCH changes the keys that are present, with the id in body or path %s', async (rest) => {
    const response = await call('PATCH', path + rest, { id: '1', ISSUBSCRIBEDFIELD: 'True', id2: 7 });
    expect(response).toMatchObject({ status: 200, body: { itemId: 1 } });
    expect(await itemOf(`${path}/1`)).toMatchObject({ isSubscribedField: true, isDisplayAlwaysField: true });
    await call('PATCH', path + rest, { id: 1, isDisplayAlwaysField: null });
    expect(await itemOf(`${path}/1`)).toMatchObject({ isSubscribedField: true, isDisplayAlwaysField: false });
  });

  it.each(['', '/1'])('by PUT sets what is left out to false, with the id in body or path %s', async (rest) => {
    await call('PUT', path + rest, { id: 1, webhookID: 1, ...targets[0], isSubscribedField: true });
    expect(await itemOf(`${path}/1`)).toMatchObject({ isSubscribedField: true, isDisplayAlwaysField: false });
    await call('PUT', path + rest, { id: 1 });
    expect(await itemOf(`${path}/1`)).toMatchObject(noFlags);
  });

  it.each(['PUT', 'PATCH'])('by %s keeps both ids', async (method) => {
    const refused = [
      { ...targets[1] },
      { webhookID: 2 },
      { id: 2 },
      { isSubscribedField: 'perhaps' },
      { fieldID: 'x', udfFieldID: 'x' },
    ];
    for (const body of refused) {
      const response = await call(method, `${path}/1`, body);
      expect({ body, status: response.status }).toEqual({ body, status: 400 });
    }
    await expect(call(method, path, { isSubscribedField: true })).resolves.toMatchObject({ status: 400 });
    expect(await itemOf(`${path}/1`)).toMatchObject({ webhookID: 1, ...targets[0], isDisplayAlwaysField: true });
  });

  it('raises the version when something is different', async () => {
    const before = await version();
    await call('PATCH', `${path}/1`, { isDisplayAlwaysField: true });
    await call('PATCH', `${path}/1`, {});
    expect(await version()).toBe(before);
    await call('PATCH', `${path}/1`, { isSubscribedField: true });
    await call('PUT', `${path}/1`, {});
    expect(await version()).toBe(before + 2);
  });

  it('by two PATCHes at once keeps what each of them changes', async () => {
    const { pool } = api.database;
    const client = await pool.connect();
    await client.query('BEGIN');
    await client.query('SELECT FROM webhooks WHERE tenant_id = $1 AND id = 1 FOR UPDATE', [tenant.id]);
    const changes = [{ isSubscribedField: true }, { isDisplayAlwaysField: false }];
    const responses = changes.map((change) => call('PATCH', `${path}/1`, change));
    await eventually(async () => {
      const { rowCount } = await pool.query(
        "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
      );
      return rowCount === changes.length;
    });
    await client.query('COMMIT');
    client.release();
    expect((await Promise.all(responses)).map(({ status }) => status)).toEqual([200, 200]);
    expect(await itemOf(`${path}/1`)).toMatchObject({ isSubscribedField: true, isDisplayAlwaysField: false });
  });

  it.each(['PUT', 'PATCH'])('by %s of what is not there is 404', async (method) => {
    const elsewhere = path.replace('/1/', '/2/');
    const gone = [
      call(method, path, { id: 2 }),
      call(method, path, { id: 2 ** 31 }),
      call(method, `${elsewhere}/1`, {}),
      call(method, `${path.replace('/1/', '/3/')}/1`, {}),
    ];
    expect((await Promise.all(gone)).map((response) => response.status)).toEqual([404, 404, 404, 404]);
  });
});

describe('what a child is about', () => {
  it('may be named in place of its id', async () => {
    await expect(call('POST', '/CompanyWebhooks/1/UdfFields', { udfField: 'TIER' })).resolves.toMatchObject({
      status: 200,
    });
    await expect(call('POST', '/CompanyWebhookUdfFields', { name: 'the region', webhookID: 1 })).resolves.toMatchObject(
      {
        status: 200,
      },
    );
    await expect(call('PATCH', '/CompanyWebhooks/1/UdfFields/1', { udfField: 'Region' })).resolves.toMatchObject({
      status: 400,
    });
    expect((await call('GET', '/CompanyWebhooks/1/UdfFields')).body).toMatchObject({
      items: [{ udfFieldID: 1 }, { udfFieldID: 2 }],
    });
  });

  it('is a field that webhooks can name', async () => {
    const add = (body: object) => call('POST', '/CompanyWebhooks/1/Fields', body);
    for (const body of [{ fieldID: 1 }, { fieldID: 999 }, { fieldID: 13, isSubscribedField: 'perhaps' }]) {
      expect({ body, status: (await add(body)).status }).toEqual({ body, status: 400 });
    }
    await expect(add({ field: 'companyname' })).resolves.toMatchObject({ status: 200, body: { itemId: 1 } });
  });

  it('of another entity is none', async () => {
    await call('POST', '/ContactWebhooks', webhookBody());
    await expect(call('POST', '/ContactWebhooks/1/UdfFields', { udfFieldID: 1 })).resolves.toMatchObject({
      status: 400,
    });
  });
});

describe('what does not exist', () => {
  it.each(['PUT', 'PATCH'])('is %s of ExcludedResources', async (method) => {
    await call('POST', '/CompanyWebhooks/1/ExcludedResources', { resourceID: 3 });
    for (const rest of ['', '/1']) {
      const response = await call(method, `/CompanyWebhooks/1/ExcludedResources${rest}`, { id: 1, resourceID: 3 });
      expect(response).toMatchObject({ status: 405, body: failure('methodNotAllowed') });
      expect(response.headers.get('allow')).toBe(rest === '' ? 'GET, POST, HEAD' : 'GET, DELETE, HEAD');
    }
  });

  it('are user-defined fields of ticket notes, under webhooks and at the root', async () => {
    await call('POST', '/TicketNoteWebhooks', webhookBody());
    const paths = [
      '/TicketNoteWebhookUdfFields',
      '/TicketNoteWebhookUdfFields/1',
      '/TicketNoteWebhookUdfFields/entityInformation',
      '/TicketNoteWebhooks/1/UdfFields',
      '/TicketNoteWebhooks/1/UdfFields/1',
      '/TicketNoteWebhooks/1/UdfFields/entityInformation/fields',
    ];
    for (const path of paths) {
      for (const method of ['GET', 'POST']) {
        const response = await call(method, path, method === 'POST' ? { udfFieldID: 1, webhookID: 1 } : undefined);
        expect({ path, method, status: response.status }).toEqual({ path, method, status: 404 });
      }
    }
    const nested = await call('POST', '/TicketNoteWebhooks', webhookBody({ udfFields: [{ udfFieldID: 1 }] }));
    expect(nested.status).toBe(400);
  });
});
