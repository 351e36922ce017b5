import { beforeEach, describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { HTTP, type CloudEvent } from 'cloudevents';
import { contentTypes, formatOf } from '@callout/domain/callout/payload-format';
import { matchDeps } from '@callout/pipeline/match/match-deps.fixture';
import { matchEvents } from '@callout/pipeline/match/match';
import { readBodies } from '@callout/pipeline/payload/callout-bodies';
import { eventually } from '@callout/testing';
import { runTestApi } from '../../fixtures/run-test-api.ts';
import { makeTenant, tenantPerTest } from '../../fixtures/test-tenant.ts';
import { webhookBody } from '../../fixtures/webhook-body.ts';

const api = runTestApi();
const tenant = tenantPerTest(() => makeTenant(api.database));

const integrator = (method: string, path: string, body?: unknown) =>
  api.call(method, path, { as: tenant.integrator, body });

/** Labels that meet each other, a field or a name of objects, once they are in camelCase. */
const labels = ['Asset tag', 'assetTag', 'asset_value', '__proto__', 'Say "hi"\u0007 \\ \u2028'];
let list: number;

async function define(definition: Record<string, unknown>): Promise<number> {
  const body = { entityType: 'Account', ...definition };
  const made = await api.call('POST', '/UserDefinedFieldDefinitions', { as: tenant.admin, body });
  if (made.status !== 200) throw new Error(JSON.stringify(made.body));
  return (made.body as { itemId: number }).itemId;
}

beforeEach(async () => {
  api.queue.isReady = true;
  for (const [index, label] of labels.entries()) await define({ name: `n${index}`, label, dataType: 'string' });
  const listValues = [
    { value: 1, label: 'Gold "1"' },
    { value: 2, label: '__proto__' },
  ];
  list = await define({ name: 'tier', label: 'Service Tier', dataType: 'list', listValues });
});

const shown = { isSubscribedField: true };
const fields = ['companyName', 'companyType', 'isActive', 'assetValue', 'lastActivityDate', 'parentCompanyID'];

async function makeWebhook(change: Record<string, unknown>): Promise<void> {
  const body = webhookBody({
    isSubscribedToCreateEvents: true,
    isSubscribedToDeleteEvents: true,
    fields: [...fields.map((field) => ({ field, ...shown })), { field: 'city', isDisplayAlwaysField: true }],
    udfFields: [...labels, 'tier'].map((udfField) => ({ udfField, ...shown })),
    ...change,
  });
  const made = await integrator('POST', '/CompanyWebhooks', body);
  if (made.status !== 200) throw new Error(JSON.stringify(made.body));
}

async function post(...events: Record<string, unknown>[]): Promise<void> {
  const body = { events: events.map((event) => ({ entityType: 'Account', id: 7, ...event })) };
  const response = await api.call('POST', '/EntityEvents', { as: tenant.source, body });
  if (response.status !== 202) throw new Error(JSON.stringify(response.body));
  const deps = await matchDeps(api.database, (error) => {
    throw error as Error;
  });
  const pending = await api.database.prisma.pendingEvent.findMany({ where: { tenantId: tenant.id } });
  await matchEvents(
    deps,
    pending.map(({ eventId }) => eventId),
  );
}

/** The bodies of all callouts of the tenant, as every attempt reads them, in order of their numbers. */
async function bodies(): Promise<{ id: string; body: string }[]> {
  const where = { where: { tenantId: tenant.id } };
  const stored = await api.database.prisma.callout.findMany({ ...where, orderBy: { sequenceNumber: 'asc' } });
  const ids = stored.map(({ id }) => id);
  const read = await readBodies(api.database.pool, ids);
  return ids.map((id) => ({ id, body: read.get(id) ?? '' }));
}

async function validator(id = 1): Promise<(body: string) => string[]> {
  const response = await integrator('GET', `/CompanyWebhooks/${id}/PayloadSchema`);
  expect(response.status).toBe(200);
  const ajv = new Ajv2020({ allErrors: true, strict: true, strictRequired: false, allowUnionTypes: true });
  addFormats.default(ajv);
  const validate = ajv.compile(response.body as object);
  return (body) =>
    validate(JSON.parse(body)) ? [] : (validate.errors ?? []).map((one) => `${one.instancePath} ${one.message}`);
}

const createdRecord = {
  action: 'Create',
  fields: {
    companyName: 'Acme "quoted" \u0001',
    companyType: 3,
    isActive: true,
    assetValue: '0.1',
    lastActivityDate: '2026-01-15T10:30:00.5+01:00',
    parentCompanyID: null,
    city: null,
  },
  userDefinedFields: { ...Object.fromEntries(labels.map((label, index) => [`n${index}`, label])), tier: 2 },
};

/** A life of a record and of its webhook: created, changed, deleted; a test; deactivated. */
async function everyKind(): Promise<{ id: string; body: string }[]> {
  await post(
    createdRecord,
    {
      action: 'Update',
      fields: { assetValue: '12345678901234567890.123', parentCompanyID: 5, isActive: null },
      userDefinedFields: { tier: 1 },
    },
    { action: 'Update', fields: { fax: '1', companyType: null } },
    { action: 'Delete' },
  );
  await post({ action: 'Create', id: 8 });
  const testing = integrator('POST', '/CompanyWebhooks/1/test');
  const where = { tenantId: tenant.id, kind: 'test' };
  await eventually(async () => (await api.database.prisma.callout.count({ where })) === 1);
  // There is no worker: the test ends because this cancels it.
  await integrator('PATCH', '/CompanyWebhooks/1', { isActive: false });
  await testing;
  return bodies();
}

const cases = (['reference', 'typed', 'cloudevents'] as const).flatMap((payloadFormat) =>
  [false, true].map((includePreviousValues) => ({ payloadFormat, includePreviousValues })),
);

describe('the PayloadSchema of a webhook', () => {
  it.each(cases)(
    'describes every body that it sends: $payloadFormat, with previous $includePreviousValues',
    async (change) => {
      await makeWebhook(change);
      const errorsOf = await validator();
      const sent = await everyKind();
      expect(sent.map(({ body }) => formatOf(body))).toEqual(sent.map(() => change.payloadFormat));
      for (const { body } of sent) expect([errorsOf(body), body]).toEqual([[], body]);
      const created = sent[1]?.body ?? '';
      expect(errorsOf(created.replace('Account', 'Contact'))).not.toEqual([]);
      expect(errorsOf(created.replace(/"(C|c)ity":null/u, '"$1ity":5'))).not.toEqual([]);
      // Another webhook, another format: none of these bodies is its.
      await makeWebhook({ payloadFormat: change.payloadFormat === 'typed' ? 'reference' : 'typed', fields: [] });
      const errorsOfOther = await validator(2);
      for (const { body } of sent) expect(errorsOfOther(body)).not.toEqual([]);
    },
  );
});

it('says in words of each field what it is, which values a list has, and when it is sent', async () => {
  await makeWebhook({});
  const { body } = await integrator('GET', '/CompanyWebhooks/1/PayloadSchema');
  const properties = (body as { properties: { Fields: { properties: Record<string, { description: string }> } } })
    .properties.Fields.properties;
  expect(properties['Service Tier']?.description).toBe(
    'A user-defined field. list (1 = Gold "1", 2 = __proto__), when it changed.',
  );
  expect(properties['City']?.description).toMatch(/ string, always displayed\.$/u);
});

describe('a body of the typed format', () => {
  it('has values as JSON, labels beside those of picklists, and the exact text of what JSON would round', async () => {
    await makeWebhook({ payloadFormat: 'typed', includePreviousValues: true });
    const [, created, changed, emptied, deleted] = (await everyKind()).map(({ body }) => JSON.parse(body) as unknown);
    const guid = expect.any(String);
    expect(created).toEqual({
      action: 'Create',
      guid,
      entityType: 'Account',
      id: 7,
      fields: {
        companyName: 'Acme "quoted" \u0001',
        companyType: { value: 3, label: 'Prospect' },
        isActive: true,
        assetValue: 0.1,
        lastActivityDate: '2026-01-15T09:30:00Z',
        parentCompanyID: null,
        city: null,
      },
      userDefinedFields: JSON.parse(
        `{${labels.map((label) => `${JSON.stringify(label)}:${JSON.stringify(label)}`).join()},"Service Tier":{"value":2,"label":"__proto__"}}`,
      ),
      previousFields: {},
      previousUserDefinedFields: {},
      eventTime: expect.any(String),
      sequenceNumber: 1,
      personID: expect.any(Number),
    });
    expect(changed).toMatchObject({
      fields: { assetValue: '12345678901234567890.123', parentCompanyID: 5, isActive: null, city: null },
      userDefinedFields: { 'Service Tier': { value: 1, label: 'Gold "1"' } },
      previousFields: { assetValue: 0.1, parentCompanyID: null, isActive: true },
      previousUserDefinedFields: { 'Service Tier': { value: 2, label: '__proto__' } },
    });
    expect(emptied).toMatchObject({
      fields: { companyType: null, city: null },
      previousFields: { companyType: { value: 3, label: 'Prospect' } },
    });
    expect(deleted).toMatchObject({ action: 'Delete', fields: {}, userDefinedFields: {}, previousFields: {} });
  });

  it('keeps its bytes when labels, list values, format and fields of the webhook change', async () => {
    await makeWebhook({ payloadFormat: 'typed', includePreviousValues: true });
    await post(createdRecord);
    const before = await bodies();
    const listValues = [{ value: 2, label: 'Platinum' }];
    const changed = await api.call('PATCH', `/UserDefinedFieldDefinitions/${list}`, {
      as: tenant.admin,
      body: { listValues },
    });
    expect(changed.status).toBe(200);
    await post(
      { action: 'Update', userDefinedFields: { tier: null } },
      { action: 'Update', userDefinedFields: { tier: 2 } },
    );
    await integrator('PATCH', '/CompanyWebhooks/1', { payloadFormat: 'reference', includePreviousValues: false });
    const [first, , third] = await bodies();
    expect([first]).toEqual(before);
    // The label that it had when the event was matched.
    expect(JSON.parse(third?.body ?? '')).toMatchObject({
      userDefinedFields: { 'Service Tier': { value: 2, label: 'Platinum' } },
    });
  });
});

describe('a body of the reference format', () => {
  it('says with includePreviousValues what the changed subscribed fields were, null and unknown apart', async () => {
    await makeWebhook({ includePreviousValues: true });
    await post(
      { action: 'Update', fields: { companyName: 'Ant', parentCompanyID: null, city: 'Oslo' } },
      { action: 'Update', fields: { companyName: 'Bee', parentCompanyID: 4, isActive: true, city: 'Bergen' } },
    );
    const [first, second] = (await bodies()).map(({ body }) => body);
    expect(first).toContain(
      '"Fields":{"CompanyName":"Ant","ParentCompanyID":null,"City":"Oslo"},"PreviousFields":{},"EventTime"',
    );
    expect(second).toContain(
      '"Fields":{"CompanyName":"Bee","IsActive":"true","ParentCompanyID":"4","City":"Bergen"},' +
        '"PreviousFields":{"CompanyName":"Ant","ParentCompanyID":null},"EventTime"',
    );
  });
});

describe('a CloudEvent', () => {
  it('is one for the SDK of CloudEvents, of every kind', async () => {
    const zones = { where: { tenants: { some: { id: tenant.id } } } };
    await api.database.prisma.zone.updateMany({ ...zones, data: { url: '' } });
    const { name: zone, guid } = await api.database.prisma.zone.findFirstOrThrow(zones);
    await makeWebhook({ payloadFormat: 'cloudevents' });
    const sent = await everyKind();
    const events = sent.map(({ body }) => {
      const event = HTTP.toEvent({
        headers: { 'content-type': contentTypes.cloudevents },
        body,
      }) as CloudEvent<unknown>;
      expect(event.validate()).toBe(true);
      return event;
    });
    const ofWebhook = expect.stringMatching(/^webhooks\/[0-9a-f-]{36}$/u);
    expect(events.map(({ type, subject, sequence }) => [type, subject, sequence])).toEqual([
      ['callout.company.updated.v1', 'Companies/0', '0000000000000000'],
      ['callout.company.created.v1', 'Companies/7', '0000000000000001'],
      ['callout.company.updated.v1', 'Companies/7', '0000000000000002'],
      ['callout.company.updated.v1', 'Companies/7', '0000000000000003'],
      ['callout.company.deleted.v1', 'Companies/7', '0000000000000004'],
      ['callout.company.created.v1', 'Companies/8', '0000000000000005'],
      ['callout.webhook.deactivated.v1', ofWebhook, '0000000000000006'],
    ]);
    expect(events.map(({ id }) => id)).toEqual(sent.map(({ id }) => id));
    const { name } = await api.database.prisma.tenant.findUniqueOrThrow({ where: { id: tenant.id } });
    expect(new Set(events.map(({ source }) => source)).size).toBe(1);
    const place = ['urn:callout', encodeURIComponent(zone), guid, encodeURIComponent(name)].join(':');
    expect(events[0]?.source).toMatch(new RegExp(`^${place}:[0-9a-f-]{36}$`, 'u'));
    expect(guid).toMatch(/^[0-9a-f-]{36}$/u);
  });
});
