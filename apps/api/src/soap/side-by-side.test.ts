import { describe, expect, it } from '@jest/globals';
import type { FieldDefinition } from '@callout/domain/catalogue/catalogue';
import { forThisFile, testCertificate } from '@callout/testing';
import { runTestApi } from '../fixtures/run-test-api.ts';
import { sendRequest } from '../fixtures/send-request.ts';
import type { TestApi } from '../fixtures/test-api.ts';
import { insertErrorLog, makeWholeTenant, supportedFieldId } from '../fixtures/whole-tenant.ts';
import { webhookBody } from '../fixtures/webhook-body.ts';
import { createSoapEntities } from './entities/soap-entities.ts';
import type { SoapEntity } from './entities/soap-entity.ts';
import { ATWS, type XmlElement } from './xml/xml-element.ts';
import {
  type ClientEntity,
  message,
  post,
  queryXml,
  rest,
  type SoapClient,
  soapClient,
} from './soap-client.fixture.ts';
import { membersOf, readStrictly } from './strict-reader.fixture.ts';
import { parseXml } from './xml/parse-xml.ts';

const api = runTestApi();
const tenant = forThisFile(
  () => makeWholeTenant(api),
  async () => undefined,
);

const idIs = (id: number) => `<field>id<expression op="equals">${id}</expression></field>`;

/** A SOAP entity under the names of REST, every value as text. */
function restNamed({ fields }: SoapEntity, entity: ClientEntity): Record<string, string> {
  const given = fields.filter(({ soapName }) => entity[soapName] !== undefined);
  return Object.fromEntries(given.map(({ soapName, restName }) => [restName, textOf(entity[soapName])]));
}

/** An item of REST without null values, every value as text. */
/** Objects and lists. */
const notInSoap: ReadonlySet<string> = new Set(['userDefinedFields', 'condition', 'requestHeaders', 'receiverAuth']);

function texts(item: Record<string, unknown>): Record<string, string> {
  const given = Object.entries(item).filter(([name, value]) => value !== null && !notInSoap.has(name));
  return Object.fromEntries(given.map(([name, value]) => [name, textOf(value)]));
}

/** The client makes dates of values with that type. */
function textOf(value: unknown): string {
  if (value instanceof Date) return value.toISOString().replace('.000Z', 'Z');
  return String(value);
}

/** The entity that has the same id by SOAP and by REST, which must be the same. */
async function sameOfBoth(client: SoapClient, entity: SoapEntity, id: number): Promise<Record<string, string>> {
  const { entities, entityType, returnCode } = await client.query(entity.name, idIs(id));
  expect([returnCode, entityType, entities.length]).toEqual([1, entity.name.toLowerCase(), 1]);
  const [found] = entities;
  const bySoap = found === undefined ? {} : restNamed(entity, found);
  const { status, item } = await rest(api, 'GET', `${entity.path}/${id}`, tenant.admin);
  expect(status).toBe(200);
  expect(bySoap).toEqual(texts(item));
  return bySoap;
}

/** The written values, by the two names of its fields: a first version, and a change. */
interface Written {
  readonly soap: object;
  readonly rest: Record<string, unknown>;
  /** Undefined: there is nothing to change. */
  readonly change:
    { readonly soap: object; readonly rest: Record<string, unknown>; readonly expected: object } | undefined;
}

function webhook(): Written {
  return {
    soap: {
      Active: true,
      Name: 'made by SOAP <&>',
      WebhookUrl: 'http://127.0.0.1:9999/in?a=1&b=2',
      DeactivationUrl: 'http://127.0.0.1:9999/off',
      SecretKey: 'a shared secret',
      IsSubscribedToCreateEvents: true,
      NotificationEmailAddress: 'jo@example.com',
      SendThresholdExceededNotification: false,
    },
    rest: webhookBody(),
    change: {
      soap: { Active: false, Name: 'changed by SOAP' },
      rest: { isActive: true, name: 'changed by REST' },
      expected: { isActive: 'false', name: 'changed by SOAP' },
    },
  };
}

function flags(soap: object, rest: Record<string, unknown>): Written {
  return {
    soap: { ...soap, IsSubscribedField: true, IsDisplayAlwaysField: false },
    rest: { ...rest, isDisplayAlwaysField: true },
    change: {
      soap: { IsDisplayAlwaysField: true },
      rest: { isSubscribedField: true },
      expected: { isSubscribedField: 'true', isDisplayAlwaysField: 'true' },
    },
  };
}

