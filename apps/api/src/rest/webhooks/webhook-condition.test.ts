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

  it.each(['text', 5, true, [[]], [{ op: 'exist', field: 'phone' }]])('is refused as %j', async (given) => {
    const response = await create({ condition: given });
    expect([response.status, response.body]).toMatchObject([
      400,
      { errors: ['condition must be an object with op, field and value'] },
    ]);
  });
});
