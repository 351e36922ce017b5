import { beforeEach, describe, expect, it } from '@jest/globals';
import { runTestApi } from '../../../fixtures/run-test-api.ts';
import { makeTenant, tenantPerTest } from '../../../fixtures/test-tenant.ts';
import { webhookBody } from '../../../fixtures/webhook-body.ts';
import { itemOf } from '../listed.fixture.ts';

const api = runTestApi();
const tenant = tenantPerTest(() => makeTenant(api.database));

beforeEach(async () => {
  const definition = { entityType: 'Account', name: 'Tier', label: 'The Tier', dataType: 'string' };
  await api.call('POST', '/UserDefinedFieldDefinitions', { as: tenant.admin, body: definition });
  const body = webhookBody({
    fields: [
      { field: 'companyName', isSubscribedField: true },
      { field: 'city', isDisplayAlwaysField: true },
    ],
    udfFields: [{ udfField: 'Tier', isSubscribedField: true }],
    excludedResources: [{ resourceID: 3 }],
  });
  const made = await api.call('POST', '/CompanyWebhooks', { as: tenant.integrator, body });
  if (made.status !== 200) throw new Error(JSON.stringify(made.body));
});

const simulateAs = (body: unknown, path = '/CompanyWebhooks/1') =>
  api.call('POST', `${path}/simulate`, { as: tenant.integrator, body });
const simulate = async (body: unknown) => itemOf(await simulateAs(body));

const update = { action: 'Update', id: 7, eventTime: '2026-03-04T05:06:07+01:00', resourceID: 9 };

/** Makes the record 7 known. */
async function postEvent(fields: object): Promise<void> {
  const body = { events: [{ entityType: 'Account', action: 'Update', id: 7, fields }] };
  const response = await api.call('POST', '/EntityEvents', { as: tenant.source, body });
  if (response.status !== 202) throw new Error(`${response.status}: ${JSON.stringify(response.body)}`);
}

