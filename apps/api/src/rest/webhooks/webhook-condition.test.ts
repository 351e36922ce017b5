import { describe, expect, it } from '@jest/globals';
import { runTestApi } from '../../fixtures/run-test-api.ts';
import { makeTenant, tenantPerTest } from '../../fixtures/test-tenant.ts';
import { webhookBody, wholeWebhook } from '../../fixtures/webhook-body.ts';

const api = runTestApi();
const tenant = tenantPerTest(() => makeTenant(api.database));

const call = (method: string, path: string, body?: unknown) => api.call(method, path, { as: tenant.integrator, body });
const create = (change: object = {}) => call('POST', '/CompanyWebhooks', { ...webhookBody(), ...change });
const conditionOf = async (id: number) =>
  ((await call('GET', `/CompanyWebhooks/${id}`)).body as { item: { condition: unknown } }).item.condition;

const condition = { op: 'and', items: [{ op: 'eq', field: 'companyType', value: '1' }] };

describe('the condition of a webhook', () => {
  it('is read as it was written, by its id and in queries, and stays until it is replaced or removed', async () => {
    await create({ condition });
    expect(await conditionOf(1)).toEqual(condition);
    await expect(call('GET', '/CompanyWebhooks/query')).resolves.toMatchObject({ body: { items: [{ condition }] } });
    await call('PATCH', '/CompanyWebhooks/1', { name: 'other' });
    expect(await conditionOf(1)).toEqual(condition);
    await call('PATCH', '/CompanyWebhooks/1', { condition: null });
    expect(await conditionOf(1)).toBeNull();
    await call('PATCH', '/CompanyWebhooks/1', { condition });
    await call('PUT', '/CompanyWebhooks/1', wholeWebhook());
    expect(await conditionOf(1)).toBeNull();
  });

  it('is an object in metadata, and no filter can name it', async () => {
    const { body } = await call('GET', '/CompanyWebhooks/entityInformation/fields');
    expect((body as { fields: unknown[] }).fields).toContainEqual(
      expect.objectContaining({ name: 'condition', dataType: 'object', isQueryable: false, isRequired: false }),
    );
    const asked = { Filter: [{ op: 'exist', field: 'condition' }] };
    await expect(call('POST', '/CompanyWebhooks/query', asked)).resolves.toMatchObject({
      status: 400,
      body: { errors: ['Filter[0].field "condition" cannot be queried: it is an object'] },
    });
  });

  it('is compared with a hypothetical event, part by part, and with a sample not at all', async () => {
    const items = [
      { op: 'changedTo', field: 'companyType', value: 1 },
      { op: 'exist', field: 'phone' },
    ];
    const fields = [{ field: 'companyType', isSubscribedField: true }];
    await create({ fields, condition: { op: 'and', items } });
    const event = { action: 'Update', id: 5, fields: { companyType: 1 } };
    const { body } = await call('POST', '/CompanyWebhooks/1/simulate', event);
    expect(body).toMatchObject({
      item: {
        getsCallout: false,
        rule: 'condition',
        message: 'The event does not fulfil the condition of the webhook.',
        condition: {
          op: 'and',
          holds: false,
          items: [
            { ...items[0], holds: true, seen: '1', message: 'companyType is "1", and before it was not known.' },
            { ...items[1], holds: false, isKnown: false, seen: null, message: 'phone is not known.' },
          ],
        },
      },
    });
    const webhook = { isSubscribedToUpdateEvents: true, fields, condition: { op: 'and', items } };
    await expect(call('POST', '/CompanyWebhooks/simulate', { webhook, event })).resolves.toMatchObject({
      body: { item: { rule: 'condition', condition: { holds: false } } },
    });
    await expect(call('POST', '/CompanyWebhooks/simulate', { webhook })).resolves.toMatchObject({
      body: { item: { getsCallout: true, condition: null } },
    });
  });

  it.each([
    [{ op: 'eq', field: 'nothing', value: 1 }, 'condition.field "nothing" is no field of Companies'],
    [{ op: 'eq', field: 'createDate', value: 1 }, 'condition.field "createDate" is not supported in webhooks'],
    [{ op: 'eq', field: 'secretKey', value: 1 }, 'condition.field "secretKey" is no field of Companies'],
  ])('is refused as %j, and nothing is stored', async (given, sentence) => {
    const refused = { status: 400, body: { errors: [expect.stringContaining(sentence)] } };
    await expect(create({ condition: given })).resolves.toMatchObject(refused);
    await create();
    await expect(call('PATCH', '/CompanyWebhooks/1', { condition: given })).resolves.toMatchObject(refused);
    expect(await conditionOf(1)).toBeNull();
  });
});
