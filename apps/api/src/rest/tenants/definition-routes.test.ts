import { describe, expect, it } from '@jest/globals';
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

describe('defining a user-defined field', () => {
  it('responds with the next id; the default label is the name', async () => {
    await expect(define({ dataType: 'String' })).resolves.toMatchObject({
      status: 200,
      body: { itemId: 1 },
    });
    await expect(define({ name: 'Level', label: 'Stufe Ä', entityType: 'contact' })).resolves.toMatchObject({
      body: { itemId: 2 },
    });
    expect(await read()).toEqual({
      id: 1,
      entityType: 'Account',
      name: 'Tier',
      label: 'Tier',
      dataType: 'string',
      listValues: [],
    });
    expect(await read(2)).toMatchObject({ entityType: 'Contact', name: 'Level', label: 'Stufe Ä' });
  });

  it.each(['string', 'integer', 'decimal', 'datetime', 'boolean'])('accepts the data type %s', async (dataType) => {
    await expect(define({ dataType })).resolves.toMatchObject({ status: 200 });
    expect(await read()).toMatchObject({ dataType });
  });

  it('accepts a list with its values', async () => {
    const listValues = [
      { VALUE: '1', Label: 'Gold' },
      { value: 20, label: 'Silver' },
    ];
    await expect(define({ dataType: 'list', listValues })).resolves.toMatchObject({ status: 200 });
    expect(await read()).toMatchObject({
      dataType: 'list',
      listValues: [
        { value: '1', label: 'Gold' },
        { value: '20', label: 'Silver' },
      ],
    });
  });

  it.each([
    ['no entity', { entityType: null }, 'entityType'],
    ['an entity that is none', { entityType: 'Gadget' }, 'entityType'],
    ['an entity without user-defined fields', { entityType: 'TicketNote' }, 'entityType'],
    ['no name', { name: null }, 'name'],
    ['a name of blanks', { name: '  ' }, 'name'],
    ['a name that is too long', { name: 'x'.repeat(256) }, 'name'],
    ['a label that is too long', { label: 'x'.repeat(256) }, 'label'],
    ['a data type that is none', { dataType: 'money' }, 'dataType'],
    ['a data type for fields only', { dataType: 'long' }, 'dataType'],
    ['a list without values', { dataType: 'list' }, 'listValues'],
    ['a list with no values', { dataType: 'list', listValues: [] }, 'listValues'],
    ['list values of what is no list', { listValues: [{ value: 1, label: 'x' }] }, 'listValues'],
    ['list values that are none', { dataType: 'list', listValues: 'Gold' }, 'listValues'],
    ['a list value without label', { dataType: 'list', listValues: [{ value: 1 }] }, 'listValues[0].label'],
    [
      'a list value that is no integer',
      { dataType: 'list', listValues: [{ value: 'a', label: 'x' }] },
      'listValues[0].value',
    ],
    [
      'a list value twice',
      {
        dataType: 'list',
        listValues: [
          { value: 1, label: 'x' },
          { value: '1', label: 'y' },
        ],
      },
      'listValues',
    ],
  ])('is refused with %s', async (_, change, field) => {
    const response = await define(change);
    expect(response.status).toBe(400);
    expect((response.body as { details: { field: string }[] }).details).toEqual([expect.objectContaining({ field })]);
  });

  it('accepts names and labels of 255 characters', async () => {
    await expect(define({ name: 'n'.repeat(255), label: 'l'.repeat(255) })).resolves.toMatchObject({ status: 200 });
  });

  it.each([
    ['name', { name: 'TIER', label: 'other' }],
    ['label', { name: 'other', label: 'tIER' }],
    ['name', { name: 'companyNAME', label: 'other' }],
    ['label', { name: 'other', label: 'PostalCode' }],
  ])('is 409 when the %s is taken: %j', async (field, change) => {
    await define();
    await expect(define(change)).resolves.toMatchObject({
      status: 409,
      body: { details: [{ code: 'duplicate', field }] },
    });
    await expect(define({ ...change, entityType: 'Ticket', name: 'T', label: 'T' })).resolves.toMatchObject({
      status: 200,
      body: { itemId: 2 },
    });
  });

  it("may have a label that is another one's name, and then the name wins", async () => {
    await define({ name: 'Level', label: 'Tier' });
    await expect(define({ name: 'Tier', label: 'Rank' })).resolves.toMatchObject({ status: 200 });
    await call('POST', '/CompanyWebhooks', webhookBody({ udfFields: [{ udfField: 'tier' }] }));
    expect((await call('GET', '/CompanyWebhooks/1/UdfFields')).body).toMatchObject({ items: [{ udfFieldID: 2 }] });
  });

  it('accepts 500 list values, from 0', async () => {
    const values = (count: number) => Array.from({ length: count }, (_, value) => ({ value, label: 'x' }));
    await expect(define({ dataType: 'list', listValues: values(501) })).resolves.toMatchObject({ status: 400 });
    await expect(define({ dataType: 'list', listValues: values(500) })).resolves.toMatchObject({ status: 200 });
  });

  it('folds case beyond ASCII', async () => {
    await define({ name: 'Größe' });
    await expect(define({ name: 'GRÖßE', label: 'other' })).resolves.toMatchObject({ status: 409 });
    await define({ name: 'ΟΔΟΣ' });
    for (const name of ['οδος', 'οδοσ']) await expect(define({ name })).resolves.toMatchObject({ status: 409 });
  });

  it('succeeds for one of many that want the same name at once, without a gap in the ids', async () => {
    const responses = await Promise.all([
      ...Array.from({ length: 5 }, () => define()),
      ...Array.from({ length: 5 }, (_, n) => define({ name: `Tier ${n}` })),
    ]);
    expect(responses.filter((response) => response.status === 409)).toHaveLength(4);
    await expect(define({ name: 'last' })).resolves.toMatchObject({ body: { itemId: 7 } });
  });
});