describe('a hypothetical event', () => {
  it('that causes a callout shows the request that would be sent, its signatures redacted', async () => {
    const item = await simulate({
      ...update,
      fields: { companyName: 'Acme', city: 'Oslo' },
      userDefinedFields: { tier: 'gold' },
    });
    const webhook = itemOf(await api.call('GET', '/CompanyWebhooks/1', { as: tenant.integrator }));
    expect(item).toMatchObject({
      webhookID: 1,
      webhookGUID: webhook['webhookGUID'],
      isEvent: true,
      getsCallout: true,
      rule: 'passed',
      changedFields: ['companyName', 'city'],
      changedUserDefinedFields: ['Tier'],
      subscribedFields: ['companyName'],
      subscribedUserDefinedFields: ['Tier'],
      firedFields: ['companyName'],
      firedUserDefinedFields: ['Tier'],
    });
    const { method, url, headers, body } = item['request'] as Record<string, Record<string, string>>;
    expect([method, url]).toEqual(['POST', 'http://127.0.0.1:9999/in']);
    expect(body).toBe(
      `{"Action":"Update","Guid":"${String(webhook['webhookGUID'])}","EntityType":"Account","Id":7,` +
        '"Fields":{"CompanyName":"Acme","City":"Oslo","The Tier":"gold"},' +
        '"EventTime":"2026-03-04T04:06:07Z","SequenceNumber":1,"PersonID":9}',
    );
    expect(headers).toEqual({
      'Content-Type': 'application/json',
      'User-Agent': 'Callout/1.0',
      'X-Hook-Attempt': '1',
      'X-Hook-Callout-Type': 'PATCH',
      'X-Hook-Event-Id': '<id of the event>',
      'webhook-id': '<id of the callout>',
      'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
      'webhook-signature': '<redacted>',
      'X-Hook-Signature': '<redacted>',
    });
  });

  it('names what means nothing in it, which strict callers are refused', async () => {
    const event = { ...update, eventID: 'pasted', acton: 'x', fields: { companyNam: 'Acme' } };
    expect(await simulate(event)).toMatchObject({
      isEvent: false,
      ignored: ['acton', 'companyNam'],
      warnings: [
        'acton is no known key: did you mean action?',
        'fields.companyNam is no field of Account: did you mean companyName?',
      ],
    });
    const strict = await api.call('POST', '/CompanyWebhooks/1/simulate?strict=1', {
      as: tenant.integrator,
      body: event,
    });
    expect(strict).toMatchObject({
      status: 400,
      body: { details: [{ field: 'acton' }, { field: 'fields.companyNam' }] },
    });
  });

  it('is compared with the known values of the record, as in the ingest', async () => {
    await postEvent({ companyName: 'Acme', city: 'Oslo' });
    expect(await simulate({ ...update, fields: { companyName: 'Acme', city: 'Bergen' } })).toMatchObject({
      getsCallout: false,
      rule: 'noSubscribedFieldChanged',
      message: 'None of the fields that changed is one the webhook is subscribed to.',
      changedFields: ['city'],
      firedFields: [],
      request: null,
    });
    const { request } = await simulate({ ...update, fields: { companyName: 'Bolt' } });
    expect(JSON.parse((request as { body: string }).body)).toMatchObject({
      Fields: { CompanyName: 'Bolt', City: 'Oslo' },
    });
    expect(await simulate({ ...update, fields: { companyName: 'Acme' } })).toMatchObject({
      isEvent: false,
      getsCallout: false,
      rule: null,
      message: expect.stringContaining('would change nothing'),
      rules: null,
      request: null,
    });
    expect(await simulate({ ...update, changedFields: ['companyName'] })).toMatchObject({ getsCallout: true });
  });

  it('shows the value of every rule, also of those after the first that fails', async () => {
    await api.call('PATCH', '/CompanyWebhooks/1', { as: tenant.integrator, body: { isActive: false } });
    const item = await simulate({ ...update, action: 'create', resourceID: 3, fields: { companyName: 'Acme' } });
    expect(item).toMatchObject({
      getsCallout: false,
      rule: 'inactive',
      rules: [
        { rule: 'inactive', blocks: true, message: 'The webhook is inactive.' },
        {
          rule: 'acceptedBeforeActivation',
          blocks: false,
          message: 'The event was accepted after the webhook was created and last activated.',
        },
        { rule: 'actionNotSubscribed', blocks: true, message: 'The webhook is not subscribed to create events.' },
        { rule: 'notReady', blocks: false, message: 'The webhook has a Field or UdfField record.' },
        { rule: 'noSubscribedFieldChanged', blocks: false, message: 'A create event needs no changed field.' },
        {
          rule: 'actorExcluded',
          blocks: true,
          message: 'Resource 3 (admin@example.com), which acted, is excluded by the webhook.',
        },
        { rule: 'condition', blocks: false },
      ],
      request: null,
    });
  });

  it('acts as the caller when it names no resource, impersonated or not', async () => {
    const { resourceID: _actor, ...anonymous } = update;
    const body = { ...anonymous, fields: { companyName: 'Acme' } };
    const personOf = (item: Readonly<Record<string, unknown>>) =>
      (JSON.parse((item['request'] as { body: string }).body) as { PersonID: number }).PersonID;
    expect(personOf(await simulate(body))).toBe(tenant.integrator.resourceId);
    const headers = { ImpersonationResourceId: '2' };
    const as = tenant.integrator;
    expect(personOf(itemOf(await api.call('POST', '/CompanyWebhooks/1/simulate', { as, headers, body })))).toBe(2);
  });

  it('reads keys and values as events do, and uses the entity of the webhook', async () => {
    const event = { ACTION: 'UPDATE', Id: '7', EntityType: 'account', Fields: { COMPANYNAME: 'Acme', nonsense: 1 } };
    expect(await simulate(event)).toMatchObject({ getsCallout: true, changedFields: ['companyName'] });
  });

  it('leaves no trace', async () => {
    const rows = () =>
      Promise.all([
        api.database.prisma.record.count({ where: { tenantId: tenant.id } }),
        api.database.prisma.event.count({ where: { tenantId: tenant.id } }),
        api.database.prisma.callout.count({ where: { tenantId: tenant.id } }),
        api.database.prisma.webhook.findMany({ where: { tenantId: tenant.id }, select: { lastSequence: true } }),
      ]);
    const before = await rows();
    const enqueued = [api.enqueuedEvents.length, api.enqueuedWebhooks.length];
    await simulate({ ...update, fields: { companyName: 'Acme' } });
    expect(await rows()).toEqual(before);
    expect([api.enqueuedEvents.length, api.enqueuedWebhooks.length]).toEqual(enqueued);
  });

  it.each([
    [{ ...update, entityType: 'Contact' }, 'entityType must be Account, which the webhook watches, or be left out'],
    [{ ...update, entityType: 5 }, 'entityType must be Account'],
    [{ ...update, action: 'Upsert' }, 'action must be one of Create, Update, Delete'],
    [{ action: 'Update' }, 'id is required'],
    [{ ...update, id: 0 }, 'id must be an integer from 1'],
    [{ ...update, fields: [] }, 'fields must be an object'],
    [{ ...update, fields: { companyType: 'many' } }, 'fields.companyType must be an integer'],
    [{ ...update, changedFields: ['colour'] }, 'changedFields names "colour", which is no field of Account'],
    [{ ...update, changedFields: ['companyName'] }, "changedFields names 'companyName', whose value is neither given"],
    [{ ...update, userDefinedFields: { Tier: {} } }, 'userDefinedFields.Tier'],
    [[], 'The body must be a JSON object'],
  ])('that is none is refused: %j', async (body, sentence) => {
    const response = await simulateAs(body);
    expect(response).toMatchObject({ status: 400 });
    expect((response.body as { errors: string[] }).errors.join('\n')).toContain(sentence);
  });

  it('is 404 without the webhook', async () => {
    const paths = ['/CompanyWebhooks/2', '/ContactWebhooks/1', '/CompanyWebhooks/0', '/CompanyWebhooks/4294967296'];
    for (const path of paths) await expect(simulateAs(update, path)).resolves.toMatchObject({ status: 404 });
  });
});

