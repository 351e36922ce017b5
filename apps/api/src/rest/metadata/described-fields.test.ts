import { beforeAll, describe, expect, it } from '@jest/globals';
import type { PicklistValue } from '@callout/domain/catalogue/catalogue';
import type { FieldMetadata } from '@callout/domain/metadata/field-metadata';
import { runTestApi } from '../../fixtures/run-test-api.ts';
import type { TestCredential } from '../../fixtures/test-tenant.ts';
import { makeWholeTenant, type WholeTenant } from '../../fixtures/whole-tenant.ts';
import { describedFields, fieldKeys } from './described.fixture.ts';

const api = runTestApi();
let tenant: WholeTenant;

beforeAll(async () => {
  tenant = await makeWholeTenant(api);
  await define({ name: 'size', label: 'Größe', dataType: 'list', listValues: [{ value: 3, label: 'L' }] });
});

async function define(body: object): Promise<void> {
  await api.call('POST', '/UserDefinedFieldDefinitions', {
    as: tenant.admin,
    body: { entityType: 'Account', ...body },
  });
}

const get = async (path: string, method = 'GET') => (await api.call(method, path, { as: tenant.integrator })).body;
const fieldsOf = (path: string) => describedFields(api, tenant.integrator, path);

async function fieldOf(path: string, name: string): Promise<FieldMetadata | undefined> {
  return (await fieldsOf(path)).find((field) => field.name === name);
}

const picklistKeys = ['value', 'label', 'isDefaultValue', 'sortOrder', 'parentValue', 'isActive', 'isSystem'];

describe('metadata of records', () => {
  it('is what the catalogue says, with the number of each field', async () => {
    for (const entity of api.catalogue.watched) {
      const fields = await fieldsOf(`/${entity.collection}`);
      const columns = [
        'fieldID',
        'name',
        'dataType',
        'length',
        'isRequired',
        'isReadOnly',
        'isSupportedWebhookField',
      ] as const;
      const rowOf = (field: Pick<FieldMetadata, (typeof columns)[number]>) => columns.map((column) => field[column]);
      expect(fields.map(rowOf)).toEqual(entity.fields.map(rowOf));
    }
    expect(await get('/Companies/entityInformation')).toMatchObject({
      info: {
        name: 'Company',
        hasUserDefinedFields: true,
        supportsWebhookCallouts: true,
        canCreate: true,
        canUpdate: true,
      },
    });
    expect(await get('/TicketNotes/entityInformation')).toMatchObject({ info: { hasUserDefinedFields: false } });
    expect(await fieldOf('/Companies', 'ownerResourceID')).toMatchObject({
      description: 'The resource that is responsible for the company.',
      fieldID: 7,
      isReference: true,
      referenceEntityType: 'Resource',
    });
    expect(await fieldOf('/Companies', 'companyType')).toMatchObject({
      isPickList: true,
      picklistValues: expect.arrayContaining([expect.objectContaining({ value: '1', label: 'Customer' })]),
      defaultValue: '',
    });
    expect(await fieldOf('/Companies', 'isActive')).toMatchObject({ defaultValue: 'true' });
    expect(await fieldOf('/Tickets', 'ticketNumber')).toMatchObject({ defaultValue: 'TYYYYMMDD.NNNN' });
  });

  it.each([
    ['string', 'string'],
    ['integer', 'integer'],
    ['decimal', 'double'],
    ['datetime', 'datetime'],
    ['boolean', 'boolean'],
    ['list', 'string'],
  ])('spells the type of a user-defined %s as that of a system field, %s', async (dataType, type) => {
    const name = `of ${dataType}`;
    const listValues = dataType === 'list' ? [{ value: 1, label: 'One' }] : [];
    const body = { entityType: 'Ticket', name, label: `${name}, labelled`, dataType, listValues };
    await api.call('POST', '/UserDefinedFieldDefinitions', { as: tenant.admin, body });
    const { fields } = (await get('/Tickets/entityInformation/userDefinedFields')) as { fields: { name: string }[] };
    expect(fields.find((field) => field.name === name)).toMatchObject({
      label: `${name}, labelled`,
      type,
      dataType,
      description: '',
      defaultValue: '',
      isRequired: false,
      isReadOnly: false,
      isPickList: dataType === 'list',
    });
  });

  it('lists the user-defined fields of the tenant', async () => {
    const { fields } = (await get('/Companies/entityInformation/userDefinedFields')) as { fields: FieldMetadata[] };
    expect(fields).toMatchObject([
      {
        name: 'Tier',
        dataType: 'string',
        length: 32_000,
        isPickList: false,
        isSupportedWebhookField: true,
        picklistValues: null,
      },
      {
        name: 'size',
        dataType: 'list',
        isPickList: true,
        picklistValues: [{ value: '3', label: 'L', isSystem: false }],
      },
    ]);
    const udfKeys = [...fieldKeys, 'label', 'type'];
    for (const field of fields) expect(Object.keys(field).toSorted()).toEqual(udfKeys.toSorted());
    expect(await get('/TicketNotes/entityInformation/userDefinedFields')).toEqual({ fields: [] });
    expect(await get('/CompanyWebhooks/entityInformation/userDefinedFields')).toEqual({ fields: [] });
  });
});