describe('the definitions of an entity', () => {
  const fill = (count: number, valuesOfEach: number) =>
    api.database.pool.query(
      `INSERT INTO udf_definitions (tenant_id, id, entity_type, name, name_folded, label, label_folded, data_type, list_values)
       SELECT $1, 1000 + n, 'Account', 'f' || n, 'f' || n, 'f' || n, 'f' || n, 'list',
         (SELECT json_agg(json_build_object('value', v::text, 'label', 'v' || v)) FROM generate_series(1, $3) AS v)
       FROM generate_series(1, $2) AS n`,
      [tenant.id, count, valuesOfEach],
    );

  it('are 300 at most, counted for each entity and tenant', async () => {
    await fill(299, 1);
    await expect(define()).resolves.toMatchObject({ status: 200, body: { itemId: 1 } });
    await expect(define({ name: 'Region' })).resolves.toMatchObject({
      status: 409,
      body: failure('conflict', 'Account may have 300 user-defined fields: delete some first'),
    });
    await expect(define({ name: 'Region', entityType: 'Ticket' })).resolves.toMatchObject({ body: { itemId: 2 } });
    await call('PATCH', `${PATH}/1`, { name: 'Level' });
    await call('DELETE', `${PATH}/1001`);
    await expect(define({ name: 'Region' })).resolves.toMatchObject({ body: { itemId: 3 } });
  });

  it('have 3000 list values at most', async () => {
    await fill(6, 499);
    const list = (count: number) => Array.from({ length: count }, (_, nth) => ({ value: nth, label: `v${nth}` }));
    const tooMany = { status: 409, body: failure('conflict', expect.stringContaining('may have 3000 list values')) };
    await expect(define({ dataType: 'list', listValues: list(7) })).resolves.toMatchObject(tooMany);
    await expect(define({ dataType: 'list', listValues: list(6) })).resolves.toMatchObject({ body: { itemId: 1 } });
    await expect(call('PATCH', `${PATH}/1`, { listValues: list(7) })).resolves.toMatchObject(tooMany);
    await expect(call('PATCH', `${PATH}/1`, { listValues: list(5) })).resolves.toMatchObject({ status: 200 });
    await expect(call('PATCH', `${PATH}/1`, { listValues: list(6) })).resolves.toMatchObject({ status: 200 });
  });
});
