import { describe, expect, it } from '@jest/globals';
import { forThisFile } from '@callout/testing';
import { runTestApi } from '../../fixtures/run-test-api.ts';
import { makeTenant } from '../../fixtures/test-tenant.ts';
import { webhookBody } from '../../fixtures/webhook-body.ts';
import { ATWS } from '../xml/xml-element.ts';
import { message, post, rest, soapClient } from '../soap-client.fixture.ts';

const api = runTestApi();
const tenant = forThisFile(
  () => makeTenant(api.database),
  async () => undefined,
);

const webhook = (change: object = {}) => ({
  Active: false,
  Name: 'crm.Company.Update',
  WebhookUrl: 'http://127.0.0.1:9999/in',
  DeactivationUrl: 'http://127.0.0.1:9999/off',
  SecretKey: 'a shared secret',
  IsSubscribedToUpdateEvents: true,
  ...change,
});

async function makeWebhook(change: Record<string, unknown> = {}): Promise<number> {
  const { body } = await rest(api, 'POST', '/CompanyWebhooks', tenant.integrator, webhookBody(change));
  return (body as { itemId: number }).itemId;
}

describe('a call of many', () => {
  it('is written one by one: what is wrong with one keeps none of the others away', async () => {
    const client = await soapClient(api, tenant.integrator);
    const { returnCode, entities, errors, infos, entityType } = await client.write(
      'create',
      ['AccountWebhook', webhook({ Name: 'first' })],
      ['AccountWebhook', webhook({ Name: 'x'.repeat(51) })],
      ['Invoice', {}],
      ['TicketWebhook', webhook({ Name: 'fourth' })],
      ['AccountWebhook', { Active: true }],
    );
    expect([returnCode, entityType]).toEqual([-1, 'accountwebhook']);
    expect(entities.map((one) => [one['Name'], one['Active'], one['SecretKey']])).toEqual([
      ['first', false, '********'],
      ['fourth', false, '********'],
    ]);
    expect(infos).toMatchObject([{ DatabaseAction: 'Created' }, { DatabaseAction: 'Created' }]);
    const byRest = await rest(api, 'POST', '/CompanyWebhooks', tenant.integrator, { isActive: true });
    expect(errors).toEqual([
      'Error creating entity for record number [2]: Name must be 50 characters or fewer',
      'Error creating entity for record number [3]: Invoice is no entity of this API.',
      ...(byRest.body as { errors: string[] }).errors.map((sentence) => {
        const renamed = sentence.charAt(0).toUpperCase() + sentence.slice(1);
        return `Error creating entity for record number [5]: ${renamed}`;
      }),
    ]);
    expect(errors.join(' ')).toContain('WebhookUrl');
  });

  it('can have 200 entities, and no more', async () => {
    const client = await soapClient(api, tenant.integrator);
    const many = (count: number) =>
      Array.from({ length: count }, (_, n): [string, object] => ['AccountWebhook', webhook({ Name: `n${n}` })]);
    await expect(client.write('create', ...many(201))).resolves.toMatchObject({
      returnCode: -1,
      errors: ['A call takes 200 entities at most; this one has 201.'],
      entities: [],
    });
    // Each gets a response; most need no place in the database for it.
    const unnamed = many(199).map(([name, fields]): [string, object] => [name, { ...fields, Name: '' }]);
    const { entities, errors } = await client.write('create', ...unnamed, [
      'AccountWebhook',
      webhook({ Name: 'last' }),
    ]);
    expect([errors.length, entities.length]).toEqual([199, 1]);
    expect(errors.at(-1)).toMatch(/^Error creating entity for record number \[199\]: /u);
  });

  it('must have one', async () => {
    const client = await soapClient(api, tenant.integrator);
    await expect(client.call('create', {})).resolves.toMatchObject({ ReturnCode: -1 });
  });

  it('counts each entity as a request of the hour', async () => {
    const other = await makeTenant(api.database);
    await api.database.prisma.tenant.update({ where: { id: other.id }, data: { apiRequestsPerHour: 2 } });
    const client = await soapClient(api, other.integrator);
    const one: [string, object] = ['AccountWebhook', webhook()];
    const { entities, errors } = await client.write('create', one, one, one);
    expect([entities.length, errors]).toEqual([
      2,
      [expect.stringMatching(/record number \[3\]: The limit of this tenant, 2 requests/u)],
    ]);
  });
});