describe('metadata of webhooks', () => {
  it('marks what is required, read-only and not queryable', async () => {
    for (const { webhookCollection } of api.catalogue.watched) {
      const fields = await fieldsOf(`/${webhookCollection}`);
      const named = (mark: keyof FieldMetadata) =>
        fields.filter((field) => field[mark] === true).map((field) => field.name);
      expect(named('isRequired').toSorted()).toEqual([
        'deactivationUrl',
        'isActive',
        'name',
        'secretKey',
        'sendThresholdExceededNotification',
        'webhookUrl',
      ]);
      expect(named('isReadOnly').toSorted()).toEqual([
        'id',
        'isReady',
        'ownerResourceID',
        'signingKeysUrl',
        'signingPublicKey',
        'webhookGUID',
      ]);
      expect(fields.filter((field) => !field.isQueryable).map((field) => field.name)).toEqual([
        'secretKey',
        'condition',
        'requestHeaders',
        'receiverAuth',
        'caCertificate',
        'signingPublicKey',
        'signingKeysUrl',
        ...(webhookCollection === 'WebhookHealthWebhooks' ? ['alertRoutingKey'] : []),
      ]);
    }
  });

  it('shows types and lengths', async () => {
    const fields = await fieldsOf('/CompanyWebhooks');
    expect(Object.fromEntries(fields.map(({ name, dataType, length }) => [name, `${dataType} ${length}`]))).toEqual({
      id: 'long 0',
      webhookGUID: 'string 100',
      name: 'string 50',
      webhookUrl: 'string 500',
      deactivationUrl: 'string 500',
      isActive: 'boolean 0',
      isReady: 'boolean 0',
      isSubscribedToCreateEvents: 'boolean 0',
      isSubscribedToUpdateEvents: 'boolean 0',
      isSubscribedToDeleteEvents: 'boolean 0',
      notificationEmailAddress: 'string 150',
      ownerResourceID: 'integer 0',
      secretKey: 'string 64',
      sendThresholdExceededNotification: 'boolean 0',
      includePreviousValues: 'boolean 0',
      payloadFormat: 'string 0',
      mergeWhileWaiting: 'boolean 0',
      maxCallsPerSecond: 'double 0',
      maxConcurrentCalls: 'integer 0',
      condition: 'object 0',
      requestHeaders: 'array 0',
      receiverAuth: 'object 0',
      caCertificate: 'string 32768',
      signatureKind: 'string 0',
      signingPublicKey: 'string 100',
      signingKeysUrl: 'string 500',
    });
  });
});

