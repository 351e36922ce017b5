import { beforeAll, describe, expect, it } from '@jest/globals';
import { HTTP } from 'cloudevents';
import { contentTypes } from '@callout/domain/callout/payload-format';
import { deletions, otherRoutes, routesOfEntity, type RouteCase } from '../fixtures/every-route.ts';
import { runTestApi } from '../fixtures/run-test-api.ts';
import { call, type CallOptions, type TestResponse } from '../fixtures/test-api.ts';
import { makeTenant, type TestTenant } from '../fixtures/test-tenant.ts';
import { makeWholeTenant, type WholeTenant } from '../fixtures/whole-tenant.ts';
import type { Content, Json, OpenApiDocument, Operation } from './document-types.ts';
import { faults } from './conforms.fixture.ts';
import { operationOf, operationsOf, type DocumentedOperation } from './operations.fixture.ts';

const api = runTestApi();
let document: OpenApiDocument;
let operations: DocumentedOperation[];

beforeAll(async () => {
  document = (await call(`${api.url}/openapi.json`, 'GET')).body as OpenApiDocument;
  operations = operationsOf(document);
});

const schemaOf = (content: Content | undefined): Json => content?.['application/json']?.schema ?? {};

/** The path of company webhooks. */
const concrete = (path: string) => path.replace('{entityName}', 'Company');

function exampleOf({ operation }: DocumentedOperation): unknown {
  return operation.requestBody?.content['application/json']?.example;
}

/** The differences between a response and its documentation. */
function responseFaults({ responses }: Operation, { status, body }: TestResponse): string[] {
  const documented = responses[String(status)] ?? (status >= 400 ? responses['default'] : undefined);
  if (documented === undefined) return [`status ${status} is not in the document: ${JSON.stringify(body)}`];
  if ('$ref' in documented) return faults(document, { $ref: '#/components/schemas/Failure' }, body);
  return faults(document, schemaOf(documented.content), body);
}

/** Rows that the examples name and do not create: the user-defined fields of every entity. */
async function defineFields(tenant: TestTenant, names: readonly string[], isFirst: boolean): Promise<void> {
  const able = api.catalogue.watched.filter((entity) => entity.hasUserDefinedFields);
  for (const { entityType } of isFirst ? able.slice(0, 1) : able.slice(1)) {
    for (const name of names) {
      const body = { entityType, name, dataType: 'string' };
      const response = await api.call('POST', '/UserDefinedFieldDefinitions', { as: tenant.admin, body });
      expect(response.status).toBe(200);
    }
  }
}

/**
 * What an example needs besides: callouts can be fetched only from a webhook whose URL is pull:, and it waits for 0 s,
 * since there are none; a key pair is there once a webhook signs with it, under a name that nobody knows before.
 */
async function callOf(tenant: TestTenant, { path }: DocumentedOperation, body: unknown): Promise<CallOptions> {
  const as = tenant.admin;
  if (path.endsWith('/WebhookKeys/rotate')) {
    await api.call('PATCH', '/CompanyWebhooks/1', { as, body: { signatureKind: 'both' } });
    const { items } = (await api.call('GET', '/WebhookKeys', { as })).body as { items: [{ kid: string }] };
    return { as, body: { ...(body as object), kid: items[0].kid } };
  }
  if (!path.endsWith('/Pull')) return { as, body };
  const webhook = concrete(path).replace('/v1.0', '').replace('/{id}/Pull', '/1');
  const change = { webhookUrl: 'pull:', isActive: true };
  expect(await api.call('PATCH', webhook, { as, body: change })).toMatchObject({ status: 200 });
  return { as, body: { ...(body as object), waitSeconds: 0 } };
}

