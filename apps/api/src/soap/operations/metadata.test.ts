import { describe, expect, it } from '@jest/globals';
import { forThisFile } from '@callout/testing';
import { runTestApi } from '../../fixtures/run-test-api.ts';
import type { TestCredential } from '../../fixtures/test-tenant.ts';
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
  const response = (await client.call(operation, parameters)) as { Field?: ClientField[] } | null;
  return response?.Field ?? [];
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

  it('has labels of words, abbreviations kept', async () => {
    const labels = async (entity: string) =>
      Object.fromEntries(
        (await fields('GetFieldInfo', { psObjectType: entity })).map((one) => [one.Name, one['Label']]),
      );
    await expect(labels('AccountWebhookField')).resolves.toMatchObject({
      FieldID: 'Field ID',
      WebhookID: 'Webhook ID',
    });
    await expect(labels('Account')).resolves.toMatchObject({ SICCode: 'SIC Code', Address1: 'Address1', id: 'ID' });
    await expect(labels('Contact')).resolves.toMatchObject({ EMailAddress: 'EMail Address' });
  });

  it('requires what the live API requires', async () => {
    const required = async (entity: string, ...names: string[]) => {
      const described = await fields('GetFieldInfo', { psObjectType: entity });
      return names.map((name) => described.find(({ Name }) => Name === name)?.['IsRequired']);
    };
    const ofWebhook = ['Active', 'SendThresholdExceededNotification'];
    await expect(required('InstalledProductWebhook', ...ofWebhook)).resolves.toEqual([false, false]);
    await expect(required('AccountWebhook', ...ofWebhook)).resolves.toEqual([true, true]);
    const ofField = ['IsSubscribedField', 'IsDisplayAlwaysField'];
    await expect(required('InstalledProductWebhookField', ...ofField)).resolves.toEqual([true, true]);
  });

  it('says which fields webhooks can subscribe to', async () => {
    const described = await fields('GetFieldInfo', { psObjectType: 'Account' });
    const supported = described.map(({ Name, IsSupportedWebhookField }) => [Name, IsSupportedWebhookField]);
    expect(supported).toEqual(
      expect.arrayContaining([
        ['id', false],
        ['AccountName', true],
      ]),
    );
  });

  it('also reads a parameter that is nested in an element of its own name', async () => {
    const plain = await fields('GetFieldInfo', { psObjectType: 'Account' });
    await expect(fields('GetFieldInfo', { psObjectType: { psObjectType: 'Account' } })).resolves.toEqual(plain);
    const udfs = await fields('getUDFInfo', { psTable: { psTable: ' Account ' } });
    expect(udfs.map(({ Name }) => Name)).toEqual(['Tier']);
  });

  it('of an unknown entity is a fault', async () => {
    await expect(fields('GetFieldInfo', { psObjectType: 'Invoice' })).rejects.toThrow('"Invoice" is no entity');
  });
});

describe('getUDFInfo', () => {
  it('describes the user-defined fields of an entity', async () => {
    await expect(fields('getUDFInfo', { psTable: 'Account' })).resolves.toMatchObject([
      { Name: 'Tier', Type: 'string', DefaultValue: expect.anything() },
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
      Resource: { SupportsWebhookCallouts: false },
      Account: {
        SupportsWebhookCallouts: true,
        CanCreate: false,
        CanUpdate: false,
        CanDelete: false,
        CanQuery: true,
        HasUserDefinedFields: true,
      },
    });
  });
});

describe('getEntityInfo', () => {
  it('says what of it the caller may do', async () => {
    const infosOf = async (as: TestCredential) => {
      const client = await soapClient(api, as);
      const { EntityInfo } = (await client.call('getEntityInfo')) as { EntityInfo: readonly Info[] };
      const accessOf = (info: Info) =>
        ['Create', 'Query', 'Update', 'Delete'].map((what) => info[`UserAccessFor${what}`]);
      return Object.fromEntries(EntityInfo.map((info) => [info.Name, accessOf(info)]));
    };
    type Info = Readonly<Record<string, unknown>> & { readonly Name: string };
    await expect(infosOf(tenant.integrator)).resolves.toMatchObject({
      AccountWebhook: ['All', 'All', 'All', 'All'],
      AccountWebhookField: ['All', 'All', 'All', 'All'],
      AccountWebhookExcludedResource: ['All', 'All', 'None', 'All'],
      WebhookEventErrorLog: ['None', 'Restricted', 'None', 'Restricted'],
      Account: ['None', 'All', 'None', 'None'],
    });
    await expect(infosOf(tenant.source)).resolves.toMatchObject({
      AccountWebhook: ['None', 'None', 'None', 'None'],
      AccountWebhookField: ['None', 'None', 'None', 'None'],
    });
  });
});

describe('getThresholdAndUsageInfo', () => {
  it('says in a sentence how many requests were made', async () => {
    const client = await soapClient(api, tenant.integrator);
    const response = (await client.call('getThresholdAndUsageInfo')) as {
      EntityReturnInfoResults: { EntityReturnInfo: readonly { Message: string }[] };
    };
    const [info] = response.EntityReturnInfoResults.EntityReturnInfo;
    expect(info?.Message).toMatch(
      /^ThresholdOfExternalRequest: 10000; TimeframeOfLimitation: 60; numberOfExternalRequest: \d+;$/u,
    );
    expect(response).toMatchObject({ ReturnCode: 1 });
  });
});