describe('metadata of children', () => {
  it('begins, for Fields, with fieldID: the fields that webhooks support, by their names in PascalCase', async () => {
    for (const entity of api.catalogue.watched) {
      for (const path of [`/${entity.webhookSingular}Fields`, `/${entity.webhookCollection}/1/Fields`]) {
        const [first] = await fieldsOf(path);
        expect(first).toMatchObject({ name: 'fieldID', dataType: 'integer', isPickList: true, isRequired: true });
        const picklist: readonly PicklistValue[] = first?.picklistValues ?? [];
        for (const value of picklist) expect(Object.keys(value)).toEqual(picklistKeys);
        expect(picklist.map(({ value, label }) => [value, label])).toEqual(
          entity.fields
            .filter((field) => field.isSupportedWebhookField)
            .map((field) => [String(field.fieldID), field.name.charAt(0).toUpperCase() + field.name.slice(1)]),
        );
      }
    }
    const [fieldID] = await fieldsOf('/CompanyWebhookFields');
    expect(fieldID?.picklistValues?.[0]).toEqual({
      value: '2',
      label: 'CompanyName',
      isDefaultValue: false,
      sortOrder: 1,
      parentValue: '',
      isActive: true,
      isSystem: true,
    });
  });

  it('begins, for UdfFields, with udfFieldID: the labels exactly as defined, as they are now', async () => {
    await define({ name: 'later', label: 'As Defined ', dataType: 'integer' });
    const [first] = await fieldsOf('/CompanyWebhookUdfFields');
    expect(first).toMatchObject({ name: 'udfFieldID', isPickList: true, isRequired: true });
    const labels = first?.picklistValues?.map(({ label }) => label);
    expect(labels).toEqual(['Tier', 'Größe', 'As Defined ']);
  });

  it('shows whether a body must name the webhook, and the allowed operations', async () => {
    const reference = { isReference: true, referenceEntityType: 'CompanyWebhook' };
    expect(await fieldOf('/CompanyWebhookFields', 'webhookID')).toMatchObject({ ...reference, isRequired: true });
    expect(await fieldOf('/CompanyWebhooks/1/Fields', 'webhookID')).toMatchObject({ ...reference, isRequired: false });
    const infos = [
      ['/CompanyWebhooks/1/Fields', { canCreate: true, canUpdate: true, canDelete: true }],
      ['/CompanyWebhooks/1/ExcludedResources', { canCreate: true, canUpdate: false, canDelete: true }],
      ['/CompanyWebhookFields', { canCreate: true, canUpdate: false, canDelete: false }],
      ['/CompanyWebhookExcludedResources', { canCreate: true, canUpdate: false, canDelete: false }],
    ] as const;
    for (const [path, info] of infos) expect(await get(`${path}/entityInformation`)).toMatchObject({ info });
  });
});

describe('metadata of definitions of user-defined fields', () => {
  const path = '/UserDefinedFieldDefinitions';

  it('shows required keys, and the possible entities and types', async () => {
    const fields = await fieldsOf(path);
    expect(fields.map(({ name }) => name)).toEqual(['id', 'entityType', 'name', 'label', 'dataType', 'listValues']);
    expect(fields.filter((field) => field.isRequired).map(({ name }) => name)).toEqual([
      'entityType',
      'name',
      'dataType',
    ]);
    const valuesOf = (name: string) =>
      fields.find((field) => field.name === name)?.picklistValues?.map(({ value }) => value);
    const able = api.catalogue.entities.filter((entity) => entity.hasUserDefinedFields);
    expect(valuesOf('entityType')).toEqual(able.map(({ entityType }) => entityType));
    expect(valuesOf('dataType')).toEqual(['string', 'integer', 'decimal', 'datetime', 'boolean', 'list']);
    expect(fields.filter((field) => !field.isQueryable).map(({ name }) => name)).toEqual(['listValues']);
    expect(fields.filter((field) => field.isReadOnly).map(({ name }) => name)).toEqual(['id']);
  });

  it('is the same for everybody, with the rights of admins and of the others', async () => {
    const infoFor = async (as: TestCredential) => (await api.call('GET', `${path}/entityInformation`, { as })).body;
    const can = {
      name: 'UserDefinedFieldDefinition',
      canCreate: true,
      canUpdate: true,
      canDelete: true,
      canQuery: true,
    };
    expect(await infoFor(tenant.admin)).toMatchObject({
      info: { ...can, userAccessForCreate: 'All', userAccessForQuery: 'All' },
    });
    expect(await infoFor(tenant.integrator)).toMatchObject({
      info: { ...can, userAccessForCreate: 'None', userAccessForQuery: 'None' },
    });
  });
});
