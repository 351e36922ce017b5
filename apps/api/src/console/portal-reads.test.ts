import { beforeAll, describe, expect, it } from '@jest/globals';
import type { EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { deletions, otherRoutes, routesOfEntity, type RouteCase } from '../fixtures/every-route.ts';
import { insertLoggedCallout, type LoggedCalloutFixture } from '../fixtures/logged-callout.ts';
import { runTestApi } from '../fixtures/run-test-api.ts';
import { call } from '../fixtures/test-api.ts';
import { makeTenant, type TestTenant } from '../fixtures/test-tenant.ts';
import { webhookBody } from '../fixtures/webhook-body.ts';
import { insertErrorLog, makeWholeTenant, resourceBody } from '../fixtures/whole-tenant.ts';
import { itemOf } from '../rest/log/listed.fixture.ts';
import { openPortal, type Portal } from './test/portal.ts';

const api = runTestApi();
/** In everything of the tenant that the portal of its integrator must not show. */
const HIDDEN = 'Hidden';

const textFields = ({ fields }: EntityDefinition) =>
  fields.filter(({ dataType, length, isSupportedWebhookField, name }) => {
    return dataType === 'string' && isSupportedWebhookField && name !== 'id' && (length === 0 || length > 20);
  });

/** Records 1 to 3 of an entity, all their texts hidden. */
async function hideRecords(tenant: TestTenant, entity: EntityDefinition): Promise<void> {
  const { entityType } = entity;
  const fields = Object.fromEntries(textFields(entity).map(({ name }) => [name, `${HIDDEN} ${name}`]));
  const events = [1, 2, 3].map((id) => ({ entityType, action: 'Update', id, fields }));
  const response = await api.call('POST', '/EntityEvents', { as: tenant.source, body: { events } });
  if (response.status !== 202) throw new Error(JSON.stringify(response.body));
}

/** Webhook 2 of an entity, which is the admin's, and a callout of it. */
async function hideWebhook(tenant: TestTenant, entity: EntityDefinition): Promise<LoggedCalloutFixture> {
  const body = webhookBody({ name: `${HIDDEN} webhook`, webhookUrl: `http://127.0.0.1:9999/${HIDDEN}` });
  const as = tenant.admin;
  const made = await api.call('POST', `/${entity.webhookCollection}`, { as, body });
  expect(made).toMatchObject({ status: 200, body: { itemId: 2 } });
  const { entityType } = entity;
  const logged = await insertLoggedCallout(api, tenant.id, { entityType, webhookId: 2, recordId: 2, state: 'failed' });
  const { pool } = api.database;
  const text = JSON.stringify({ Fields: { CompanyName: HIDDEN } });
  await pool.query('UPDATE callout_bodies SET body = $2 WHERE callout_id = $1', [logged.calloutId, text]);
  await pool.query('UPDATE attempts SET failure = $2 WHERE callout_id = $1', [logged.calloutId, HIDDEN]);
  return logged;
}

/** Subscribes webhook 1 of an entity to every text, and always shows it. */
async function showAll(tenant: TestTenant, entity: EntityDefinition): Promise<void> {
  const path = `/${entity.webhookCollection}/1/Fields`;
  for (const { name } of textFields(entity)) {
    const body = { field: name, isSubscribedField: true, isDisplayAlwaysField: true };
    await api.call('POST', path, { as: tenant.integrator, body });
  }
}

/** Of every record there is and of one that is not, of the stored webhook and of one that would show everything. */
function simulations(entity: EntityDefinition): RouteCase[] {
  const [first] = textFields(entity);
  if (first === undefined) return [];
  const webhook = {
    isSubscribedToUpdateEvents: true,
    fields: textFields(entity).map(({ name }) => ({
      field: name,
      isDisplayAlwaysField: true,
      isSubscribedField: true,
    })),
  };
  const path = `/${entity.webhookCollection}`;
  const known = { method: 'POST', roles: [], status: 200, namesOwn: true } as const;
  return [1, 2, 3, 4].flatMap((id) => {
    const events = [
      { action: 'Update', id, fields: { [first.name]: 'x' } },
      { action: 'Update', id, changedFields: [first.name] },
      { action: 'Create', id },
      { action: 'Delete', id },
    ];
    return events.flatMap((event) => [
      { ...known, path: `${path}/1/simulate`, body: event },
      { ...known, path: `${path}/simulate`, body: { webhook, event } },
    ]);
  });
}

describe('what a portal is answered', () => {
  let tenant: Awaited<ReturnType<typeof makeWholeTenant>>;
  let cases: RouteCase[];
  let portal: Portal;
  const others = new Map<string, LoggedCalloutFixture>();

  beforeAll(async () => {
    tenant = await makeWholeTenant(api);
    // Its webhooks become the integrator's.
    await api.database.pool.query('UPDATE webhooks SET owner_resource_id = $2 WHERE tenant_id = $1', [
      tenant.id,
      tenant.integrator.resourceId,
    ]);
    const body = { ...resourceBody, userName: HIDDEN, lastName: HIDDEN, email: `${HIDDEN}@example.com` };
    await api.call('POST', '/Resources', { as: tenant.admin, body });
    // The one has user-defined fields, the other is found under a parent; routes of the others are the same.
    const entities = api.catalogue.watched.filter(({ entityType }) => ['Account', 'TicketNote'].includes(entityType));
    for (const entity of entities) {
      await hideRecords(tenant, entity);
      others.set(entity.entityType, await hideWebhook(tenant, entity));
      await showAll(tenant, entity);
    }
    await api.database.pool.query('UPDATE webhook_event_error_logs SET payload = $1, error_message = $1', [HIDDEN]);
    cases = [
      ...entities.flatMap(simulations),
      ...entities.flatMap((entity) => routesOfEntity(entity, 1, tenant.logged)),
      ...otherRoutes(tenant.errorLogId, tenant.logged),
      ...deletions(entities, tenant.errorLogId),
    ];
    portal = await openPortal(api, tenant.id, tenant.integrator.resourceId);
  });

  it('names nothing of others on any route, and 403 or 404 where the route is about them', async () => {
    // That these are all routes there are is compared with the document in openapi/examples.test.ts.
    expect(cases.length).toBeGreaterThan(250);
    const opened: string[] = [];
    for (const { method, path, body } of cases) {
      const label = `${method} ${path}`;
      const ofOthers = withOthers(path);
      const paths = ofOthers === path ? [path] : [path, ofOthers];
      const [response, other] = await Promise.all(paths.map((one) => portal.call(method, one, body)));
      const shown = JSON.stringify([response?.body, other?.body]);
      expect({ [label]: shown }).toEqual({ [label]: expect.not.stringContaining(HIDDEN) });
      // What is closed to portals is closed before a webhook is looked for.
      const isClosed = response?.status === 403 && ofOthers.endsWith('/preview');
      if (other) expect({ [ofOthers]: other.status }).toEqual({ [ofOthers]: isClosed ? 403 : 404 });
      if (response?.status !== 403) opened.push(label);
    }
    const kinds = new Set(opened.map(kindOf));
    expect([...kinds].toSorted()).toEqual([
      '/Overview',
      '/Statistics',
      '/Webhooks',
      'a webhook of its resource',
      'metadata',
      'new webhook',
    ]);
  });

  /** The same path for things outside the portal: webhook 2, and its callout. */
  function withOthers(path: string): string {
    const entity = api.catalogue.watched.find(({ webhookCollection }) => path.startsWith(`/${webhookCollection}/1`));
    if (entity === undefined) return path;
    const own = tenant.logged.get(entity.entityType)?.calloutId ?? '';
    const other = others.get(entity.entityType)?.calloutId ?? '';
    return path.replace(`${entity.webhookCollection}/1`, `${entity.webhookCollection}/2`).replace(own, other);
  }

  function kindOf(label: string): string {
    const [, path = ''] = label.split(' ');
    if (path.includes('/entityInformation')) return 'metadata';
    if (/^POST \/\w+Webhooks(\/simulate)?$/u.test(label)) return 'new webhook';
    return /^\/\w+Webhooks\/1(\/|$)/u.test(path) ? 'a webhook of its resource' : path;
  }
});

describe('a portal that names what is not its own', () => {
  let tenant: TestTenant;
  let other: LoggedCalloutFixture;
  let portal: Portal;

  beforeAll(async () => {
    tenant = await makeTenant(api.database);
    const account = api.catalogue.watched.find(({ entityType }) => entityType === 'Account');
    if (account === undefined) throw new Error('no entity Account');
    await api.call('POST', '/CompanyWebhooks', { as: tenant.integrator, body: webhookBody() });
    await hideRecords(tenant, account);
    other = await hideWebhook(tenant, account);
    await insertErrorLog(api, tenant.id, tenant.admin.resourceId);
    portal = await openPortal(api, tenant.id, tenant.integrator.resourceId, { entityType: 'Account', id: 1 });
  });

  it('simulates an event of another resource without its mail address', async () => {
    const event = { action: 'Update', id: 1, resourceID: tenant.admin.resourceId, fields: { companyName: 'x' } };
    const simulate = async (call: Portal['call']) =>
      JSON.stringify(await call('POST', '/CompanyWebhooks/1/simulate', event));
    expect(await simulate(portal.call)).toMatch(/Resource 3, which acted/u);
    const asAdmin = (method: string, path: string, body?: unknown) =>
      api.call(method, path, { as: tenant.admin, body });
    expect(await simulate(asAdmin)).toMatch(/Resource 3 \(.+@.+\), which acted/u);
  });

  it('is answered as if it did not exist: callouts, children, acknowledgements', async () => {
    const below = '/CompanyWebhooks/1';
    const status = async (...args: Parameters<Portal['call']>) => (await portal.call(...args)).status;
    expect(await status('GET', `${below}/Callouts/${other.calloutId}`)).toBe(404);
    expect(await status('POST', `${below}/Callouts/${other.calloutId}/redeliver`)).toBe(404);
    expect(await status('POST', `${below}/Callouts/${other.calloutId}/cancel`)).toBe(404);
    const named = { calloutIDs: [other.calloutId] };
    expect((await portal.call('POST', `${below}/redeliver`, named)).body).toMatchObject({ queued: 0 });
    expect((await portal.call('POST', `${below}/cancel`, named)).body).toMatchObject({ cancelled: 0 });
    const filter = { filter: [{ op: 'eq', field: 'webhookID', value: 2 }] };
    expect((await portal.call('POST', `${below}/Fields/query`, filter)).body).toMatchObject({ items: [] });
    const list = await portal.call('GET', `/CompanyWebhooks/1/Callouts?recordID=2`);
    expect(list).toMatchObject({ status: 200, body: { items: [] } });
  });

  it('makes no webhook about the webhooks of others, and changes none', async () => {
    const body = webhookBody({ isActive: true, isSubscribedToUpdateEvents: true });
    await api.call('POST', '/WebhookHealthWebhooks', { as: tenant.integrator, body });
    const ofResource = await openPortal(api, tenant.id, tenant.integrator.resourceId);
    expect(await ofResource.call('POST', '/WebhookHealthWebhooks', body)).toMatchObject({ status: 403 });
    const url = { webhookUrl: 'http://127.0.0.1:9998/in' };
    expect(await ofResource.call('PATCH', '/WebhookHealthWebhooks/1', url)).toMatchObject({ status: 404 });
    expect(await ofResource.call('PATCH', '/CompanyWebhooks/1', { name: 'Mine' })).toMatchObject({ status: 200 });
  });

  it('has no session in the SOAP API, nor one of another kind by its cookie', async () => {
    const cookie = [...portal.browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const envelope =
      '<Envelope xmlns="http://schemas.xmlsoap.org/soap/envelope/"><Body><query xmlns="http://autotask.net/ATWS/v1_6/">' +
      '<sXML>&lt;queryxml&gt;&lt;entity&gt;Account&lt;/entity&gt;&lt;/queryxml&gt;</sXML></query></Body></Envelope>';
    const soap = await fetch(`${api.url}/atservices/1.6/atws.asmx`, {
      method: 'POST',
      headers: { Cookie: cookie, 'Content-Type': 'text/xml', 'X-Callout-Console': 'portal' },
      body: envelope,
    });
    expect(soap.status).toBe(401);
    expect(await soap.text()).not.toContain(HIDDEN);
    const asUser = { Cookie: cookie, 'X-Callout-Console': '1', 'Sec-Fetch-Site': 'same-origin' };
    const records = await call(`${api.url}/atservicesrest/v1.0/Companies`, 'GET', { headers: asUser });
    expect(records.status).toBe(401);
  });

  it('is shown by its session who it is, and nobody else', async () => {
    const headers = { 'X-Callout-Console': 'portal' };
    const { status, body } = await portal.browser.page('GET', '/console/session', { headers });
    expect(status).toBe(200);
    expect(JSON.stringify(body)).not.toContain(HIDDEN);
  });
});

describe('a simulation in a portal', () => {
  let tenant: TestTenant;
  let portal: Portal;
  const fields = { companyName: 'Acme', city: 'Oslo', phone: '555-0100' };

  beforeAll(async () => {
    tenant = await makeTenant(api.database);
    const as = tenant.integrator;
    const given = { fields: [{ field: 'companyName', isSubscribedField: true }] };
    await api.call('POST', '/CompanyWebhooks', { as, body: webhookBody(given) });
    const events = [7, 8].map((id) => ({ entityType: 'Account', action: 'Update', id, fields }));
    await api.call('POST', '/EntityEvents', { as: tenant.source, body: { events } });
    const { calloutId } = await insertLoggedCallout(api, tenant.id, { recordId: 7 });
    const text = JSON.stringify({ Action: 'Update', Id: 7, Fields: { CompanyName: 'Acme' } });
    await api.database.pool.query('UPDATE callout_bodies SET body = $2 WHERE callout_id = $1', [calloutId, text]);
    portal = await openPortal(api, tenant.id, tenant.integrator.resourceId);
    // As an attacker would, after the callout.
    for (const field of ['city', 'phone']) {
      const body = { field, isDisplayAlwaysField: true };
      await portal.call('POST', '/CompanyWebhooks/1/Fields', body);
    }
  });

  const simulate = async (event: object, path = '/CompanyWebhooks/1') =>
    itemOf(await portal.call('POST', `${path}/simulate`, event));
  const fieldsOf = ({ request }: Readonly<Record<string, unknown>>): unknown =>
    (JSON.parse((request as { body: string }).body) as { Fields: unknown }).Fields;

  it('shows of a record without a callout what the caller gives, and nothing else', async () => {
    const event = { action: 'Update', id: 8, fields: { companyName: 'Bolt' } };
    expect(fieldsOf(await simulate(event))).toEqual({ CompanyName: 'Bolt' });
  });

  it('does not say whether a record exists or has a certain value', async () => {
    for (const companyName of ['Acme', 'Guess']) {
      const [known, unknown] = await Promise.all(
        [8, 999].map((id) => simulate({ action: 'Update', id, fields: { companyName } })),
      );
      const { request, ...judged } = known ?? {};
      const { request: otherRequest, ...others } = unknown ?? {};
      expect(judged).toEqual(others);
      expect(fieldsOf({ request })).toEqual(fieldsOf({ request: otherRequest }));
    }
    const named = { action: 'Update', id: 8, changedFields: ['companyName'] };
    expect(await portal.call('POST', '/CompanyWebhooks/1/simulate', named)).toMatchObject({ status: 400 });
  });

  it('uses the values that callouts of the webhook carried, and none of a field that was added later', async () => {
    const same = { action: 'Update', id: 7, fields: { companyName: 'Acme' } };
    expect(await simulate(same)).toMatchObject({ isEvent: false });
    const named = { action: 'Update', id: 7, changedFields: ['companyName'] };
    expect(fieldsOf(await simulate(named))).toEqual({ CompanyName: 'Acme' });
  });

  it('of a webhook that is not stored uses what the caller gives, and nothing else', async () => {
    const webhook = {
      isSubscribedToUpdateEvents: true,
      fields: [
        { field: 'companyName', isSubscribedField: true },
        { field: 'city', isDisplayAlwaysField: true },
      ],
    };
    for (const id of [7, 8]) {
      const event = { action: 'Update', id, fields: { companyName: 'Bolt' } };
      expect(fieldsOf(await simulate({ webhook, event }, '/CompanyWebhooks'))).toEqual({ CompanyName: 'Bolt' });
    }
  });

  it('with a credential uses what is known of the record, as the ingest would', async () => {
    const body = { action: 'Update', id: 8, fields: { companyName: 'Bolt' } };
    const response = await api.call('POST', '/CompanyWebhooks/1/simulate', { as: tenant.integrator, body });
    expect(fieldsOf(itemOf(response))).toEqual({ CompanyName: 'Bolt', City: 'Oslo', Phone: '555-0100' });
  });
});
