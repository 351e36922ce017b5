import { beforeEach, describe, expect, it } from '@jest/globals';
import { failure } from '../../fixtures/failure.ts';
import { idsOf, pageOf } from '../../fixtures/pages.ts';
import { runTestApi } from '../../fixtures/run-test-api.ts';
import { makeCredential, makeTenant, tenantPerTest } from '../../fixtures/test-tenant.ts';
import { webhookBody } from '../../fixtures/webhook-body.ts';
import { insertErrorLog } from '../../fixtures/whole-tenant.ts';

const api = runTestApi();
const tenant = tenantPerTest(() => makeTenant(api.database));

const post = (path: string, body: unknown, as = tenant.admin) => api.call('POST', path, { as, body });
const find = async (collection: string, ...filter: unknown[]) =>
  idsOf(await post(`/${collection}/query`, { Filter: filter }));

describe('records', () => {
  const company = { companyType: 1, ownerResourceID: 1, phone: '555-0100' };

  beforeEach(async () => {
    for (const [name, dataType] of [
      ['Tier', 'string'],
      ['Seats', 'integer'],
    ]) {
      await post('/UserDefinedFieldDefinitions', { entityType: 'Account', name, dataType });
    }
    await post('/Companies', {
      ...company,
      companyName: 'École Été',
      isActive: true,
      userDefinedFields: [
        { name: 'Tier', value: 'Gold' },
        { name: 'Seats', value: 5 },
      ],
    });
    await post('/Companies', { ...company, companyName: 'Acme_100%', isActive: false, companyType: 2 });
    await post('/Companies', { ...company, companyName: 'acme', isActive: 'True', phone: '555-0199' });
  });

  it.each([
    ['text in any case', [{ op: 'eq', field: 'companyname', value: 'ÉCOLE ÉTÉ' }], [1]],
    ['a part of a text', [{ op: 'CONTAINS', field: 'companyName', value: 'CME_' }], [2]],
    ['its beginning', [{ op: 'beginswith', field: 'companyName', value: 'ACME' }], [2, 3]],
    ['its end', [{ op: 'endsWith', field: 'phone', value: '99' }], [3]],
    ['a quoted number', [{ op: 'GTE', field: 'companyType', value: '2' }], [2]],
    ['a quoted boolean', [{ op: 'eq', field: 'isActive', value: 'TRUE' }], [1, 3]],
    ['a time', [{ op: 'gt', field: 'createDate', value: '2020-01-01' }], [1, 2, 3]],
    [
      'siblings, all of them',
      [
        { op: 'gt', field: 'id', value: 1 },
        { op: 'eq', field: 'isActive', value: true },
      ],
      [3],
    ],
    [
      'a group',
      [
        {
          op: 'OR',
          items: [
            { op: 'eq', field: 'id', value: '1' },
            { op: 'eq', field: 'phone', value: '555-0199' },
          ],
        },
      ],
      [1, 3],
    ],
    ['a user-defined field', [{ op: 'eq', field: 'tier', value: 'GOLD', udf: true }], [1]],
    ['one that is empty', [{ op: 'notExist', field: 'Tier', udf: 'true' }], [2, 3]],
    ['a number of one', [{ op: 'lt', field: 'Seats', value: '10', udf: true }], [1]],
    ['nothing', [{ op: 'eq', field: 'companyName', value: "' OR 1=1 --" }], []],
  ])('are found by %s', async (_what, filter, ids) => {
    expect(await find('Companies', ...filter)).toEqual(ids);
    await expect(post('/Companies/query/count', { filter })).resolves.toMatchObject({
      body: { queryCount: ids.length },
    });
  });

  it('show the fields that are asked for, user-defined ones by name or all together', async () => {
    const shown = async (...IncludeFields: string[]) => {
      const { items } = pageOf(
        await post('/Companies/query', { IncludeFields, Filter: [{ op: 'eq', field: 'id', value: 1 }] }),
      );
      return items[0];
    };
    const [tier, seats] = [
      { name: 'Tier', value: 'Gold' },
      { name: 'Seats', value: '5' },
    ];
    expect(await shown('COMPANYNAME', 'isactive')).toEqual({ id: 1, companyName: 'École Été', isActive: true });
    expect(await shown('seats')).toEqual({ id: 1, userDefinedFields: [seats] });
    expect(await shown('phone', 'UserDefinedFields')).toEqual({
      id: 1,
      phone: '555-0100',
      userDefinedFields: [tier, seats],
    });
    await expect(post('/Companies/query', { IncludeFields: ['nope'] })).resolves.toMatchObject({
      status: 400,
      body: failure('unknownField', 'IncludeFields[0] "nope" is no field of Companies'),
    });
  });

  it('that were deleted or changed are found as they are now', async () => {
    await api.call('DELETE', '/Companies/3', { as: tenant.source });
    await api.call('PATCH', '/Companies/2', { as: tenant.source, body: { companyName: 'Zeta' } });
    expect(await find('Companies', { op: 'contains', field: 'companyName', value: 'acme' })).toEqual([]);
    expect(await find('Companies', { op: 'eq', field: 'companyName', value: 'zeta' })).toEqual([2]);
    expect(await find('Companies')).toEqual([1, 2]);
  });
});

