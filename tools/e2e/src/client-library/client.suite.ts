import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import {
  ApiError,
  createClient,
  type CreateClientOptions,
  createOperatorClient,
  listAll,
  queryAll,
  webhookCollections,
} from '@callout/client';
import { callout, operatorToken } from '../one-callout.fixture.ts';

/** A client of a new tenant, as one of its roles. */
async function clientOfTenant(role: 'integrator' | 'source', options: Partial<CreateClientOptions> = {}) {
  const tenant = await callout.tenant();
  const client = createClient({ baseUrl: `${callout.url}/atservicesrest`, credential: tenant[role], ...options });
  return { tenant, client };
}

async function collected<Row>(rows: AsyncIterable<Row>): Promise<Row[]> {
  const all: Row[] = [];
  for await (const row of rows) all.push(row);
  return all;
}

const company = (companyName: string) => ({ companyName, companyType: 1, ownerResourceID: 1, phone: '555-0100' });

describe('createClient', () => {
  it('throws what the API says is wrong', async () => {
    const { client } = await clientOfTenant('integrator');
    const failure = await client
      .GET('/v1.0/CompanyWebhooks/{id}', { params: { path: { id: 999_999 } } })
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ApiError);
    expect(failure).toMatchObject({ status: 404, requestId: expect.any(String) });
    expect((failure as ApiError).message).toContain('No matching records found');
  });

  it('creates a record once although the response of the first request got lost', async () => {
    let calls = 0;
    const keys = new Set<string | null>();
    const { client, tenant } = await clientOfTenant('source', {
      retry: { sleep: async () => undefined },
      async fetch(request) {
        calls += 1;
        keys.add(request.headers.get('Idempotency-Key'));
        const answer = await fetch(request);
        if (calls === 1) throw new TypeError('the connection was lost');
        return answer;
      },
    });
    const body = { ...company('Northwind'), ownerResourceID: tenant.sourceId };
    const created = await client.POST('/v1.0/Companies', { body });
    expect([calls, keys.size]).toEqual([2, 1]);
    expect(created.data.itemId).toEqual(expect.any(Number));
    const found = await collected(queryAll(client, '/v1.0/Companies/query', { Filter: [] }));
    expect(found).toMatchObject([{ id: created.data.itemId, companyName: 'Northwind' }]);
  });

  it('passes a key to exactly the operations that accept one', async () => {
    const answer = await fetch(`${callout.url}/openapi.json`);
    const { paths } = (await answer.json()) as {
      paths: Record<string, Record<string, { parameters?: readonly { $ref?: string }[] }>>;
    };
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { parameters = [] }]) => ({
        name: `${method.toUpperCase()} ${path}`,
        takesKey: parameters.some(({ $ref = '' }) => $ref.endsWith('/IdempotencyKey')),
      })),
    );
    const given: string[] = [];
    for (const { name } of operations) {
      const [method = '', path = ''] = name.split(' ');
      const client = createClient({
        baseUrl: 'http://127.0.0.1',
        async fetch({ headers }) {
          if (headers.has('Idempotency-Key')) given.push(name);
          return Response.json({});
        },
      });
      await client.request(method.toLowerCase() as 'get', path as '/v1.0/Version');
    }
    expect(given).toEqual(operations.filter(({ takesKey }) => takesKey).map(({ name }) => name));
    expect(given).toContain('POST /v1.0/EntityEvents');
  });

  it('keeps a key that was given', async () => {
    const { client, tenant } = await clientOfTenant('source');
    const create = () =>
      client.POST('/v1.0/Companies', {
        body: { ...company('Northwind'), ownerResourceID: tenant.sourceId },
        headers: { 'Idempotency-Key': 'order-17' },
      });
    const [first, second] = [await create(), await create()];
    expect(second.data).toEqual(first.data);
  });
});

describe('a version', () => {
  it('is passed and exposed: a write of an older one throws 412 with the present one, and an unchanged read is 304', async () => {
    const { client, tenant } = await clientOfTenant('integrator');
    const { id } = await callout.webhook(tenant);
    const params = { path: { id } };
    const path = '/v1.0/CompanyWebhooks/{id}';
    const { response } = await client.GET(path, { params });
    const first = response.headers.get('ETag') ?? '';
    const body = { name: 'one' };
    const written = await client.PATCH(path, { params: { ...params, header: { 'If-Match': first } }, body });
    const second = written.response.headers.get('ETag');
    const late = client.PATCH(path, { params, headers: { 'If-Match': first }, body: { name: 'other' } });
    await expect(late).rejects.toMatchObject({
      status: 412,
      etag: second,
      details: [{ code: 'preconditionFailed' }],
    });
    const unchanged = await client.GET(path, { params, headers: { 'If-None-Match': second } });
    expect([unchanged.response.status, unchanged.data]).toEqual([304, undefined]);
  });
});

