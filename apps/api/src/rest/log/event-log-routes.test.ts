import { beforeEach, describe, expect, it } from '@jest/globals';
import { failure } from '../../fixtures/failure.ts';
import { insertLoggedCallout } from '../../fixtures/logged-callout.ts';
import { pathBelowVersion } from '../../fixtures/pages.ts';
import { runTestApi } from '../../fixtures/run-test-api.ts';
import { makeTenant, tenantPerTest } from '../../fixtures/test-tenant.ts';
import { webhookBody } from '../../fixtures/webhook-body.ts';
import { itemOf, listOf } from './listed.fixture.ts';

const api = runTestApi();
const tenant = tenantPerTest(() => makeTenant(api.database));

const get = (path: string, as = tenant.source) => api.call('GET', path, { as });
const post = (...events: unknown[]) => api.call('POST', '/EntityEvents', { as: tenant.source, body: { events } });
const eventIdsOf = async (query: string) =>
  listOf(await get(`/EntityEvents/query${query}`)).items.map(({ eventID }) => eventID);

const update = { entityType: 'Account', action: 'Update', id: 7, eventTime: '2026-03-04T05:06:07Z' };

describe('the events of a tenant', () => {
  beforeEach(async () => {
    await post({ ...update, eventID: 'e-1', fields: { companyName: 'Acme' } });
    await post({ ...update, eventID: 'e-2', entityType: 'Contact', fields: { firstName: 'Jo' }, resourceID: 77 });
    await post({ ...update, eventID: 'e-3', id: 8, action: 'Create', fields: { companyName: 'Bolt' } });
  });

  it('are listed newest first', async () => {
    const { items, pageDetails } = listOf(await get('/EntityEvents/query'));
    expect(items.map(({ eventID }) => eventID)).toEqual(['e-3', 'e-2', 'e-1']);
    expect(items[1]).toEqual({
      eventID: 'e-2',
      serviceEventID: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
      entityType: 'Contact',
      action: 'Update',
      recordID: 7,
      resourceID: 77,
      eventTime: '2026-03-04T05:06:07Z',
      createDateTime: expect.stringMatching(/\.\d{3}Z$/),
      state: 'pending',
      callouts: { made: 0, open: 0, delivered: 0, failed: 0, cancelled: 0, merged: 0 },
    });
    expect(pageDetails).toEqual({ count: 3, requestCount: 500, prevPageUrl: null, nextPageUrl: null });
  });

  it.each([
    ['?eventID=e-2', ['e-2']],
    ['?eventID=e-9', []],
    ['?entityType=account', ['e-3', 'e-1']],
    ['?recordID=7', ['e-2', 'e-1']],
    ['?recordID=7&entityType=Account', ['e-1']],
    ['?resourceID=77', ['e-2']],
    ['?action=create', ['e-3']],
    ['?action=Update,Delete', ['e-2', 'e-1']],
    ['?since=2020-01-01', ['e-3', 'e-2', 'e-1']],
    ['?until=2020-01-01', []],
  ])('are filtered, and counted alike: %s', async (query, expected) => {
    expect(await eventIdsOf(query)).toEqual(expected);
    const counted = await get(`/EntityEvents/query/count${query}`);
    expect(counted).toMatchObject({ status: 200, body: { queryCount: expected.length } });
  });

  it('are paged there and back', async () => {
    const first = listOf(await get('/EntityEvents/query?maxRecords=2&entityType=Account&recordID=7'));
    expect(first.pageDetails.nextPageUrl).toBeNull();
    const page = listOf(await get('/EntityEvents/query?maxRecords=2'));
    const next = listOf(await get(pathBelowVersion(page.pageDetails.nextPageUrl)));
    expect(next.items.map(({ eventID }) => eventID)).toEqual(['e-1']);
    const path = pathBelowVersion(next.pageDetails.prevPageUrl);
    expect(path).toMatch(/^\/EntityEvents\/query\/next\?paging=/);
    const back = listOf(await get(path));
    expect(back.items).toEqual(page.items);
  });

  it.each([
    ['action=Deactivated', 'action must be one or more of Create, Update, Delete'],
    ['entityType=Spaceship', 'entityType must be one or more of'],
    ['entityType=Account,Contact', 'entityType must be one entity type'],
    ['recordID=0', 'recordID must be an integer from 1'],
    ['resourceID=2147483648', 'resourceID must be an integer from 1 to 2147483647'],
    ['resourceID=me', 'resourceID must be an integer'],
    ['since=x', 'since must be a date and time'],
    ['state=pending', 'state is not a parameter here: use eventID, entityType'],
    ['search={}', 'search is not a parameter here'],
  ])('refuse what is no filter, and say what is: %s', async (query, sentence) => {
    for (const path of ['/EntityEvents/query', '/EntityEvents/query/count']) {
      const response = await get(`${path}?${query}`);
      expect(response).toMatchObject({ status: 400, body: { errors: [expect.stringContaining(sentence)] } });
    }
  });

  it('do not show to another tenant', async () => {
    const { admin } = await makeTenant(api.database);
    expect(listOf(await get('/EntityEvents/query', admin)).items).toEqual([]);
    await expect(get('/EntityEvents/e-1', admin)).resolves.toMatchObject({ status: 404 });
  });
});

