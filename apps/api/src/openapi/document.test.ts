import { beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { problemCodes } from '@callout/domain/problem-code';
import { httpProblemCodes } from '../http/http-problem.ts';
import { runTestApi } from '../fixtures/run-test-api.ts';
import { call } from '../fixtures/test-api.ts';
import type { OpenApiDocument } from './document-types.ts';
import { openApiDocument } from './document.ts';
import { operationsOf } from './operations.fixture.ts';

const api = runTestApi();
let document: OpenApiDocument;

beforeAll(async () => {
  document = (await call(`${api.url}/openapi.json`, 'GET')).body as OpenApiDocument;
});

/** Does something for all, a few at a time. */
async function forAll<T>(items: readonly T[], check: (item: T) => Promise<void>): Promise<void> {
  const width = 20;
  for (let start = 0; start < items.length; start += width) {
    await Promise.all(items.slice(start, start + width).map(check));
  }
}

/** Of an entity with every kind of children. */
const names: Readonly<Record<string, string>> = {
  '{entityName}': 'Company',
  '{collection}': 'Companies',
  '{children}': 'Contacts',
};
const filled = (path: string) => path.replaceAll(/\{\w+\}/g, (one) => names[one] ?? '1');

/** Whether an object is a schema with properties, and not a property of that name. */
function isSchema(value: object): boolean {
  const { type, properties } = value as { type?: unknown; properties?: unknown };
  return type === 'object' && typeof properties === 'object' && properties !== null;
}

/** Every object within a value. */
function objectsIn(value: unknown): Record<string, unknown>[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = Array.isArray(value) ? [] : [value as Record<string, unknown>];
  return [...own, ...Object.values(value).flatMap(objectsIn)];
}

describe('the document and the routes', () => {
  it('have the same methods on every path', async () => {
    expect(Object.keys(document.paths).length).toBeGreaterThan(100);
    const different: unknown[] = [];
    await forAll(Object.entries(document.paths), async ([path, item]) => {
      const { body } = await call(`${api.url}/atservicesrest${filled(path)}`, 'OPTIONS');
      const methods = (body as { methods: string[] }).methods.filter((one) => one !== 'HEAD' && one !== 'OPTIONS');
      const documented = Object.keys(item).map((method) => method.toUpperCase());
      if (documented.sort().join() !== methods.sort().join()) different.push({ path, documented, methods });
    });
    expect(different).toEqual([]);
  });

  it('lists every code of failures', () => {
    const failure = JSON.stringify(document.components.schemas['Failure']);
    for (const [code, meaning] of Object.entries({ ...problemCodes, ...httpProblemCodes }))
      expect(failure).toContain(`\`${code}\`: ${meaning}`);
  });

  it('offer an Idempotency-Key for every write of records and events, and for nothing else', () => {
    const offering = operationsOf(document).filter(({ operation }) =>
      operation.parameters.some((one) => '$ref' in one && one.$ref.endsWith('/IdempotencyKey')),
    );
    const writes = operationsOf(document).filter(
      ({ method, operation }) => operation['x-roles']?.join() === 'source,admin' && method.toUpperCase() !== 'GET',
    );
    const name = (one: { method: string; path: string }) => `${one.method} ${one.path}`;
    expect(offering.map(name)).toEqual(writes.map(name));
    expect(offering.length).toBeGreaterThan(5 * 6);
  });

  it('offer If-Match for every write of a webhook, child, definition or resource, and for nothing else', () => {
    const offering = operationsOf(document).filter(({ operation }) =>
      operation.parameters.some((one) => '$ref' in one && one.$ref.endsWith('/IfMatch')),
    );
    const versioned =
      /^\/v1\.0\/(?:\{entityName\}Webhooks(?:\/\{parentId\}\/(?:Fields|UdfFields|ExcludedResources))?|Resources|UserDefinedFieldDefinitions)(?:\/\{id\})?$/u;
    const isOfVersion = ({ method, path }: { method: string; path: string }) =>
      path.endsWith('/rotateSecret') ||
      (versioned.test(path) && ['PUT', 'PATCH', 'DELETE'].includes(method.toUpperCase()));
    const name = (one: { method: string; path: string }) => `${one.method} ${one.path}`;
    expect(offering.map(name)).toEqual(operationsOf(document).filter(isOfVersion).map(name));
    expect(offering.filter(({ operation }) => !('412' in operation.responses))).toEqual([]);
    const read = document.paths['/v1.0/{entityName}Webhooks/{id}']?.['get'];
    expect(read?.responses).toMatchObject({ 200: { headers: { ETag: {} } }, 304: {} });
  });

  it('do not differ: every route is described', () => {
    const undescribed = operationsOf(document).filter(({ operation }) => /^[A-Z]+ \//.test(operation.summary));
    expect(undescribed.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  });

  it('have the failures of all operations, each status with its meaning', () => {
    const silent = operationsOf(document).filter(({ operation }) => !Object.hasOwn(operation.responses, 'default'));
    expect(silent.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
    const { description } = document.components.responses['Failure'] ?? {};
    for (const status of [400, 401, 403, 408, 413, 415, 421, 429, 500, 503]) {
      expect(description).toContain(`- ${status}: `);
    }
  });

  it('agree on which operations need credentials', async () => {
    const others: string[] = [];
    await forAll(operationsOf(document), async ({ method, path, operation }) => {
      const { status } = await call(`${api.url}/atservicesrest${filled(path)}`, method);
      const isAsDeclared = (status === 401) === (operation.security === undefined);
      if (!isAsDeclared || (status < 400 && !(String(status) in operation.responses)))
        others.push(`${method} ${path}: ${status}`);
    });
    expect(others).toEqual([]);
  });
});

describe('the limits', () => {
  it.each([
    ['16384 bytes together, else 431', 'address and headers'],
    ['64 levels of nesting', 'a body'],
    ['1000 events', 'a batch'],
    ['500 rows, and 8388608 bytes', 'a page'],
    ['1000 conditions, 10 levels of groups, 500 items', 'a filter'],
  ])('say %s (%s)', (words) => {
    expect(document.info.description).toContain(words);
  });

  it('mentions, for every write at the root for a child, that the webhook may be missing', () => {
    const twins = operationsOf(document).filter(
      ({ method, path }) =>
        method === 'POST' && /^\/v1\.0\/\{entityName\}Webhook(Fields|UdfFields|ExcludedResources)$/.test(path),
    );
    expect(twins).toHaveLength(3);
    for (const { operation } of twins) expect(operation.responses).toHaveProperty('404');
  });
});

describe('a route', () => {
  it('is in the document as it declares itself', () => {
    const tag = { name: 'Things', group: 'Administer', description: 'Things of a tenant.' } as const;
    const responses = { 200: { description: 'The thing.', schema: z.object({ size: z.int().describe('Its size.') }) } };
    const schema = { id: 'getThing', summary: 'Read a thing', tag, responses };
    const endpoint = { roles: 'anyone', schema, respond: () => ({ status: 200, body: { size: 1 } }) } as const;
    const { paths, tags } = openApiDocument({
      apiRoot: 'root',
      catalogue: api.catalogue,
      routes: { '/v9': [{ path: '/Things/:thing', methods: { GET: endpoint } }] },
      shown: { maxEvents: 1, webhookExample: () => ({}), eventsExample: () => ({}) },
    });
    expect(Object.keys(paths)).toEqual(['/v9/Things/{thing}']);
    expect(paths['/v9/Things/{thing}']).toMatchObject({
      get: { operationId: 'getThing', summary: 'Read a thing', tags: ['Things'], security: [] },
    });
    expect(tags).toContainEqual({ name: 'Things', description: 'Things of a tenant.' });
  });
});

describe('the document', () => {
  it('is OpenAPI 3.1 of this installation', () => {
    expect(document).toMatchObject({
      openapi: '3.1.0',
      servers: [{ url: '/atservicesrest' }],
      security: [{ UserName: [], Secret: [], ApiIntegrationCode: [] }],
    });
  });

  it('lets a webhook that is not stored have every setting of a create', () => {
    const propertiesOf = (name: string) => (document.components.schemas[name] as { properties?: unknown }).properties;
    expect(propertiesOf('SupposedWebhook')).toEqual(propertiesOf('WebhookCreate'));
    expect(document.components.schemas['SupposedWebhook']).not.toHaveProperty('required');
  });

  it('describes what entities have alike once, in at most 300 operations and 700 KB', () => {
    const entityNames = ['Company', 'ConfigurationItem', 'Contact', 'TicketNote', 'Ticket', 'WebhookHealth'];
    expect(document.components.parameters['entityName']?.schema['enum']).toEqual(entityNames);
    const text = JSON.stringify(document);
    const named = Object.keys(document.paths).filter((path) =>
      entityNames.some((one) => path.includes(`${one}Webhook`)),
    );
    expect(named).toEqual([]);
    expect(operationsOf(document).length).toBeLessThanOrEqual(300);
    expect(text.length).toBeLessThanOrEqual(700_000);
  });

  it('refers only to what it has', () => {
    const refs = new Set(objectsIn(document).flatMap(({ $ref }) => (typeof $ref === 'string' ? [$ref] : [])));
    expect(refs.size).toBeGreaterThan(100);
    const targetOf = ($ref: string) => {
      let target: unknown = document;
      for (const key of $ref.slice(2).split('/')) target = (target as Record<string, unknown> | undefined)?.[key];
      return target;
    };
    expect([...refs].filter(($ref) => typeof targetOf($ref) !== 'object')).toEqual([]);
  });

  it('uses every schema that it has', () => {
    const used = new Set(objectsIn(document).map(({ $ref }) => $ref));
    const unused = Object.keys(document.components.schemas).filter((name) => !used.has(`#/components/schemas/${name}`));
    expect(unused).toEqual([]);
  });

  it('gives each operation an id of its own, a known tag, a success and the placeholders of its path', () => {
    const operations = operationsOf(document);
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(operations.length);
    // Generators make method names of them; names that differ by case only would be one name in some languages.
    expect(new Set(ids.map((id) => id?.toLowerCase())).size).toBe(operations.length);
    expect(ids.filter((id) => !/^[a-z][A-Za-z]+$/.test(id ?? ''))).toEqual([]);
    expect(ids).toEqual(
      expect.arrayContaining([
        'createWebhook',
        'listTicketNotes',
        'updateContactOfCompany',
        'createFieldOfWebhook',
        'getWebhookField',
        'listWebhookCallouts',
        'redeliverWebhookCallout',
        'getEntityInformation',
        'listCallouts',
        'reportEntityEvents',
        'getZoneInformation',
      ]),
    );
    const tags = new Set(document.tags.map(({ name }) => name));
    const faulty = operations.filter(({ path, operation }) => {
      const placeholders = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const inPath = operation.parameters.flatMap((given) => {
        const one = '$ref' in given ? document.components.parameters[given.$ref.split('/').at(-1) ?? ''] : given;
        return one?.in === 'path' ? [one.name] : [];
      });
      return (
        !(operation.tags ?? []).every((tag) => tags.has(tag)) ||
        !Object.keys(operation.responses).some((status) => /^20[02]$/.test(status)) ||
        inPath.join() !== placeholders.join()
      );
    });
    expect(faulty).toEqual([]);
  });

  it('has each tag in one group, and in the first groups the operations that matter', () => {
    const grouped = document['x-tagGroups'].flatMap(({ tags }) => tags);
    expect(grouped).toEqual(document.tags.map(({ name }) => name));
    expect(new Set(grouped).size).toBe(grouped.length);
    const tagOfOperation = (method: string, path: string) =>
      operationsOf(document).find((one) => one.method === method && one.path === path)?.operation.tags;
    expect(tagOfOperation('POST', '/v1.0/{entityName}Webhooks')).toEqual(['Webhooks']);
    expect(tagOfOperation('POST', '/v1.0/EntityEvents')).toEqual(['Events']);
    expect(tagOfOperation('GET', '/v1.0/{entityName}Webhooks/{id}/Callouts')).toEqual(['Webhook deliveries']);
    expect(tagOfOperation('POST', '/v1.0/{entityName}WebhookFields')).toEqual(['Webhook: other forms']);
    expect(tagOfOperation('GET', '/v1.0/{collection}/entityInformation')).toEqual(['Metadata']);
    const ofTasks = grouped.slice(0, grouped.indexOf('Metadata'));
    for (const name of ofTasks) {
      const count = operationsOf(document).filter(({ operation }) => operation.tags?.includes(name)).length;
      expect([name, count <= 30]).toEqual([name, true]);
    }
  });

  it('describes every property and every parameter', () => {
    const undescribed: string[] = [];
    let properties = 0;
    const look = (value: unknown, at: string): void => {
      if (typeof value !== 'object' || value === null) return;
      const own = (value as { properties?: unknown }).properties;
      if (!Array.isArray(value) && isSchema(value)) {
        for (const [key, property] of Object.entries(own as Record<string, { description?: string }>)) {
          properties++;
          if ((property.description ?? '').length < 5) undescribed.push(`${at}.${key}`);
        }
      }
      for (const [key, inner] of Object.entries(value)) if (key !== 'example') look(inner, `${at}.${key}`);
    };
    look(document, '');
    for (const { method, path, operation } of operationsOf(document)) {
      for (const one of operation.parameters) {
        if ('name' in one && (one.description ?? '').length < 5) undescribed.push(`${method} ${path} ${one.name}`);
      }
    }
    expect(undescribed).toEqual([]);
    expect(properties).toBeGreaterThan(700);
  });

  it('has only schemas that can be met', () => {
    const known = ['string', 'integer', 'number', 'boolean', 'object', 'array', 'null'];
    const faulty = objectsIn(document.components.schemas).filter(
      ({ type, enum: values, items, properties, required }) => {
        // A property may be called type, too; then it is a schema.
        if (typeof type === 'object' && !Array.isArray(type)) return false;
        const hasUnknownType = type !== undefined && [type].flat().some((one) => !known.includes(one as string));
        const hasTwins = Array.isArray(values) && new Set(values).size < values.length;
        const lacksItems = type === 'array' && items === undefined;
        const lacksRequired =
          properties !== undefined &&
          Array.isArray(required) &&
          required.some((name) => !Object.hasOwn(properties as object, name as string));
        return hasUnknownType || hasTwins || lacksItems || lacksRequired;
      },
    );
    expect(faulty).toEqual([]);
  });

  it('explains every header of a callout', () => {
    const callouts = Object.values(document.webhooks).map((item) => item['post']);
    expect(callouts).toHaveLength(7);
    for (const callout of callouts) {
      for (const parameter of callout?.parameters ?? []) {
        expect(parameter).toMatchObject({ in: 'header', description: expect.stringMatching(/.{20}/) as unknown });
      }
    }
  });

  it('promises receivers those headers only that tests have too, and that do not depend on tracing', () => {
    const headers = document.webhooks['company']?.['post']?.parameters ?? [];
    const notAlways = headers.filter((header) => 'required' in header && !header.required);
    expect(notAlways.map((header) => 'name' in header && header.name)).toEqual([
      'X-Hook-Event-Id',
      'X-Hook-Test',
      'traceparent',
      // Nor on the signatureKind.
      'X-Hook-Signature',
    ]);
  });
});
