import { beforeEach, describe, expect, it } from '@jest/globals';
import { failure } from '../../fixtures/failure.ts';
import { runTestApi } from '../../fixtures/run-test-api.ts';
import { makeTenant, tenantPerTest } from '../../fixtures/test-tenant.ts';
import { webhookBody } from '../../fixtures/webhook-body.ts';

const api = runTestApi();
const tenant = tenantPerTest(() => makeTenant(api.database));

const PATH = '/UserDefinedFieldDefinitions';
const call = (method: string, path: string, body?: unknown) => api.call(method, path, { as: tenant.admin, body });
const define = (change: object = {}) =>
  call('POST', PATH, { entityType: 'Account', name: 'Tier', dataType: 'string', ...change });
const read = async (id = 1) => ((await call('GET', `${PATH}/${id}`)).body as { item: unknown }).item;
const list = { dataType: 'list', listValues: [{ value: 1, label: 'Gold' }] };

async function version(entityType = 'Account'): Promise<number> {
  const [webhook] = await api.database.prisma.webhook.findMany({ where: { tenantId: tenant.id, entityType } });
  return webhook?.version ?? 0;
}

describe('changing a user-defined field', () => {
  beforeEach(async () => {
    await define(list);
    await call('POST', '/CompanyWebhooks', webhookBody({ udfFields: [{ udfFieldID: 1 }] }));
  });

  it('changes what is named, with the id in body or path', async () => {
    await expect(call('PATCH', PATH, { Id: '1', LABEL: 'Level' })).resolves.toMatchObject({
      status: 200,
      body: { itemId: 1 },
    });
    await call('PATCH', `${PATH}/1`, { name: 'Rank', dataType: 'List', entityType: 'account' });
    await call('PATCH', `${PATH}/1`, { listValues: [{ value: 2, label: 'Silver' }] });
    expect(await read()).toEqual({
      id: 1,
      entityType: 'Account',
      name: 'Rank',
      label: 'Level',
      dataType: 'list',
      listValues: [{ value: '2', label: 'Silver' }],
    });
  });

  it('raises the version of the webhooks that name it when callouts change with it', async () => {
    await call('POST', '/ContactWebhooks', webhookBody());
    await call('PATCH', `${PATH}/1`, { label: 'Level' });
    expect([await version(), await version('Contact')]).toEqual([2, 1]);
    await call('PATCH', `${PATH}/1`, { label: 'Level', name: 'Rank' });
    expect(await version()).toBe(2);
  });

  it('goes on in the conditions that name it, as a new version of their webhooks, and readiness says when it is gone', async () => {
    const condition = (field: string) => ({ op: 'eq', field, udf: true, value: 1 });
    await call('PATCH', '/CompanyWebhooks/1', { condition: condition('previous.tier') });
    await call('PATCH', `${PATH}/1`, { name: 'Rank' });
    const shown = (await call('GET', '/CompanyWebhooks/1')).body;
    expect([shown, await version()]).toMatchObject([{ item: { condition: condition('previous.Rank') } }, 3]);
    const reasons = async () =>
      ((await call('GET', '/CompanyWebhooks/1/readiness')).body as { item: { reasons: unknown[] } }).item.reasons;
    await call('PATCH', '/CompanyWebhooks/1', { isSubscribedToDeleteEvents: true, isSubscribedToUpdateEvents: false });
    expect(await reasons()).toEqual([]);
    await call('DELETE', `${PATH}/1`);
    expect([await reasons(), await version()]).toMatchObject([
      [{ code: 'conditionFieldGone', blocks: false, message: expect.stringContaining('"Rank" is no user-defined') }],
      5,
    ]);
    await define({ ...list, name: 'Rank' });
    expect([await reasons(), await version()]).toEqual([[], 6]);
  });

  it.each([
    ['PATCH', PATH, { label: 'x' }, 400],
    ['PATCH', `${PATH}/1`, { id: 2 }, 400],
    ['PATCH', `${PATH}/1`, { name: null }, 400],
    ['PATCH', `${PATH}/1`, { listValues: null }, 400],
    ['PATCH', `${PATH}/1`, { listValues: [] }, 400],
    ['PATCH', `${PATH}/1`, { dataType: 'string' }, 400],
    ['PATCH', `${PATH}/1`, { entityType: 'Contact' }, 400],
    ['PATCH', `${PATH}/1`, { label: 'phone' }, 409],
    ['PATCH', PATH, { id: 9, label: 'x' }, 404],
    ['PATCH', PATH, { id: 2 ** 31, label: 'x' }, 404],
    ['PUT', `${PATH}/1`, { label: 'x' }, 405],
    ['GET', `${PATH}/9`, undefined, 404],
    ['DELETE', `${PATH}/9`, undefined, 404],
  ])('%s %s %j is %i', async (method, path, body, status) => {
    const before = await read();
    await expect(call(method, path, body)).resolves.toMatchObject({ status });
    expect(await read()).toEqual(before);
  });

  it('to the name or label of another one is 409', async () => {
    await define({ name: 'Level' });
    for (const key of ['name', 'label']) {
      const response = await call('PATCH', `${PATH}/1`, { [key]: 'LEVEL' });
      expect(response).toMatchObject({
        status: 409,
        body: failure('duplicate', expect.stringMatching(/^(name|label) ".+" is that of /)),
      });
      expect(response.body).toMatchObject({ details: [{ field: key }] });
    }
  });
});

describe('deleting a user-defined field', () => {
  it('removes the children that name it, as a new version of their webhooks', async () => {
    await define();
    await define({ name: 'Level' });
    await call('POST', '/CompanyWebhooks', webhookBody({ udfFields: [{ udfFieldID: 1 }, { udfFieldID: 2 }] }));
    await expect(call('DELETE', `${PATH}/1`)).resolves.toMatchObject({ status: 200, body: { itemId: 1 } });
    expect((await call('GET', '/CompanyWebhooks/1/UdfFields')).body).toMatchObject({
      items: [{ id: 2, udfFieldID: 2 }],
    });
    expect(await version()).toBe(2);
    await call('DELETE', `${PATH}/2`);
    await expect(call('GET', '/CompanyWebhooks/1')).resolves.toMatchObject({ body: { item: { isReady: false } } });
    await expect(call('GET', `${PATH}/1`)).resolves.toMatchObject({ status: 404 });
    await expect(define()).resolves.toMatchObject({ body: { itemId: 3 } });
  });

  it('and naming it at the same time leaves no child of what is gone, and no failure but 400', async () => {
    await call('POST', '/CompanyWebhooks', webhookBody());
    for (let round = 1; round <= 6; round += 1) {
      await define();
      const responses = await Promise.all([
        call('POST', '/CompanyWebhooks/1/UdfFields', { udfFieldID: round }),
        call('POST', '/CompanyWebhooks', webhookBody({ isActive: false, udfFields: [{ udfFieldID: round }] })),
        call('DELETE', `${PATH}/${round}`),
        call('POST', '/CompanyWebhookUdfFields', { udfFieldID: round, webhookID: 1 }),
      ]);
      for (const { status } of responses) expect([200, 400, 409]).toContain(status);
    }
    expect(await api.database.prisma.webhookUdfField.count({ where: { tenantId: tenant.id } })).toBe(0);
  });
});