describe('one event', () => {
  it('is found by the eventID of its caller, and by that of the service', async () => {
    await post({ ...update, eventID: 'order/7?x=1', fields: { companyName: 'Acme', city: null } });
    const item = itemOf(await get(`/EntityEvents/${encodeURIComponent('order/7?x=1')}`));
    expect(item).toMatchObject({
      eventID: 'order/7?x=1',
      state: 'pending',
      changedFields: ['companyName', 'city'],
      changedUserDefinedFields: [],
      fields: { companyName: 'Acme', city: null },
      userDefinedFields: {},
      matchedDateTime: null,
      verdicts: [],
    });
    expect(itemOf(await get(`/EntityEvents/${String(item['serviceEventID'])}`))).toEqual(item);
    const { body } = await post({ ...update, id: 9, fields: { companyName: 'Bolt' } });
    const [made] = (body as { items: { eventID: string }[] }).items;
    expect(itemOf(await get(`/EntityEvents/${made?.eventID}`))).toMatchObject({
      eventID: made?.eventID,
      serviceEventID: made?.eventID,
      recordID: 9,
    });
  });

  it('names the user-defined fields that changed, also once they are gone', async () => {
    const body = { entityType: 'Account', name: 'Tier', dataType: 'string' };
    await api.call('POST', '/UserDefinedFieldDefinitions', { as: tenant.admin, body });
    await post({ ...update, eventID: 'e-1', userDefinedFields: { Tier: 'gold' } });
    const changed = async () => itemOf(await get('/EntityEvents/e-1'))['changedUserDefinedFields'];
    expect(await changed()).toEqual(['Tier']);
    expect(itemOf(await get('/EntityEvents/e-1'))['userDefinedFields']).toEqual({ Tier: 'gold' });
    await api.call('DELETE', '/UserDefinedFieldDefinitions/1', { as: tenant.admin });
    expect(await changed()).toEqual(['deleted user-defined field 1']);
  });

  it('that changed nothing is no event, and is known by its eventID all the same', async () => {
    const fields = { companyName: 'Acme' };
    await post({ ...update, fields });
    await post({ ...update, eventID: 'again', fields });
    expect(itemOf(await get('/EntityEvents/again'))).toEqual({
      eventID: 'again',
      createDateTime: expect.any(String),
      state: 'unchanged',
    });
  });

  it.each(['unknown', '019cb6a1-0000-7000-8000-000000000001', 'x'.repeat(200)])('%s is 404', async (eventId) => {
    await expect(get(`/EntityEvents/${eventId}`)).resolves.toMatchObject({ status: 404, body: failure('notFound') });
  });

  it('shows the verdict for every webhook, and the state of the callout', async () => {
    for (const _nth of [1, 2]) {
      await api.call('POST', '/CompanyWebhooks', { as: tenant.integrator, body: webhookBody() });
    }
    const { eventId, eventKey, calloutId, webhookGuid } = await insertLoggedCallout(api, tenant.id, {
      state: 'failed',
      sequenceNumber: 4,
    });
    const webhooks = await api.database.prisma.webhook.findMany({
      where: { tenantId: tenant.id },
      orderBy: { key: 'asc' },
    });
    const [first = 0, second = 0] = webhooks.map(({ key }) => Number(key));
    await api.call('DELETE', '/CompanyWebhooks/2', { as: tenant.integrator });
    await api.database.prisma.eventMatch.update({
      where: { eventId },
      data: { verdicts: { passed: [[first, 1, 4]], notReady: [[second, 9]] } },
    });
    expect(listOf(await get(`/EntityEvents/query?eventID=${eventKey}`)).items).toMatchObject([
      { state: 'matched', callouts: { made: 1, open: 0, delivered: 0, failed: 1, cancelled: 0, merged: 0 } },
    ]);
    expect(itemOf(await get(`/EntityEvents/${eventKey}`))).toMatchObject({
      state: 'matched',
      matchedDateTime: expect.any(String),
      verdicts: [
        {
          webhookID: 1,
          webhookGUID: webhookGuid,
          getsCallout: true,
          rule: 'passed',
          message: 'The webhook gets a callout: every rule passed.',
          hasConfigurationChanged: false,
          callout: { id: calloutId, sequenceNumber: 4, state: 'failed' },
        },
        {
          webhookID: 2,
          webhookGUID: webhooks[1]?.guid,
          webhookName: webhooks[1]?.name,
          getsCallout: false,
          rule: 'notReady',
          message: 'The webhook is not ready: it has neither a Field nor a UdfField record.',
          hasConfigurationChanged: true,
          callout: null,
        },
      ],
    });
  });
});
