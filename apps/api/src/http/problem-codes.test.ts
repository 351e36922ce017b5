import { beforeAll, describe, expect, it } from '@jest/globals';
import { runTestApi } from '../fixtures/run-test-api.ts';
import { webhookBody } from '../fixtures/webhook-body.ts';
import { makeWholeTenant, recordBody, resourceBody, type WholeTenant } from '../fixtures/whole-tenant.ts';

const api = runTestApi();
let tenant: WholeTenant;
let company: Record<string, unknown>;

beforeAll(async () => {
  tenant = await makeWholeTenant(api);
  const [entity] = api.catalogue.watched.filter(({ entityType }) => entityType === 'Account');
  company = entity === undefined ? {} : recordBody(entity);
});

const FIELDS = '/CompanyWebhooks/1/Fields';
const UDF_FIELDS = '/CompanyWebhooks/1/UdfFields';
const EXCLUDED = '/CompanyWebhooks/1/ExcludedResources';
const DEFINITIONS = '/UserDefinedFieldDefinitions';
const EVENTS = '/EntityEvents';
const QUERY = '/Companies/query';

/** A body, its path, and the key at fault; null: the body as a whole. */
type Fault = readonly [path: string, change: unknown, field: string | null];

/** A body that is right but for the change. */
function bodyFor(path: string, change: unknown): unknown {
  if (typeof change !== 'object' || change === null || Array.isArray(change)) return change;
  const event = { entityType: 'Account', action: 'Update', id: 1, fields: { companyName: 'new' } };
  if (path === EVENTS) return 'events' in change ? change : { events: [{ ...event, ...change }] };
  const right: Record<string, object> = {
    '/Companies': company,
    '/CompanyWebhooks': webhookBody({ isActive: false }),
    '/Resources': resourceBody,
    [DEFINITIONS]: { entityType: 'Account', name: 'A new one', dataType: 'string' },
  };
  return { ...right[path], ...change };
}

const filter = (condition: object) => ({ Filter: [condition] });

