import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { forThisFile } from '@callout/testing';
import { runTestApi } from '../../fixtures/run-test-api.ts';
import { makeTenant } from '../../fixtures/test-tenant.ts';
import { rest, soapClient, type ClientResponse } from '../soap-client.fixture.ts';

const api = runTestApi();
const tenant = forThisFile(
  () => makeTenant(api.database),
  async () => undefined,
);

const company = (name: string, change: object = {}) => ({
  companyName: name,
  companyType: 1,
  ownerResourceID: 1,
  phone: '1',
  ...change,
});

const namesOf = ({ entities }: ClientResponse) => entities.map((one) => one['AccountName']);

describe('query', () => {
  it('finds what its conditions say, and nothing of another tenant', async () => {
    for (const [name, city] of [
      ['Acme', 'Bern'],
      ['Beta', 'Bern'],
      ['Gamma', 'Rome'],
      ['Élan', null],
    ] as const) {
      await rest(api, 'POST', '/Companies', tenant.admin, company(name, { city }));
    }
    const client = await soapClient(api, tenant.integrator);
    const find = (conditions: string) => client.query('account', conditions);
    const one = (field: string, op: string, value = '') =>
      `<field>${field}<expression op="${op}">${value}</expression></field>`;
    expect(namesOf(await find(''))).toEqual(['Acme', 'Beta', 'Gamma', 'Élan']);
    expect(namesOf(await find(one('City', 'equals', 'bern')))).toEqual(['Acme', 'Beta']);
    expect(
      namesOf(
        await find(
          `${one('accountname', 'equals', 'Acme')}<condition operator="OR">${one('City', 'equals', 'Rome')}</condition>`,
        ),
      ),
    ).toEqual(['Acme', 'Gamma']);
    expect(namesOf(await find(one('City', 'isnull')))).toEqual(['Élan']);
    expect(namesOf(await find(one('AccountName', 'in', 'beta,ÉLAN')))).toEqual(['Beta', 'Élan']);
    expect(namesOf(await find(one('AccountName', 'like', '%m%')))).toEqual(['Acme', 'Gamma']);
    expect(namesOf(await find(one('CreateDate', 'isthisday', new Date().toISOString())))).toHaveLength(4);
    expect(namesOf(await find(one('CreateDate', 'greaterthan', '2099-01-01')))).toEqual([]);
    const stranger = await soapClient(api, (await makeTenant(api.database)).integrator);
    await expect(stranger.query('Account')).resolves.toMatchObject({ returnCode: 1, entities: [] });
  });

  it('answers with an error where long entities end a page before the 500th, so that nobody takes it for the last', async () => {
    const own = await makeTenant(api.database);
    for (let nth = 1; nth <= 30; nth += 1) await rest(api, 'POST', '/Companies', own.admin, company(`Long ${nth}`));
    await api.database.pool.query(
      "UPDATE records SET fields = fields || jsonb_build_object('city', repeat('x', 300000)) WHERE tenant_id = $1",
      [own.id],
    );
    const client = await soapClient(api, own.integrator);
    const first = await client.query('Account');
    expect([first.returnCode, first.entities.length]).toEqual([-1, 28]);
    expect(first.errors).toEqual([expect.stringMatching(/the first 28 .* id greaterthan 28$/)]);
    const others = await client.query('Account', '<field>id<expression op="greaterthan">28</expression></field>');
    expect([others.returnCode, others.entities.length]).toEqual([1, 2]);
  });

  it('shows times with an offset, and leaves empty fields out', async () => {
    const client = await soapClient(api, tenant.integrator);
    const [first] = (await client.query('Account')).entities;
    expect(first?.['CreateDate']).toBeInstanceOf(Date);
    expect(first).not.toHaveProperty('Address1');
    expect(first).toMatchObject({ AccountType: 1, Phone: '1', OwnerResourceID: 1 });
  });

  it('has the refusals of REST in its errors', async () => {
    const client = await soapClient(api, tenant.integrator);
    const errorsOf = async (entity: string, conditions: string) => {
      const { returnCode, errors } = await client.query(entity, conditions);
      expect(returnCode).toBe(-1);
      return errors.join(' ');
    };
    const one = (field: string, value: string) =>
      `<field>${field}<expression op="equals">${value}</expression></field>`;
    expect(await errorsOf('Account', one('Fish', '1'))).toContain('"Fish"');
    expect(await errorsOf('Account', one('AccountType', 'x'))).toContain('AccountType');
    expect(await errorsOf('AccountWebhook', one('SecretKey', 'x'))).toContain('SecretKey');
    expect(await errorsOf('Account', '<field udf="true">Fish<expression op="isnull"/></field>')).toContain('"Fish"');
    expect(await errorsOf('Invoice', '')).toBe('"Invoice" is no entity of this API.');
    expect(await errorsOf('UserDefinedFieldDefinition', '')).toContain(
      'may not POST /UserDefinedFieldDefinitions/query',
    );
    await expect(client.call('query', { sXML: '' })).resolves.toMatchObject({ ReturnCode: -1 });
    await expect(client.call('query', { sXML: '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>' })).resolves.toMatchObject({
      ReturnCode: -1,
    });
  });

  it('has 500 at most, and goes on after the last id', async () => {
    const other = await makeTenant(api.database);
    await api.database.prisma.webhookEventErrorLog.createMany({
      data: Array.from({ length: 520 }, (_, n) => ({
        id: Date.now() * 1000 + n,
        tenantId: other.id,
        ownerResourceId: other.integrator.resourceId,
        entityType: 'Account',
        webhookId: 1,
        webhookGuid: randomUUID(),
        sequenceNumber: n,
        createdAt: new Date(),
        errorMessage: '500 <again> & "again"',
        payload: '{}',
      })),
    });
    const client = await soapClient(api, other.integrator);
    const sizes: number[] = [];
    const found = new Set<unknown>();
    let last = 0;
    for (;;) {
      const { entities } = await client.query(
        'WebhookEventErrorLog',
        `<field>id<expression op="greaterthan">${last}</expression></field>`,
      );
      sizes.push(entities.length);
      for (const one of entities) found.add(one['SequenceNumber']);
      if (entities.length < 500) break;
      last = entities.at(-1)?.id ?? Infinity;
    }
    expect([sizes, found.size]).toEqual([[500, 20], 520]);
  });
});
