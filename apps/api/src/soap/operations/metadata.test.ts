import { describe, expect, it } from '@jest/globals';
import { forThisFile } from '@callout/testing';
import { runTestApi } from '../../fixtures/run-test-api.ts';
import { makeWholeTenant } from '../../fixtures/whole-tenant.ts';
import { createSoapEntities } from '../entities/soap-entities.ts';
import { soapClient } from '../soap-client.fixture.ts';

const api = runTestApi();
const tenant = forThisFile(
  () => makeWholeTenant(api),
  async () => undefined,
);

interface ClientField {
  readonly Name: string;
  readonly [key: string]: unknown;
}

async function fields(operation: string, parameters: object): Promise<readonly ClientField[]> {
  const client = await soapClient(api, tenant.integrator);
  const answer = (await client.call(operation, parameters)) as { Field?: ClientField[] } | null;
  return answer?.Field ?? [];
}

describe('GetFieldInfo', () => {
  it('describes the fields that the description has, of every entity', async () => {
    for (const entity of createSoapEntities(api.catalogue).all) {
      const described = await fields('GetFieldInfo', { psObjectType: entity.name });
      expect([entity.name, described.map(({ Name }) => Name).toSorted()]).toEqual([
        entity.name,
        entity.fields.map(({ soapName }) => soapName).toSorted(),
      ]);
    }
  });

  it('says what REST says', async () => {
    const [active] = (await fields('GetFieldInfo', { psObjectType: 'accountwebhook' })).filter(
      ({ Name }) => Name === 'Active',
    );
    expect(active).toMatchObject({
      Label: 'Active',
      Type: 'boolean',
      IsRequired: true,
      IsReadOnly: false,
      IsPickList: false,
    });
    const named = (list: readonly ClientField[], name: string) => list.find(({ Name }) => Name === name);
    const ofField = await fields('GetFieldInfo', { psObjectType: 'AccountWebhookField' });
    expect(named(ofField, 'WebhookID')).toMatchObject({ IsReference: true, ReferenceEntityType: 'AccountWebhook' });
    expect(named(ofField, 'FieldID')?.['PicklistValues']).toMatchObject({
      PickListValue: expect.arrayContaining([
        expect.objectContaining({ Value: '2', Label: 'CompanyName', IsActive: true }),
      ]),
    });
    const ofTicket = await fields('GetFieldInfo', { psObjectType: 'Ticket' });
    expect(named(ofTicket, 'AccountID')).toMatchObject({ IsReference: true, ReferenceEntityType: 'Account' });
  });

  it('of an unknown entity is a fault', async () => {
    await expect(fields('GetFieldInfo', { psObjectType: 'Invoice' })).rejects.toThrow('"Invoice" is no entity');
  });
});

describe('getUDFInfo', () => {
  it('describes the user-defined fields of an entity', async () => {
    await expect(fields('getUDFInfo', { psTable: 'Account' })).resolves.toMatchObject([
      { Name: 'Tier', Type: 'string' },
    ]);
    await expect(fields('getUDFInfo', { psTable: 'AccountWebhook' })).resolves.toEqual([]);
  });
});

describe('getEntityInfo', () => {
  it('says what can be done with each entity', async () => {
    const client = await soapClient(api, tenant.integrator);
    const { EntityInfo } = (await client.call('getEntityInfo')) as { EntityInfo: readonly { Name: string }[] };
    const infos = Object.fromEntries(EntityInfo.map((info) => [info.Name, info]));
    expect(EntityInfo).toHaveLength(27);
    const all = { CanCreate: true, CanUpdate: true, CanDelete: true, CanQuery: true };
    expect(infos).toMatchObject({
      AccountWebhook: { ...all, HasUserDefinedFields: false },
      TicketWebhookUdfField: all,
      AccountWebhookExcludedResource: { ...all, CanUpdate: false },
      WebhookEventErrorLog: { ...all, CanCreate: false, CanUpdate: false },
      Account: { CanCreate: false, CanUpdate: false, CanDelete: false, CanQuery: true, HasUserDefinedFields: true },
    });
  });
});

describe('getThresholdAndUsageInfo', () => {
  it('says in a sentence how many requests were made', async () => {
    const client = await soapClient(api, tenant.integrator);
    const answer = (await client.call('getThresholdAndUsageInfo')) as {
      EntityReturnInfoResults: { EntityReturnInfo: readonly { Message: string }[] };
    };
    const [info] = answer.EntityReturnInfoResults.EntityReturnInfo;
    expect(info?.Message).toMatch(
      /^ThresholdOfExternalRequest: 10000; TimeframeOfLimitation: 60; numberOfExternalRequest: \d+;$/u,
    );
    expect(answer).toMatchObject({ ReturnCode: 1 });
  });
});