/** The creates of each entity that supports them: first by SOAP, then by REST. */
async function toWrite({ name }: SoapEntity): Promise<Written> {
  const [, entityType = '', child = ''] = /^(.*?)Webhook(.*)$/u.exec(name) ?? [];
  const entity = api.catalogue.watched.find((one) => one.entityType === entityType);
  if (entity === undefined) throw new Error(`no entity for ${name}`);
  if (child === '') return webhook();
  const make = async (path: string, body: Record<string, unknown>) => {
    const { body: answered } = await rest(api, 'POST', path, tenant.admin, body);
    return (answered as { itemId: number }).itemId;
  };
  const webhookID = await make(`/${entity.webhookCollection}`, webhookBody({ isActive: false }));
  if (child === 'Field') {
    const ids = [supportedFieldId(entity, 1), supportedFieldId(entity, 2)];
    return flags({ WebhookID: webhookID, FieldID: ids[0] }, { webhookID, fieldID: ids[1] });
  }
  if (child === 'UdfField') {
    const udf = (udfName: string) =>
      make('/UserDefinedFieldDefinitions', { entityType, name: udfName, dataType: 'string' });
    const ids = [await udf('First'), await udf('Second')];
    return flags({ WebhookID: webhookID, UdfFieldID: ids[0] }, { webhookID, udfFieldID: ids[1] });
  }
  const [one, other] = [tenant.integrator.resourceId, tenant.source.resourceId];
  return {
    soap: { WebhookID: webhookID, ResourceID: one },
    rest: { webhookID, resourceID: other },
    change: undefined,
  };
}

describe('REST and SOAP side by side', () => {
  it('read and write the same of all twenty entities of webhooks', async () => {
    const client = await soapClient(api, tenant.admin);
    const written = createSoapEntities(api.catalogue).all.filter((one) => one.isWritable);
    expect(written).toHaveLength(20);
    for (const entity of written.filter(({ name }) => name !== 'WebhookEventErrorLog')) {
      const { soap, rest: body, change } = await toWrite(entity);
      const made = await client.write('create', [entity.name, { id: 0, ...soap }]);
      expect([entity.name, made.errors, made.returnCode]).toEqual([entity.name, [], 1]);
      expect(made.infos).toMatchObject([{ DatabaseAction: 'Created' }]);
      const bySoap = made.entities[0]?.id ?? 0;
      expect(texts((await rest(api, 'GET', `${entity.path}/${bySoap}`, tenant.admin)).item)).toEqual(
        await sameOfBoth(client, entity, bySoap),
      );

      const response = await rest(api, 'POST', entity.path, tenant.admin, body);
      expect([entity.name, response.status]).toEqual([entity.name, 200]);
      const byRest = (response.body as { itemId: number }).itemId;
      const before = await sameOfBoth(client, entity, byRest);

      // Which entity a webhook or its child is of makes no difference to a change.
      if (change !== undefined && entity.name.startsWith('Account')) {
        const changed = await client.write('update', [entity.name, { id: bySoap, ...change.soap }]);
        expect([entity.name, changed.errors]).toEqual([entity.name, []]);
        await expect(sameOfBoth(client, entity, bySoap)).resolves.toMatchObject(change.expected);
        const path = entity.writePath.replace(':parentId', before['webhookID'] ?? '').replace(':id', String(byRest));
        await expect(rest(api, 'PATCH', path, tenant.admin, change.rest)).resolves.toMatchObject({ status: 200 });
        await expect(sameOfBoth(client, entity, byRest)).resolves.toMatchObject(texts(change.rest));
      }

      const path = entity.writePath.replace(':parentId', before['webhookID'] ?? '').replace(':id', String(byRest));
      await expect(rest(api, 'DELETE', path, tenant.admin)).resolves.toMatchObject({ status: 200 });
      await expect(client.query(entity.name, idIs(byRest))).resolves.toMatchObject({ returnCode: 1, entities: [] });
      await expect(client.write('delete', [entity.name, { id: bySoap }])).resolves.toMatchObject({
        returnCode: 1,
        entities: [{ id: bySoap }],
      });
      await expect(rest(api, 'GET', `${entity.path}/${bySoap}`, tenant.admin)).resolves.toMatchObject({ status: 404 });
    }

    const log = createSoapEntities(api.catalogue).byName('WebhookEventErrorLog');
    if (log === undefined) throw new Error('no error log');
    const [first, second] = [
      await insertErrorLog(api, tenant.id, 1),
      await insertErrorLog(api, tenant.id, 1, 'Ticket'),
    ];
    for (const id of [first, second]) await sameOfBoth(client, log, id);
    await expect(client.write('delete', [log.name, { id: first }])).resolves.toMatchObject({ returnCode: 1 });
    await expect(rest(api, 'GET', `/WebhookEventErrorLogs/${first}`, tenant.admin)).resolves.toMatchObject({
      status: 404,
    });
    await expect(rest(api, 'DELETE', `/WebhookEventErrorLogs/${second}`, tenant.admin)).resolves.toMatchObject({
      status: 200,
    });
    await expect(client.query(log.name, idIs(second))).resolves.toMatchObject({ entities: [] });
  });

  it('read the same records, resources and definitions', async () => {
    const client = await soapClient(api, tenant.admin);
    for (const entity of createSoapEntities(api.catalogue).all.filter((one) => !one.isWritable)) {
      const { entities } = await client.query(entity.name, idIs(1));
      const [found] = entities;
      const { item } = await rest(api, 'GET', `${entity.path}/1`, tenant.admin);
      const { listValues: _lists, ...values } = item;
      expect([entity.name, found && restNamed(entity, found)]).toEqual([entity.name, texts(values)]);
    }
  });

  it('show values of user-defined fields alike', async () => {
    const values = { userDefinedFields: [{ name: 'Tier', value: 'gold & <silver>' }] };
    await rest(api, 'PATCH', '/Companies/1', tenant.admin, values);
    const client = await soapClient(api, tenant.admin);
    const { entities } = await client.query(
      'Account',
      '<field udf="true">Tier<expression op="beginswith">gold</expression></field>',
    );
    expect(entities).toMatchObject([
      {
        id: 1,
        UserDefinedFields: {
          UserDefinedField: expect.arrayContaining([{ Name: 'Tier', Value: 'gold & <silver>' }]),
        },
      },
    ]);
  });
  it('lose no field of any entity in a program that reads them strictly in the order of the description', async () => {
    const { text } = await sendRequest(`${api.url}/atservices/1.6/atws.wsdl`, { method: 'GET' });
    const description = parseXml(text, 'The description');
    await fillEverything(api, tenant.id);
    const code = tenant.admin.apiIntegrationCode;
    for (const entity of createSoapEntities(api.catalogue).all) {
      const id = entity.name === 'WebhookEventErrorLog' ? tenant.errorLogId : 1;
      const call = `<query xmlns="${ATWS}"><sXML><![CDATA[${queryXml(entity.name, idIs(id))}]]></sXML></query>`;
      const response = await post(api, message(call, code), { as: tenant.admin });
      const [found] = elementsNamed(parseXml(response.text, 'The answer'), 'Entity');
      if (found === undefined) throw new Error(`${entity.name}: ${response.text}`);
      const { values, dropped } = readStrictly(found, membersOf(description, entity.name));
      const { item } = await rest(api, 'GET', `${entity.path}/${id}`, tenant.admin);
      // Objects and lists have no form in SOAP.
      const { listValues: _lists, ...others } = item;
      const shown = Object.fromEntries(Object.entries(others).filter(([name]) => !notInSoap.has(name)));
      expect([entity.name, dropped]).toEqual([entity.name, []]);
      expect([entity.name, textsBySoapName(entity, values)]).toEqual([entity.name, texts(shown)]);
      expect([entity.name, Object.values(shown).filter((value) => value === null)]).toEqual([entity.name, []]);
    }
  });
});

