import { beforeEach, describe, expect, it } from '@jest/globals';
import { openPortal } from '../../console/test/portal.ts';
import { companyWebhooks } from '../../fixtures/company-webhooks.ts';
import { makeTenant } from '../../fixtures/test-tenant.ts';
import { webhookBody } from '../../fixtures/webhook-body.ts';

const { api, tenant, call, asAdmin, create, patch } = companyWebhooks();

interface ChangeItem {
  id: string;
  changedBy: { kind: string; resourceID: number | null; userName: string | null };
  entity: string;
  entityID: number | null;
  action: string;
  cause: string;
  fields: { field: string; from: unknown; to: unknown }[];
  detail: string | null;
}

const itemsOf = ({ body }: { body: unknown }) => (body as { items: ChangeItem[] }).items;
const changes = async (id = 1) => itemsOf(await call('GET', `/CompanyWebhooks/${id}/Changes`));
const allChanges = async () => itemsOf(await asAdmin('GET', '/Changes'));
const newest = async () => (await changes())[0];

describe('the changes of a webhook', () => {
  it('say who did it, when, and which fields were from what to what', async () => {
    const { resourceId: resourceID, userName } = tenant.integrator;
    await create({ isActive: false, fields: [{ fieldID: 2, isSubscribedField: true }] });
    await patch({ webhookUrl: 'http://127.0.0.1:9999/moved', maxCallsPerSecond: 5 });
    const response = await call('GET', '/CompanyWebhooks/1/Changes');
    expect(response).toMatchObject({
      status: 200,
      body: { pageDetails: { count: 2, requestCount: 500, prevPageUrl: null, nextPageUrl: null } },
    });
    const [changed, created] = itemsOf(response);
    expect(changed).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      changedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      changedBy: { kind: 'user', resourceID, userName },
      entity: 'CompanyWebhook',
      entityID: 1,
      webhookName: webhookBody()['name'],
      action: 'updated',
      cause: 'user',
      fields: [
        { field: 'webhookUrl', from: webhookBody()['webhookUrl'], to: 'http://127.0.0.1:9999/moved' },
        { field: 'maxCallsPerSecond', from: null, to: 5 },
      ],
      detail: null,
    });
    expect(created).toMatchObject({ action: 'created', entityID: 1 });
    expect(created?.fields).toEqual(
      expect.arrayContaining([
        { field: 'isActive', from: null, to: false },
        { field: 'secretKey', from: null, to: 'changed' },
        {
          field: 'fields',
          from: null,
          to: '[{"fieldID":2,"isSubscribedField":true,"isDisplayAlwaysField":false}]',
        },
      ]),
    );
  });

  it('are none where nothing differs', async () => {
    await create();
    const body = webhookBody({ sendThresholdExceededNotification: false });
    delete body['secretKey'];
    for (const same of [{}, { name: webhookBody()['name'] }, { isActive: true }]) await patch(same);
    await call('PUT', '/CompanyWebhooks/1', body);
    expect((await changes()).map(({ action }) => action)).toEqual(['created']);
  });

  it('are one entry for a request, whether it activates or deactivates', async () => {
    await create();
    await patch({ isActive: false, name: 'off' });
    await patch({ isActive: true, name: 'on' });
    expect((await changes()).map(({ action, fields }) => [action, fields]).slice(0, 2)).toEqual([
      ['activated', expect.arrayContaining([{ field: 'isActive', from: false, to: true }])],
      [
        'deactivated',
        [
          { field: 'name', from: webhookBody()['name'], to: 'off' },
          { field: 'isActive', from: true, to: false },
        ],
      ],
    ]);
  });

  it('have those of its children, under their own ids', async () => {
    await create();
    await call('POST', '/CompanyWebhooks/1/Fields', { fieldID: 2 });
    await call('PATCH', '/CompanyWebhooks/1/Fields/1', { isDisplayAlwaysField: true });
    await call('PATCH', '/CompanyWebhooks/1/Fields/1', { isDisplayAlwaysField: true });
    await call('DELETE', '/CompanyWebhooks/1/Fields/1');
    await call('POST', '/CompanyWebhooks/1/ExcludedResources', { resourceID: 2 });
    expect((await changes()).slice(0, -1)).toMatchObject([
      { entity: 'CompanyWebhookExcludedResource', action: 'created', fields: [{ field: 'resourceID', to: 2 }] },
      { entity: 'CompanyWebhookField', entityID: 1, action: 'deleted' },
      { action: 'updated', fields: [{ field: 'isDisplayAlwaysField', from: false, to: true }] },
      { entity: 'CompanyWebhookField', entityID: 1, action: 'created' },
    ]);
  });

  it('never have a secret', async () => {
    const auth = (password: string) => ({ receiverAuth: { kind: 'basic', userName: 'jo', password } });
    await create({ ...auth('first-pass'), requestHeaders: [{ name: 'X-Key', value: 'first-value' }] });
    await patch(auth('second-pass'));
    expect((await newest())?.fields).toEqual([{ field: 'receiverAuth.password', from: 'changed', to: 'changed' }]);
    await patch({
      requestHeaders: [
        { name: 'X-Key', value: 'second-value' },
        { name: 'X-More', value: 'third-value' },
      ],
    });
    expect((await newest())?.fields).toEqual([
      { field: 'requestHeaders.X-Key', from: 'changed', to: 'changed' },
      { field: 'requestHeaders.X-More', from: null, to: 'changed' },
    ]);
    await patch({ receiverAuth: { kind: 'none' } });
    expect((await newest())?.fields).toEqual([
      { field: 'receiverAuth.kind', from: 'basic', to: 'none' },
      { field: 'receiverAuth.userName', from: 'jo', to: null },
      { field: 'receiverAuth.password', from: 'changed', to: null },
    ]);
    await patch({ secretKey: 'a second secret' });
    for (const _time of ['once', 'again'])
      await call('POST', '/CompanyWebhooks/1/rotateSecret', { secretKey: 'a third secret', overlapHours: 1 });
    expect((await newest())?.fields.map(({ field }) => field)).toContain('previousSecretUntil');
    const { rows } = await api.database.pool.query('SELECT * FROM changes WHERE tenant_id = $1', [tenant.id]);
    expect(JSON.stringify(rows)).not.toMatch(/first|second-|third-|a second|a third|\*\*/u);
  });

  it('name the resource that is impersonated, and the credential', async () => {
    const { resourceId } = tenant.source;
    await call('POST', '/CompanyWebhooks', webhookBody(), { ImpersonationResourceId: String(resourceId) });
    expect((await newest())?.changedBy).toEqual({
      kind: 'user',
      resourceID: resourceId,
      userName: tenant.integrator.userName,
    });
  });

  it('come in pages, newest first', async () => {
    await create();
    for (const name of ['a', 'b', 'c']) await patch({ name });
    const path = '/CompanyWebhooks/1/Changes';
    const first = await call('GET', `${path}?maxRecords=3`);
    const { nextPageUrl } = (first.body as { pageDetails: { nextPageUrl: string } }).pageDetails;
    const second = await call('GET', nextPageUrl.slice(nextPageUrl.indexOf('/v1.0') + '/v1.0'.length));
    const names = [...itemsOf(first), ...itemsOf(second)].map(({ fields }) => fields.at(0)?.to);
    expect(names).toEqual(['c', 'b', 'a', webhookBody()['name']]);
    expect((await call('GET', `${path}?since=2100-01-01T00:00:00Z`)).body).toMatchObject({ items: [] });
  });

  it('say what the service did to it with its owner, and with a user-defined field', async () => {
    const udf = { entityType: 'Account', name: 'tier', label: 'Tier', dataType: 'string' };
    await asAdmin('POST', '/UserDefinedFieldDefinitions', udf);
    await create({ udfFields: [{ udfFieldID: 1 }], condition: { field: 'tier', udf: true, op: 'eq', value: 'x' } });
    await asAdmin('PATCH', '/UserDefinedFieldDefinitions/1', { name: 'level' });
    await asAdmin('DELETE', '/UserDefinedFieldDefinitions/1');
    await asAdmin('PATCH', `/Resources/${tenant.integrator.resourceId}`, { isActive: false });
    const listed = itemsOf(await asAdmin('GET', '/CompanyWebhooks/1/Changes'));
    expect(listed.map(({ entity, action, cause, changedBy }) => [entity, action, cause, changedBy.resourceID])).toEqual(
      [
        ['CompanyWebhook', 'deactivated', 'ownerDeactivated', tenant.admin.resourceId],
        ['CompanyWebhookUdfField', 'deleted', 'definitionDeleted', tenant.admin.resourceId],
        ['CompanyWebhook', 'updated', 'definitionRenamed', tenant.admin.resourceId],
        ['CompanyWebhook', 'created', 'user', tenant.integrator.resourceId],
      ],
    );
  });
});