describe('webhookCollections', () => {
  it('are all collections whose webhooks can be pulled', async () => {
    const answer = await fetch(`${callout.url}/openapi.json`);
    const { paths, components } = (await answer.json()) as {
      paths: Record<string, unknown>;
      components: { parameters: { entityName: { schema: { enum: string[] } } } };
    };
    expect(paths).toHaveProperty(['/v1.0/{entityName}Webhooks/{id}/Pull']);
    const found = components.parameters.entityName.schema.enum.map((name) => `${name}Webhooks`);
    expect([...webhookCollections].toSorted()).toEqual(found.toSorted());
  });
});

describe('createOperatorClient', () => {
  it('manages tenants, and throws as the other client does', async () => {
    const operator = createOperatorClient({ baseUrl: `${callout.operatorUrl()}/operator/v1`, token: operatorToken });
    const made = await operator.POST('/tenants', { body: { name: 'Northwind' } });
    const found = await operator.GET('/tenants', { params: { query: { search: 'northwind' } } });
    expect(found.data.items).toMatchObject([{ id: made.data.item.id, name: 'Northwind' }]);
    const again = operator.POST('/tenants', { body: { name: 'Northwind' } });
    await expect(again).rejects.toMatchObject({ name: 'ApiError', status: 409 });
    const stranger = createOperatorClient({ baseUrl: `${callout.operatorUrl()}/operator/v1`, token: 'x'.repeat(32) });
    await expect(stranger.GET('/status')).rejects.toMatchObject({ name: 'ApiError', status: 401 });
  });
});

describe('queryAll and listAll', () => {
  it('give every row once, in order, however many pages', async () => {
    const { client, tenant } = await clientOfTenant('source');
    const events = Array.from({ length: 7 }, (_each, index) => ({
      entityType: 'Account',
      action: 'Create',
      id: index + 1,
      fields: { companyName: `Company ${index + 1}` },
    }));
    await callout.send(tenant, ...events);
    const ids: number[] = [];
    for await (const { id } of queryAll(client, '/v1.0/Companies/query', { Filter: [], MaxRecords: 3 })) {
      ids.push(Number(id));
    }
    expect(ids).toEqual([1, 2, 3, 4, 5, 6, 7]);
    const listed = await collected(
      listAll(client, '/v1.0/EntityEvents/query', { query: { maxRecords: 2, entityType: 'Account' } }),
    );
    expect(listed.map(({ recordID }) => recordID)).toEqual(expect.arrayContaining(ids));
    expect(listed).toHaveLength(7);
  });
});

describe('packages/client/README.md', () => {
  it('shows a program that runs', async () => {
    const { tenant } = await clientOfTenant('integrator');
    const root = path.resolve(import.meta.dirname, '../../../..');
    const [, example = ''] =
      /^```js\n(.*?)^```$/msu.exec(await readFile(path.join(root, 'packages/client/README.md'), 'utf8')) ?? [];
    const directory = await mkdtemp(path.join(tmpdir(), 'callout-client-'));
    await symlink(path.join(root, 'node_modules'), path.join(directory, 'node_modules'));
    await writeFile(path.join(directory, 'example.mjs'), example);
    const { stdout } = await promisify(execFile)(process.execPath, [path.join(directory, 'example.mjs')], {
      env: {
        CALLOUT_URL: `${callout.url}/atservicesrest`,
        CALLOUT_USER: tenant.integrator.userName,
        CALLOUT_SECRET: tenant.integrator.secret,
        CALLOUT_INTEGRATION_CODE: tenant.integrator.apiIntegrationCode,
      },
    });
    const [made = '', found, missing, ...rest] = stdout.trimEnd().split('\n');
    expect(found).toBe(`${made.replace('webhook ', '')} Companies to the shop`);
    expect(missing).toMatch(/^404 \w+ .*No matching records found/u);
    expect(rest).toEqual([]);
    await rm(directory, { recursive: true });
  });
});
