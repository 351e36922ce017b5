import { beforeEach, describe, expect, it } from '@jest/globals';
import { insertLoggedCallout, type LoggedCalloutFixture } from '../../../fixtures/logged-callout.ts';
import { runTestApi } from '../../../fixtures/run-test-api.ts';
import { makeTenant, type TestTenant } from '../../../fixtures/test-tenant.ts';
import { webhookBody } from '../../../fixtures/webhook-body.ts';
import { itemOf } from '../listed.fixture.ts';

const api = runTestApi();
let tenant: TestTenant;
let logged: LoggedCalloutFixture;

beforeEach(async () => {
  tenant = await makeTenant(api.database);
  const fields = [{ fieldID: 2, isSubscribedField: true }];
  await make({ fields });
  logged = await insertLoggedCallout(api, tenant.id);
  await api.database.prisma.event.update({
    where: { id: logged.eventId },
    data: { changedFields: ['companyName', 'city'] },
  });
});

const make = async (change: Record<string, unknown> = {}, collection = 'CompanyWebhooks'): Promise<string> => {
  const made = await api.call('POST', `/${collection}`, { as: tenant.integrator, body: webhookBody(change) });
  const { itemId } = made.body as { itemId: number };
  const read = itemOf(await api.call('GET', `/${collection}/${itemId}`, { as: tenant.integrator }));
  return String(read['webhookGUID']);
};
const get = (query: string, eventId = logged.eventKey) =>
  api.call('GET', `/EntityEvents/${eventId}/explain${query}`, { as: tenant.integrator });
const explain = async (guid = logged.webhookGuid) => itemOf(await get(`?webhookGUID=${guid}`));