const faults: Readonly<Record<string, readonly Fault[]>> = {
  required: [
    ['/Companies', { companyName: undefined }, 'companyName'],
    ['/Companies', { companyName: null }, 'companyName'],
    ['/Companies', { companyName: '' }, 'companyName'],
    ['/CompanyWebhooks', { name: undefined }, 'name'],
    ['/CompanyWebhooks', { name: null }, 'name'],
    ['/CompanyWebhooks', { name: '' }, 'name'],
    ['/CompanyWebhooks', { fields: [{}] }, 'fields[0].fieldID'],
    ['/Resources', { firstName: undefined }, 'firstName'],
    ['/Resources', { firstName: null }, 'firstName'],
    ['/Resources', { firstName: '' }, 'firstName'],
    [DEFINITIONS, { name: undefined }, 'name'],
    [DEFINITIONS, { name: null }, 'name'],
    [DEFINITIONS, { name: '' }, 'name'],
    [DEFINITIONS, { dataType: 'list' }, 'listValues'],
    [FIELDS, {}, 'fieldID'],
    [UDF_FIELDS, {}, 'udfFieldID'],
    [EXCLUDED, {}, 'resourceID'],
    ['/CompanyWebhookFields', { fieldID: 2 }, 'webhookID'],
    [EVENTS, { events: null }, 'events'],
    [EVENTS, { id: undefined }, 'events[0].id'],
    [EVENTS, { action: null }, 'events[0].action'],
    [QUERY, filter({ field: 'id', value: 1 }), 'Filter[0].op'],
    [QUERY, filter({ op: 'eq', value: 1 }), 'Filter[0].field'],
    [QUERY, filter({ op: 'eq', field: 'id' }), 'Filter[0].value'],
    [QUERY, filter({ op: 'in', field: 'id', value: [] }), 'Filter[0].value'],
  ],
  invalidType: [
    ...['/Companies', '/CompanyWebhooks', '/Resources', DEFINITIONS, FIELDS, UDF_FIELDS, EXCLUDED, EVENTS, QUERY].map(
      (path): Fault => [path, [], null],
    ),
    ['/Companies', { companyName: [5] }, 'companyName'],
    ['/Companies', { isActive: 'perhaps' }, 'isActive'],
    ['/Companies', { id: 'x' }, 'id'],
    ['/Companies', { userDefinedFields: 5 }, 'userDefinedFields'],
    ['/CompanyWebhooks', { name: [5] }, 'name'],
    ['/CompanyWebhooks', { isActive: 'perhaps' }, 'isActive'],
    ['/CompanyWebhooks', { fields: 5 }, 'fields'],
    ['/Resources', { firstName: [5] }, 'firstName'],
    ['/Resources', { isActive: 'perhaps' }, 'isActive'],
    [DEFINITIONS, { name: [5] }, 'name'],
    [DEFINITIONS, { dataType: 'list', listValues: 5 }, 'listValues'],
    [FIELDS, { fieldID: 'x' }, 'fieldID'],
    [FIELDS, { fieldID: 2, isSubscribedField: 'perhaps' }, 'isSubscribedField'],
    [UDF_FIELDS, { udfFieldID: -1.5 }, 'udfFieldID'],
    [EXCLUDED, { resourceID: true }, 'resourceID'],
    [EVENTS, { events: 5 }, 'events'],
    [EVENTS, { events: [5] }, 'events[0]'],
    [EVENTS, { id: 'x' }, 'events[0].id'],
    [EVENTS, { eventID: [5] }, 'events[0].eventID'],
    [EVENTS, { fields: { isActive: 'perhaps' } }, 'events[0].fields.isActive'],
    [EVENTS, { fields: { companyName: [5] } }, 'events[0].fields.companyName'],
    [QUERY, { MaxRecords: 'many' }, 'MaxRecords'],
    [QUERY, { Filter: 5 }, 'Filter'],
    [QUERY, filter({ op: 'eq', field: 'isActive', value: 'perhaps' }), 'Filter[0].value'],
    [QUERY, filter({ op: 'eq', field: 'id', value: 'x' }), 'Filter[0].value'],
  ],
  invalid: [
    ['/Companies', { id: 2 ** 53 }, 'id'],
    ['/Companies', { companyType: 2 ** 31 }, 'companyType'],
    ['/CompanyWebhooks', { notificationEmailAddress: 'nobody' }, 'notificationEmailAddress'],
    ['/Resources', { email: 'nobody' }, 'email'],
    [FIELDS, { fieldID: 0 }, 'fieldID'],
    [UDF_FIELDS, { udfFieldID: -1 }, 'udfFieldID'],
    [EXCLUDED, { resourceID: 2 ** 53 }, 'resourceID'],
    [EVENTS, { id: 0 }, 'events[0].id'],
    [EVENTS, { events: [] }, 'events'],
    [EVENTS, { eventID: 'with a blank' }, 'events[0].eventID'],
    [QUERY, { MaxRecords: 501 }, 'MaxRecords'],
    [QUERY, filter({ op: 'eq', field: 'companyType', value: 2 ** 31 }), 'Filter[0].value'],
  ],
  tooLong: [
    ['/Companies', { companyName: 'x'.repeat(101) }, 'companyName'],
    ['/CompanyWebhooks', { name: 'x'.repeat(51) }, 'name'],
    ['/Resources', { firstName: 'x'.repeat(51) }, 'firstName'],
    [DEFINITIONS, { name: 'x'.repeat(256) }, 'name'],
    [EVENTS, { fields: { companyName: 'x'.repeat(101) } }, 'events[0].fields.companyName'],
  ],
  unknownField: [
    ['/Companies', { userDefinedFields: [{ name: 'nope', value: 1 }] }, 'userDefinedFields[0]'],
    ['/CompanyWebhooks', { fields: [{ fieldID: 9999 }] }, 'fields[0].fieldID'],
    ['/CompanyWebhooks', { udfFields: [{ name: 'nope' }] }, 'udfFields[0].name'],
    [FIELDS, { fieldID: 9999 }, 'fieldID'],
    [FIELDS, { field: 'nope' }, 'field'],
    [UDF_FIELDS, { udfFieldID: 9999 }, 'udfFieldID'],
    [EVENTS, { userDefinedFields: { nope: 1 } }, 'events[0].userDefinedFields.nope'],
    [EVENTS, { changedFields: ['nope'] }, 'events[0].changedFields'],
    [QUERY, { IncludeFields: ['nope'] }, 'IncludeFields[0]'],
    [QUERY, filter({ op: 'eq', field: 'nope', value: 1 }), 'Filter[0].field'],
    [QUERY, filter({ op: 'eq', field: 'nope', udf: true, value: 1 }), 'Filter[0].field'],
  ],
  unknownReference: [
    ['/CompanyWebhooks', { excludedResources: [{ resourceID: 9999 }] }, 'excludedResources[0].resourceID'],
    [EXCLUDED, { resourceID: 9999 }, 'resourceID'],
  ],
  duplicateKey: [
    ['/Companies', { COMPANYNAME: 'x' }, 'companyName'],
    ['/CompanyWebhooks', { NAME: 'x' }, 'name'],
    ['/Resources', { FIRSTNAME: 'x' }, 'firstName'],
    [DEFINITIONS, { NAME: 'x' }, 'name'],
    [FIELDS, { fieldID: 2, FIELDID: 2 }, 'fieldID'],
    [EVENTS, { ACTION: 'Update' }, 'events[0].action'],
    [QUERY, { MaxRecords: 1, maxRecords: 1 }, 'MaxRecords'],
    ['/Companies', { userDefinedFields: [{ name: 'Tier' }, { name: 'TIER' }] }, 'userDefinedFields[1]'],
  ],
  duplicate: [
    ['/Companies', { id: 1 }, 'id'],
    ['/CompanyWebhooks', { fields: [{ fieldID: 2 }, { field: 'companyName' }] }, 'fields[1].fieldID'],
    [DEFINITIONS, { name: 'TIER' }, 'name'],
    [DEFINITIONS, { name: 'companyName' }, 'name'],
    [DEFINITIONS, { dataType: 'list', listValues: [1, 1].map((value) => ({ value, label: 'x' })) }, 'listValues'],
    [FIELDS, { fieldID: 2 }, 'fieldID'],
    [UDF_FIELDS, { udfFieldID: 1 }, 'udfFieldID'],
    [EXCLUDED, { resourceID: 4 }, 'resourceID'],
  ],
};

describe.each(Object.entries(faults))('the code %s', (code, cases) => {
  it.each(cases)('is what POST %s with %j is answered', async (path, change, field) => {
    const response = await api.call('POST', path, { as: tenant.admin, body: bodyFor(path, change) });
    expect([400, 409]).toContain(response.status);
    const { details, errors } = response.body as { details: { code: string; field?: string }[]; errors: string[] };
    expect({ details, about: details.map((detail) => detail.field ?? null) }).toEqual({
      details: expect.arrayContaining([expect.objectContaining(field === null ? { code } : { code, field })]),
      // Of one fault there is one sentence.
      about: [...new Set(details.map((detail) => detail.field ?? null))],
    });
    expect(errors).toEqual([...new Set(errors)]);
  });
});