describe('a webhook that is not stored', () => {
  const webhook = {
    isSubscribedToUpdateEvents: true,
    fields: [
      { field: 'companyName', isSubscribedField: true },
      { field: 'city', isDisplayAlwaysField: true },
    ],
    udfFields: [{ udfField: 'Tier', isSubscribedField: true }],
    excludedResources: [{ resourceID: 3 }],
  };
  const simulateNew = async (body: unknown) => itemOf(await simulateAs(body, '/CompanyWebhooks'));
  const bodyOf = (item: Record<string, unknown>) =>
    JSON.parse((item['request'] as { body: string }).body) as Record<string, unknown>;

  it('shows the payload of a sample event before anything is entered but its fields', async () => {
    const item = await simulateNew({ webhook });
    expect(item).toMatchObject({ getsCallout: true, rule: 'passed', firedFields: ['companyName'] });
    expect(item['request']).toMatchObject({ url: '<URL of the webhook>' });
    expect(bodyOf(item)).toMatchObject({
      Action: 'Update',
      Guid: '<GUID of the webhook>',
      Id: 0,
      Fields: { CompanyName: expect.any(String), City: expect.any(String), 'The Tier': expect.any(String) },
      SequenceNumber: 1,
    });
    const { count } = await api.database.prisma.webhook
      .aggregate({ _count: true, where: { tenantId: tenant.id } })
      .then(({ _count }) => ({ count: _count }));
    expect(count).toBe(1);
  });

  it('is judged as a stored webhook is, for any event', async () => {
    await postEvent({ companyName: 'Acme', city: 'Oslo' });
    for (const event of [
      { ...update, fields: { companyName: 'Acme AG' } },
      { ...update, fields: { city: 'Bergen' } },
      { ...update, fields: { companyName: 'Acme' } },
      { ...update, resourceID: 3, fields: { companyName: 'Other' } },
      { action: 'Create', id: 7, fields: { companyName: 'New' } },
      { action: 'Delete', id: 7 },
    ]) {
      const { webhookID, webhookGUID, request, ...stored } = await simulate(event);
      const body = webhookBody({ ...webhook, name: undefined, secretKey: undefined });
      const newOutcome = await simulateNew({ webhook: body, event });
      expect(newOutcome).toMatchObject({ ...stored, webhookID: null });
      const newRequest = newOutcome['request'];
      expect(newRequest === null).toBe(request === null);
      if (request !== null) {
        const guid = bodyOf({ request })['Guid'];
        expect([webhookID, webhookGUID]).toEqual([1, guid]);
        expect({ ...bodyOf({ request: newRequest }), Guid: guid }).toEqual(bodyOf({ request }));
      }
    }
  });

  it('is refused what creating it would be, and says what would keep it from firing', async () => {
    const refused = await simulateAs(
      { webhook: { fields: [{ field: 'cty' }], webhookUrl: 'ftp://x' } },
      '/CompanyWebhooks',
    );
    expect(refused).toMatchObject({
      status: 400,
      body: {
        details: expect.arrayContaining([
          expect.objectContaining({ field: 'webhookUrl' }),
          expect.objectContaining({ field: 'fields[0].field' }),
        ]),
      },
    });
    expect(await simulateNew({ webhook: { isSubscribedToUpdateEvents: true } })).toMatchObject({
      getsCallout: false,
      rule: 'notReady',
    });
    expect(await simulateNew({ webhook: { ...webhook, isActive: false } })).toMatchObject({
      rule: 'inactive',
      request: null,
    });
    expect(await simulateNew({ webhook, evnt: {} })).toMatchObject({ ignored: ['evnt'] });
  });
});