describe('the changes of a tenant', () => {
  beforeEach(async () => {
    await create({ signatureKind: 'both' });
    await asAdmin('PATCH', '/Resources/2', { email: 'other@example.com' });
    await call('DELETE', '/CompanyWebhooks/1');
  });

  it('have everything that it configures, deleted webhooks too', async () => {
    const listed = await allChanges();
    expect(listed.map(({ entity, entityID, action }) => [entity, entityID, action])).toEqual([
      ['CompanyWebhook', 1, 'deleted'],
      ['Resource', 2, 'updated'],
      ['CompanyWebhook', 1, 'created'],
      ['SigningKey', null, 'created'],
    ]);
    expect(listed[1]?.fields).toEqual([{ field: 'email', from: 'source@example.com', to: 'other@example.com' }]);
    expect(listed[0]?.fields).toContainEqual({ field: 'name', from: webhookBody()['name'], to: null });
  });

  it('are for its admins alone', async () => {
    for (const as of [tenant.integrator, tenant.source])
      expect(await api.call('GET', '/Changes', { as })).toMatchObject({ status: 403 });
    const other = await makeTenant(api.database);
    expect((await api.call('GET', '/Changes', { as: other.admin })).body).toMatchObject({ items: [] });
    const first = await asAdmin('GET', '/Changes?maxRecords=1');
    const { nextPageUrl } = (first.body as { pageDetails: { nextPageUrl: string } }).pageDetails;
    const next = nextPageUrl.slice(nextPageUrl.indexOf('/v1.0') + '/v1.0'.length);
    expect(await api.call('GET', next, { as: other.admin })).toMatchObject({ status: 400 });
    await create();
    for (const as of [other.integrator, other.admin])
      expect(await api.call('GET', '/CompanyWebhooks/2/Changes', { as })).toMatchObject({ status: 404 });
    expect(await api.call('GET', '/CompanyWebhooks/2/Changes', { as: tenant.source })).toMatchObject({ status: 403 });
  });

  it('show a portal no user name of the tenant, and its own as a portal', async () => {
    await create();
    const portal = await openPortal(api, tenant.id, tenant.integrator.resourceId);
    await portal.call('PATCH', '/CompanyWebhooks/2', { name: 'by a link' });
    const listed = itemsOf(await portal.call('GET', '/CompanyWebhooks/2/Changes'));
    expect(listed.map(({ changedBy: { kind, userName } }) => [kind, userName])).toEqual([
      ['portal', null],
      ['user', null],
    ]);
    expect(await portal.call('GET', '/Changes')).toMatchObject({ status: 403 });
  });
});