describe('an entity of a call', () => {
  it('says what the caller may not have meant', async () => {
    const client = await soapClient(api, tenant.integrator);
    const { infos, returnCode } = await client.write('create', ['AccountWebhook', webhook({ Fish: 1 })]);
    expect([returnCode, infos]).toEqual([
      1,
      [expect.objectContaining({ Message: expect.stringMatching(/Fish.*set Active to true/su) })],
    ]);
  });

  it('changes what it names, empties what is nil, and keeps a masked secret', async () => {
    const id = await makeWebhook({ notificationEmailAddress: 'jo@example.com' });
    const call = (fields: string) =>
      `<update xmlns="${ATWS}"><Entities><Entity xsi:type="AccountWebhook"><Fields/><id> ${id} </id><UserDefinedFields/>${fields}</Entity></Entities></update>`;
    const update = (fields: string) =>
      post(api, message(call(fields), tenant.integrator.apiIntegrationCode), { as: tenant.integrator });
    await expect(
      update('<Name>a<!-- no -->b<![CDATA[<c>]]></Name><SecretKey>********</SecretKey>'),
    ).resolves.toMatchObject({ status: 200 });
    await expect(rest(api, 'GET', `/CompanyWebhooks/${id}`, tenant.integrator)).resolves.toMatchObject({
      item: { name: 'ab<c>', isActive: true, notificationEmailAddress: 'jo@example.com' },
    });
    await update('<NotificationEmailAddress xsi:nil="true"/><Active> 0 </Active>');
    await expect(rest(api, 'GET', `/CompanyWebhooks/${id}`, tenant.integrator)).resolves.toMatchObject({
      item: { name: 'ab<c>', isActive: false, notificationEmailAddress: null },
    });
    const twice = await update('<Name>a</Name><Name>b</Name>');
    expect(twice.text).toContain('Error updating entity for record number [1]: Name is given twice.');
    expect((await update('<Name><b/></Name>')).text).toContain(
      'Error updating entity for record number [1]: Name must be a value.',
    );
  });

  it('is found under its webhook, and stays there', async () => {
    const [one, other] = [await makeWebhook({ isActive: false }), await makeWebhook({ isActive: false })];
    const client = await soapClient(api, tenant.integrator);
    const { entities } = await client.write('create', [
      'AccountWebhookField',
      { WebhookID: one, FieldID: 2, IsSubscribedField: true },
    ]);
    const id = entities[0]?.id ?? 0;
    const moved = await client.write('update', [
      'AccountWebhookField',
      { id, WebhookID: other, IsSubscribedField: false },
    ]);
    expect(moved.errors).toEqual([
      expect.stringMatching(/^Error updating entity for record number \[1\]: WebhookID [^[\]]*$/u),
    ]);
    const kept = await client.write('update', [
      'AccountWebhookField',
      { id, WebhookID: one, FieldID: 2, IsDisplayAlwaysField: true },
    ]);
    expect(kept).toMatchObject({ returnCode: 1, entities: [{ IsSubscribedField: true, IsDisplayAlwaysField: true }] });
  });

  it.each([
    ['update', 'AccountWebhook', {}, 'id is required: that of the AccountWebhook.'],
    ['update', 'AccountWebhook', { id: -1 }, 'id must be a whole number above 0.'],
    ['update', 'AccountWebhook', { id: 999_999 }, '404: No matching records found'],
    ['update', 'AccountWebhookField', { id: 999_999 }, '404: No matching records found'],
    ['update', 'AccountWebhookExcludedResource', { id: 1 }, 'AccountWebhookExcludedResource cannot be changed here.'],
    ['delete', 'AccountWebhook', { id: 999_999 }, '404: No matching records found'],
    ['create', 'WebhookEventErrorLog', {}, 'WebhookEventErrorLog cannot be created here.'],
    ['create', 'Account', { AccountName: 'x' }, 'Account cannot be created here.'],
    ['update', 'Ticket', { id: 1 }, 'Ticket cannot be changed here.'],
    ['delete', 'Resource', { id: 1 }, 'Resource cannot be deleted here.'],
  ] as const)('that cannot be written (%s of %s %j) says why', async (operation, type, fields, sentence) => {
    const client = await soapClient(api, tenant.admin);
    const { returnCode, errors } = await client.write(operation, [type, fields]);
    const doing = { create: 'creating', update: 'updating', delete: 'deleting' }[operation];
    expect([returnCode, errors]).toEqual([-1, [`Error ${doing} entity for record number [1]: ${sentence}`]]);
  });

  it('is for roles that may write it, and not for another tenant', async () => {
    const source = await soapClient(api, tenant.source);
    const refused = await source.write('create', ['AccountWebhook', webhook()]);
    expect(refused.errors).toEqual([
      expect.stringContaining('A credential with the role source may not create AccountWebhook'),
    ]);
    const id = await makeWebhook();
    const stranger = await soapClient(api, (await makeTenant(api.database)).admin);
    for (const operation of ['update', 'delete'] as const) {
      const { errors } = await stranger.write(operation, ['AccountWebhook', { id, Name: 'mine' }]);
      expect(errors).toEqual([expect.stringContaining('record number [1]: 404: No matching records found')]);
    }
  });
});