describe('why an event caused a callout for a webhook, or did not', () => {
  it('is the verdict as it was stored, with the value of every rule while the configuration is the same', async () => {
    expect(await explain(logged.webhookGuid.toUpperCase())).toEqual({
      eventID: logged.eventKey,
      webhookID: 1,
      webhookGUID: logged.webhookGuid,
      isEvent: true,
      state: 'matched',
      getsCallout: true,
      rule: 'passed',
      message: 'The webhook gets a callout: every rule passed.',
      hasConfigurationChanged: false,
      changedFields: ['companyName', 'city'],
      changedUserDefinedFields: [],
      subscribedFields: ['companyName'],
      subscribedUserDefinedFields: [],
      firedFields: ['companyName'],
      firedUserDefinedFields: [],
      previousFields: null,
      previousUserDefinedFields: null,
      rules: [
        { rule: 'inactive', blocks: false, message: 'The webhook is active.' },
        {
          rule: 'acceptedBeforeActivation',
          blocks: false,
          message: 'The event was accepted after the webhook was created and last activated.',
        },
        { rule: 'actionNotSubscribed', blocks: false, message: 'The webhook is subscribed to update events.' },
        { rule: 'notReady', blocks: false, message: 'The webhook has a Field or UdfField record.' },
        {
          rule: 'noSubscribedFieldChanged',
          blocks: false,
          message: 'A field that changed is one the webhook is subscribed to.',
        },
        {
          rule: 'actorExcluded',
          blocks: false,
          message: expect.stringMatching(/^Resource 1 \(.+@.+\), which acted, is not excluded by the webhook\.$/u),
        },
        {
          rule: 'condition',
          blocks: false,
          message: 'The event fulfils the condition of the webhook, or the webhook has none.',
        },
      ],
      condition: null,
      request: {
        method: 'POST',
        url: 'http://127.0.0.1:9999/in',
        headers: expect.objectContaining({ 'webhook-id': logged.calloutId, 'webhook-signature': '<redacted>' }),
        body: expect.stringContaining('"SequenceNumber":1'),
      },
      comparison: null,
      callout: { id: logged.calloutId, sequenceNumber: 1, state: 'delivered', mergedInto: null },
    });
  });

  it('has what the changed subscribed fields were before, of a webhook that includes previous values', async () => {
    const previousOf = async (previous: (string | number | null)[]) => {
      const { id } = await api.database.prisma.event.update({ where: { id: logged.eventId }, data: { previous } });
      expect(id).toBe(logged.eventId);
      const { previousFields, previousUserDefinedFields } = await explain();
      return [previousFields, previousUserDefinedFields];
    };
    expect(await previousOf(['Acme', 'Oslo'])).toEqual([null, null]);
    // As if it had been so when the event was matched: a change would be one of the configuration.
    await api.database.prisma.webhook.updateMany({ data: { includePreviousValues: true } });
    expect(await previousOf(['Acme', 'Oslo'])).toEqual([{ companyName: 'Acme' }, {}]);
    expect(await previousOf([null, 'Oslo'])).toEqual([{ companyName: null }, {}]);
    expect(await previousOf([0, 'Oslo'])).toEqual([{}, {}]);
    await api.call('PATCH', '/CompanyWebhooks/1', { as: tenant.integrator, body: { name: 'Another' } });
    await api.call('POST', '/CompanyWebhooks/1/ExcludedResources', { as: tenant.integrator, body: { resourceID: 1 } });
    expect(await previousOf(['Acme', 'Oslo'])).toEqual([null, null]);
  });

  it('says that the configuration has changed since, and then nothing of its rules', async () => {
    await api.call('POST', '/CompanyWebhooks/1/ExcludedResources', { as: tenant.integrator, body: { resourceID: 1 } });
    expect(await explain()).toMatchObject({
      getsCallout: true,
      rule: 'passed',
      hasConfigurationChanged: true,
      rules: null,
    });
    expect(await explain()).toMatchObject({ subscribedFields: ['companyName'], firedFields: null });
    await api.call('DELETE', '/CompanyWebhooks/1', { as: tenant.integrator });
    expect(await explain()).toMatchObject({ webhookID: 1, rule: 'passed', hasConfigurationChanged: true, rules: null });
    expect(await explain()).toMatchObject({ changedFields: ['companyName', 'city'], subscribedFields: null });
  });

  it('says that the webhook was not there', async () => {
    expect(await explain(await make())).toMatchObject({
      webhookID: 2,
      getsCallout: null,
      rule: null,
      message: 'The webhook was not there when the event was matched.',
      hasConfigurationChanged: null,
      callout: null,
    });
  });

  it('says that the event has not been matched yet', async () => {
    const event = { entityType: 'Account', action: 'Delete', id: 7, eventID: 'new' };
    await api.call('POST', '/EntityEvents', { as: tenant.source, body: { events: [event] } });
    expect(itemOf(await get(`?webhookGUID=${logged.webhookGuid}`, 'new'))).toMatchObject({
      state: 'pending',
      getsCallout: null,
      message: 'The event has not been matched with webhooks yet.',
    });
  });

  it('needs the GUID of a webhook of the same entity and tenant', async () => {
    for (const [query, code, message] of [
      ['', 'required', 'webhookGUID is required: the GUID of the webhook in question'],
      ['?webhookGUID=', 'required', 'webhookGUID is required: the GUID of the webhook in question'],
      ['?webhookGUID=1', 'invalid', 'webhookGUID must be the GUID of a webhook'],
      ['?webhookGUID=null', 'invalid', 'webhookGUID must be the GUID of a webhook'],
    ] as const) {
      const response = await get(query);
      expect(response).toMatchObject({ status: 400, body: { details: [{ code, field: 'webhookGUID', message }] } });
    }
    const guid = `?webhookGUID=${logged.webhookGuid}`;
    await expect(get(guid, 'unknown')).resolves.toMatchObject({ status: 404 });
    const unknown = '3f0c8a52-6b1d-4a5e-9c0f-2f7f0f1b9d11';
    await expect(get(`?webhookGUID=${unknown}`)).resolves.toMatchObject({ status: 404 });
    const contacts = await make({}, 'ContactWebhooks');
    await expect(get(`?webhookGUID=${contacts}`)).resolves.toMatchObject({ status: 404 });
    const stranger = await makeTenant(api.database);
    const theirs = await api.call('GET', `/EntityEvents/${logged.eventKey}/explain${guid}`, { as: stranger.admin });
    expect(theirs.status).toBe(404);
  });
});
