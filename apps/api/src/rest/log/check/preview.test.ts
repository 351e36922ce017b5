import { beforeEach, describe, expect, it } from '@jest/globals';
import { itemOf } from '../listed.fixture.ts';
import { runTestApi } from '../../../fixtures/run-test-api.ts';
import { makeTenant, tenantPerTest } from '../../../fixtures/test-tenant.ts';
import { webhookBody } from '../../../fixtures/webhook-body.ts';

const api = runTestApi();
const tenant = tenantPerTest(() => makeTenant(api.database));

const call = (path: string, body: unknown, as = tenant.integrator) => api.call('POST', path, { as, body });
const outcome = async (path: string, body: object) => itemOf(await call(path, body));
const comparisonOf = (item: Readonly<Record<string, unknown>>) => item['comparison'] as Record<string, unknown>;
const preview = async (change: object) => comparisonOf(await outcome('/CompanyWebhooks/1/preview', change));
const previewNew = (webhook: object) => outcome('/CompanyWebhooks/preview', { webhook });
const update = (id: number, companyName: string) => ({
  entityType: 'Account',
  action: 'Update',
  id,
  eventID: `${id}-${companyName}`,
  fields: { companyName, phone: '1' },
});

beforeEach(async () => {
  await call('/CompanyWebhooks', webhookBody({ fields: [{ field: 'companyName', isSubscribedField: true }] }));
  const events = [update(1, 'Ant'), update(1, 'Bee'), update(2, 'Cat')];
  for (const event of events) await call('/EntityEvents', { events: [event] }, tenant.source);
});

describe('a preview of a change of a webhook', () => {
  it('replays the newest events by the webhook as it is and as it would be, and stores nothing', async () => {
    const condition = { op: 'changedFrom', field: 'companyName', value: 'ant' };
    expect(await preview({ condition })).toMatchObject({
      events: 3,
      calloutsBefore: 3,
      calloutsAfter: 1,
      changes: [
        {
          eventID: '2-Cat',
          getsCalloutBefore: true,
          ruleBefore: 'passed',
          getsCalloutAfter: false,
          ruleAfter: 'condition',
        },
        { eventID: '1-Ant', getsCalloutAfter: false },
      ],
      bodyBefore: expect.stringContaining('"CompanyName":"Bee"'),
    });
    const { body } = await api.call('GET', '/CompanyWebhooks/1', { as: tenant.integrator });
    expect(body).toMatchObject({ item: { condition: null } });
    const { rows } = await api.database.pool.query('SELECT version, last_sequence FROM webhooks WHERE tenant_id = $1', [
      tenant.id,
    ]);
    expect(rows).toEqual([{ version: 1, last_sequence: 0 }]);
  });

  it('replays them by a webhook that is not stored yet, in the same way', async () => {
    const condition = { op: 'changedFrom', field: 'companyName', value: 'ant' };
    const fields = [{ field: 'companyName', isSubscribedField: true }];
    const webhook = { isSubscribedToUpdateEvents: true, fields, payloadFormat: 'cloudevents' };
    const count = () => api.database.prisma.webhook.count();
    const before = await count();
    expect(await previewNew({ ...webhook, condition })).toMatchObject({
      eventID: '1-Bee',
      webhookID: null,
      getsCallout: true,
      condition: { op: 'changedFrom', holds: true, seen: 'Bee' },
      request: { body: expect.stringContaining('"companyName":"Bee"') },
      comparison: {
        events: 3,
        calloutsBefore: 0,
        calloutsAfter: 1,
        changes: [
          {
            eventID: '1-Bee',
            getsCalloutBefore: false,
            ruleBefore: 'inactive',
            getsCalloutAfter: true,
            ruleAfter: 'passed',
          },
        ],
        bodyBefore: null,
      },
    });
    expect(comparisonOf(await previewNew(webhook))).toMatchObject({ calloutsAfter: 3 });
    expect(await count()).toBe(before);
    const wrong = await call('/CompanyWebhooks/preview', { webhook: { ...webhook, condition: { op: 'eq' } } });
    expect(wrong.status).toBe(400);
    const unknown = await call('/CompanyWebhooks/preview', { webhook, fish: 1 });
    expect(itemOf(unknown)['ignored']).toEqual(['fish']);
  });

  it('shows the body of the newest callout that would be another one, also with other fields', async () => {
    const fields = [{ field: 'phone', isDisplayAlwaysField: true, isSubscribedField: true }];
    const previewed = await outcome('/CompanyWebhooks/1/preview', { fields });
    expect(comparisonOf(previewed)).toMatchObject({ calloutsBefore: 3, calloutsAfter: 2 });
    const before = String(comparisonOf(previewed)['bodyBefore']);
    const { body: after } = previewed['request'] as { body: string };
    expect([JSON.parse(before), JSON.parse(after)]).toMatchObject([
      { Fields: { CompanyName: 'Cat' }, Id: 2 },
      { Fields: { Phone: '1' }, Id: 2 },
    ]);
    expect(JSON.parse(after)).not.toHaveProperty('Fields.CompanyName');
    const { request } = await outcome('/CompanyWebhooks/1/preview', { payloadFormat: 'typed' });
    expect(request).toMatchObject({ body: expect.stringContaining('"companyName":"Cat"') });
  });

  it('counts an inactive webhook as active, unless the change says otherwise', async () => {
    await api.call('PATCH', '/CompanyWebhooks/1', { as: tenant.integrator, body: { isActive: false } });
    expect(await preview({})).toMatchObject({ calloutsBefore: 3, calloutsAfter: 3, changes: [] });
    expect(await preview({ isActive: false })).toMatchObject({ calloutsBefore: 3, calloutsAfter: 0 });
  });

  it('refuses what an update would refuse, and is about the webhooks and events of its tenant alone', async () => {
    const refused = { status: 400, body: { errors: [expect.stringContaining('condition.field "x" is no field')] } };
    const condition = { op: 'exist', field: 'x' };
    await expect(call('/CompanyWebhooks/1/preview', { condition })).resolves.toMatchObject(refused);
    await expect(call('/CompanyWebhooks/1/preview', { fields: 'x' })).resolves.toMatchObject({ status: 400 });
    await expect(call('/CompanyWebhooks/9/preview', {})).resolves.toMatchObject({ status: 404 });
    const stranger = await makeTenant(api.database);
    await expect(call('/CompanyWebhooks/1/preview', {}, stranger.admin)).resolves.toMatchObject({ status: 404 });
    await call('/CompanyWebhooks', webhookBody(), stranger.admin);
    // Without an event, it is shown by a sample.
    expect(itemOf(await call('/CompanyWebhooks/1/preview', {}, stranger.admin))).toMatchObject({
      eventID: null,
      comparison: { events: 0, changes: [], bodyBefore: null },
    });
  });

  it('runs one at a time for a tenant, of stored and of new webhooks together', async () => {
    const client = await api.database.pool.connect();
    await client.query('BEGIN; LOCK TABLE events IN ACCESS EXCLUSIVE MODE');
    const stored = call('/CompanyWebhooks/1/preview', {});
    const others = Array.from({ length: 6 }, () => call('/CompanyWebhooks/preview', { webhook: {} }));
    // One runs, five wait, and the seventh is refused at once.
    const first = await Promise.race([stored, ...others]);
    await client.query('ROLLBACK');
    client.release();
    expect(first.status).toBe(429);
    const statuses = (await Promise.all([stored, ...others])).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(6);
  });
});