describe('webhooks', () => {
  beforeEach(async () => {
    await post('/CompanyWebhooks', webhookBody({ secretKey: 'never to be seen', fields: [{ fieldID: 2 }] }));
    await post('/CompanyWebhooks', webhookBody({ isActive: false, name: 'Other' }));
  });

  it('never show their secret, and it cannot be asked for', async () => {
    const listed = await api.call('GET', '/CompanyWebhooks', { as: tenant.admin });
    expect(JSON.stringify(listed.body)).not.toContain('never to be seen');
    const { items } = pageOf(await post('/CompanyWebhooks/query', { IncludeFields: ['SecretKey'] }));
    expect(items).toEqual([1, 2].map((id) => ({ id, secretKey: '********' })));
    for (const op of ['eq', 'beginsWith', 'exist']) {
      const Filter = [{ op, field: 'secretkey', value: 'n' }];
      await expect(post('/CompanyWebhooks/query/count', { Filter })).resolves.toMatchObject({
        status: 400,
        body: failure('notQueryable', 'Filter[0].field "secretKey" cannot be queried'),
      });
    }
  });

  it('are found by settings, by what is computed, and by their guid in any case', async () => {
    expect(await find('CompanyWebhooks', { op: 'EQ', field: 'isactive', value: 'false' })).toEqual([2]);
    expect(await find('CompanyWebhooks', { op: 'eq', field: 'isReady', value: true })).toEqual([1]);
    expect(await find('CompanyWebhooks', { op: 'contains', field: 'name', value: 'OTH' })).toEqual([2]);
    const { items } = pageOf(await post('/CompanyWebhooks/query', {}));
    const value = String(items[1]?.['webhookGUID']).toUpperCase();
    expect(await find('CompanyWebhooks', { op: 'eq', field: 'webhookGUID', value })).toEqual([2]);
  });

  it('that were deleted are not found, nor are their children', async () => {
    expect(await find('CompanyWebhookFields', { op: 'eq', field: 'webhookID', value: '1' })).toEqual([1]);
    await api.call('DELETE', '/CompanyWebhooks/1', { as: tenant.admin });
    expect(await find('CompanyWebhooks')).toEqual([2]);
    expect(await find('CompanyWebhookFields')).toEqual([]);
    await expect(post('/CompanyWebhooks/1/Fields/query', {})).resolves.toMatchObject({ status: 404 });
  });
});

describe('error logs', () => {
  it('of others are left out of everything, except for an admin', async () => {
    const { integrator, source, admin, id } = tenant;
    const mine = await insertErrorLog(api, id, integrator.resourceId);
    const theirs = await insertErrorLog(api, id, source.resourceId, 'Contact');
    const stranger = await makeCredential(api.database, id, source.resourceId, 'integrator');
    const seenBy = async (as: typeof admin, headers = {}) => {
      const page = await api.call('GET', '/WebhookEventErrorLogs', { as, headers });
      const body = { Filter: [{ op: 'in', field: 'id', value: [mine, theirs] }] };
      const count = await api.call('POST', '/WebhookEventErrorLogs/query/count', { as, body, headers });
      expect(count.body).toEqual({ queryCount: idsOf(page).length });
      return idsOf(page);
    };
    expect(await seenBy(integrator)).toEqual([mine]);
    expect(await seenBy(integrator, { ImpersonationResourceId: String(source.resourceId) })).toEqual([mine]);
    expect(await seenBy(stranger)).toEqual([theirs]);
    expect(await seenBy(admin)).toEqual([mine, theirs]);
  });
});

describe('user-defined field definitions and resources', () => {
  it('are found by their fields; the values of a list can only be read', async () => {
    const list = { entityType: 'Ticket', name: 'Kind', dataType: 'list', listValues: [{ value: '1', label: 'One' }] };
    await post('/UserDefinedFieldDefinitions', list);
    await post('/UserDefinedFieldDefinitions', { entityType: 'Account', name: 'Tier', dataType: 'string' });
    expect(await find('UserDefinedFieldDefinitions', { op: 'eq', field: 'entityType', value: 'ticket' })).toEqual([1]);
    const { items } = pageOf(await post('/UserDefinedFieldDefinitions/query', { IncludeFields: ['listValues'] }));
    expect(items).toEqual([
      { id: 1, listValues: [{ value: '1', label: 'One' }] },
      { id: 2, listValues: [] },
    ]);
    const Filter = [{ op: 'exist', field: 'listValues' }];
    await expect(post('/UserDefinedFieldDefinitions/query', { Filter })).resolves.toMatchObject({
      status: 400,
      body: failure('notQueryable'),
    });
    expect(await find('Resources', { op: 'beginsWith', field: 'email', value: 'SOURCE@' })).toEqual([2]);
    expect(await find('Resources', { op: 'eq', field: 'isActive', value: true })).toEqual([1, 2, 3]);
  });
});