/** Values by the names of this API under those of REST. */
function textsBySoapName({ fields }: SoapEntity, values: Readonly<Record<string, string>>): Record<string, string> {
  const given = fields.filter(({ soapName }) => values[soapName] !== undefined);
  return Object.fromEntries(given.map(({ soapName, restName }) => [restName, values[soapName] ?? '']));
}

function elementsNamed(element: XmlElement, name: string): XmlElement[] {
  return [
    ...element.children.filter((child) => child.name === name),
    ...element.children.flatMap((child) => elementsNamed(child, name)),
  ];
}

/** Sets every field of the record, resource and webhook 1 of each entity, also fields that no write accepts. */
async function fillEverything({ catalogue, database, call }: TestApi, tenantId: number): Promise<void> {
  for (const entity of catalogue.entities) {
    const others = entity.fields.filter(({ name }) => name !== 'id');
    const fields = Object.fromEntries(others.map((field) => [field.name, wireValueOf(field)]));
    if (entity.entityType === 'Resource') {
      await database.prisma.resource.update({ where: { tenantId_id: { tenantId, id: 1 } }, data: { fields } });
      continue;
    }
    const { entityType } = entity;
    const key = { tenantId, entityType, id: 1 };
    await database.prisma.record.update({ where: { tenantId_entityType_id: key }, data: { fields } });
    const limits = { maxCallsPerSecond: 0.5, maxConcurrentCalls: 2 };
    const settings = { caCertificate: testCertificate, signatureKind: 'both', ...limits };
    const body = { notificationEmailAddress: 'jo@example.com', ...settings };
    await call('PATCH', `/${entity.webhookCollection}/1`, { as: tenant.admin, body });
  }
}

function wireValueOf({ dataType }: FieldDefinition): string {
  if (dataType === 'boolean') return 'True';
  if (dataType === 'datetime') return '2026-03-04T05:06:07Z';
  return dataType === 'string' ? 'x & y' : '7';
}