describe('the examples of requests', () => {
  it('are answered as documented, and conform to their schemas', async () => {
    const tenant = await makeTenant(api.database);
    const withExample = operations.filter((one) => exampleOf(one) !== undefined);
    expect(withExample.length).toBeGreaterThan(50);
    const isDefinition = ({ path }: DocumentedOperation) => path === '/v1.0/UserDefinedFieldDefinitions';
    // The order of examples that need each other: definitions, then creates, then changes; events are about higher ids
    // than the others.
    const rank = (one: DocumentedOperation) => {
      if (one.path === '/v1.0/EntityEvents') return 4;
      return (isDefinition(one) ? 0 : 1) + (one.method === 'POST' ? 0 : 2);
    };
    let isDefined = false;
    for (const one of withExample.sort((a, b) => rank(a) - rank(b))) {
      if (!isDefined && !isDefinition(one)) {
        await defineFields(tenant, ['Region'], true);
        await defineFields(tenant, ['Tier', 'Region'], false);
        isDefined = true;
      }
      const { method, path, operation } = one;
      const label = `${method} ${path}`;
      const body = exampleOf(one);
      const schema = schemaOf(operation.requestBody?.content);
      expect({ [label]: faults(document, schema, body) }).toEqual({ [label]: [] });
      const target = concrete(path)
        .replace('/v1.0', '')
        .replaceAll(/\{\w+\}/g, '1');
      const response = await api.call(method, target, await callOf(tenant, one, body));
      const [expected] = Object.keys(operation.responses);
      expect({ [label]: [String(response.status), response.body] }).toEqual({ [label]: [expected, response.body] });
      expect({ [label]: responseFaults(operation, response) }).toEqual({ [label]: [] });
    }
  });

  it('of callouts conform to their schemas', () => {
    for (const [name, item] of Object.entries(document.webhooks)) {
      const content = item['post']?.requestBody?.content;
      const examples = content?.['application/json']?.examples ?? {};
      expect(Object.keys(examples)).toEqual(['reference', 'typed']);
      for (const { value } of Object.values(examples)) {
        expect({ [name]: faults(document, schemaOf(content), value) }).toEqual({ [name]: [] });
      }
      const { schema, example } = content?.['application/cloudevents+json'] ?? {};
      expect({ [name]: faults(document, schema ?? {}, example) }).toEqual({ [name]: [] });
      expect(faults(document, schema ?? {}, examples['typed']?.value)).not.toEqual([]);
      expect(
        HTTP.toEvent({ headers: { 'content-type': contentTypes.cloudevents }, body: JSON.stringify(example) }),
      ).toMatchObject({
        specversion: '1.0',
        data: examples['typed']?.value,
      });
    }
  });
});

describe('bodies and responses of every route', () => {
  const met = new Set<Operation>();
  let tenant: WholeTenant;

  beforeAll(async () => {
    tenant = await makeWholeTenant(api);
  });

  async function expectAsDocumented({ method, path, body, roles }: RouteCase, isCalled = true): Promise<void> {
    const label = `${method} ${path}`;
    const operation = operationOf(operations, method, path)?.operation;
    expect({ [label]: operation?.['x-roles'] }).toEqual({ [label]: roles });
    if (operation === undefined) return;
    met.add(operation);
    const { requestBody } = operation;
    if (requestBody !== undefined && (requestBody.required || body !== undefined)) {
      expect({ [label]: faults(document, schemaOf(requestBody.content), body) }).toEqual({ [label]: [] });
    }
    if (!isCalled) return;
    const response = await api.call(method, path, { as: tenant.admin, body });
    expect({ [label]: responseFaults(operation, response) }).toEqual({ [label]: [] });
  }

  // Routes with fields of records differ from entity to entity. Webhooks, their children and deliveries are alike for
  // all: they are called for an entity with user-defined fields, and for one below a parent.
  const calledWhole = new Set(['Account', 'TicketNote']);

  it.each(['Account', 'Contact', 'InstalledProduct', 'Ticket', 'TicketNote', 'WebhookHealth'])(
    'of %s',
    async (entityType) => {
      const entity = api.catalogue.byEntityType(entityType);
      if (entity === undefined) throw new Error(`no entity ${entityType}`);
      // Whole tenants get one definition for each entity that can have one, in order of the catalogue.
      const able = api.catalogue.watched.filter((one) => one.hasUserDefinedFields);
      for (const one of routesOfEntity(entity, able.indexOf(entity) + 1, tenant.logged)) {
        const isOfRecords = !one.path.startsWith(`/${entity.webhookSingular}`);
        await expectAsDocumented(one, isOfRecords || calledWhole.has(entityType));
      }
    },
  );

  it('of everything else, and that is all that there is', async () => {
    const { errorLogId, logged } = tenant;
    for (const path of [
      '/v1.0/Version',
      '/v1.0/EgressAddresses',
      '/v1.0/zoneInformation',
      '/v1.0/ThresholdInformation',
      '/VersionInformation',
    ]) {
      const operation = document.paths[path]?.['get'];
      if (operation === undefined) throw new Error(`${path} is not in the document`);
      met.add(operation);
      const response = await call(`${api.url}/atservicesrest${path}?user=x`, 'GET', { as: tenant.admin });
      expect({ [path]: responseFaults(operation, response) }).toEqual({ [path]: [] });
    }
    for (const one of [...otherRoutes(errorLogId, logged), ...deletions(api.catalogue.watched, errorLogId)]) {
      await expectAsDocumented(one);
    }
    // The others are met by the examples above.
    const others = operations.filter(({ operation }) => !met.has(operation));
    expect(others.map((one) => `${one.method} ${one.path}`)).toEqual([
      'POST /v1.0/EntityEvents',
      'POST /v1.0/UserDefinedFieldDefinitions',
    ]);
  });
});
