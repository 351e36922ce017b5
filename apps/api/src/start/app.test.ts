import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fillDisk } from '@callout/database/fixtures/full-disk';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { createTestDatabase, eventually } from '@callout/testing';
import { failure } from '../fixtures/failure.ts';
import { call, startTestApi, type TestApi } from '../fixtures/test-api.ts';
import { makeTenant, type TestTenant } from '../fixtures/test-tenant.ts';

let testDatabase: Awaited<ReturnType<typeof createTestDatabase>>;
let api: TestApi;
let tenant: TestTenant;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  api = await startTestApi(testDatabase.url);
  tenant = await makeTenant(api.database);
});
afterAll(async () => {
  await api.stop();
  await testDatabase.drop();
});

describe('paths', () => {
  it.each(['/atservicesrest/VersionInformation', '/AtServicesRest/versioninformation/'])(
    'GET %s lists the versions without credentials',
    async (path) => {
      const response = await call(api.url + path, 'GET');
      expect(response).toMatchObject({ status: 200, body: { apiVersions: ['V1.0'] } });
    },
  );

  it.each(['/atservicesrest/v1.0/Version', '/ATSERVICESREST/V1.0/version/?x=1'])('GET %s responds', async (path) => {
    await expect(call(api.url + path, 'GET')).resolves.toMatchObject({
      status: 200,
      body: { apiVersion: 'V1.0', majorVersion: 1, minorVersion: 0, build: '1.2.3' },
    });
  });

  it.each(['/nothing', '/atservicesrest', '/atservicesrest/v1.0', '/atservicesrest/v1.0/Nothing/1'])(
    '%s is 404 in the failure envelope',
    async (path) => {
      const response = await call(api.url + path, 'GET');
      expect(response.status).toBe(404);
      expect(response.body).toEqual(
        failure('notFound', `404: There is no path ${path}; GET /openapi.json lists every path.`),
      );
    },
  );

  it.each([
    ['/v1.0/Companies', '/atservicesrest/v1.0/Companies'],
    ['/atservicesrest/v2.0/Companies', '/atservicesrest/v1.0/Companies'],
    ['/atservicesrest/v1.0/CompanyWebhooks/7/Field', '/atservicesrest/v1.0/CompanyWebhooks/7/Fields'],
  ])('%s is 404, and says that %s was meant', async (path, meant) => {
    const response = await call(api.url + path, 'GET');
    const message = `404: There is no path ${path}; GET /openapi.json lists every path. Did you mean ${meant}?`;
    expect(response).toMatchObject({ status: 404, body: failure('notFound', message) });
  });

  it('that exist and name an unknown record are 404 with another message', async () => {
    const response = await api.call('GET', '/Companies/77', { as: tenant.admin });
    expect(response).toMatchObject({ status: 404, body: failure('notFound', '404: No matching records found') });
  });

  it('names, in a 405, the path that accepts the method', async () => {
    const response = await api.call('DELETE', '/CompanyWebhooks', { as: tenant.admin });
    const message = 'This path takes GET, POST, PATCH, PUT, HEAD only; DELETE is for /CompanyWebhooks/{id}';
    expect(response).toMatchObject({ status: 405, body: failure('methodNotAllowed', message) });
  });

  it('responds to an unknown method of a path with 405 and the methods that it has', async () => {
    const response = await api.call('DELETE', '/EntityEvents', { as: tenant.source });
    expect(response).toMatchObject({ status: 405, body: failure('methodNotAllowed') });
    expect(response.headers.get('allow')).toBe('POST');
  });

  it('refuses broken percent-encoding with 400', async () => {
    await expect(api.call('GET', '/Companies/%E0%A4%A', { as: tenant.admin })).resolves.toMatchObject({ status: 400 });
  });

  it.each([
    ['GET', '/Companies/abc', 404],
    ['GET', '/Companies/0', 404],
    ['GET', '/Companies/-1', 404],
    ['GET', '/Companies/9007199254740991', 404],
    ['GET', '/Companies/9007199254740992', 400],
    ['GET', '/CompanyWebhooks/4294967296', 404],
    ['GET', '/CompanyWebhooks/1/Fields/4294967296', 404],
  ])('%s %s is %i', async (method, path, status) => {
    await expect(api.call(method, path, { as: tenant.admin })).resolves.toMatchObject({ status });
  });
});

describe('health', () => {
  it('is live and ready, and names its checks', async () => {
    await expect(call(`${api.url}/healthz`, 'GET')).resolves.toMatchObject({ status: 200, body: { status: 'ok' } });
    await expect(call(`${api.url}/readyz`, 'GET')).resolves.toMatchObject({
      status: 200,
      body: { status: 'ready', checks: { postgres: 'ok', partitions: 'ok' } },
    });
  });
});

describe('readiness', () => {
  it('proves that a model can be read', async () => {
    const readiness = () => call(`${api.url}/readyz`, 'GET');
    await api.database.pool.query('ALTER TABLE zones RENAME TO zones_elsewhere');
    try {
      // A result is kept for a second.
      await eventually(async () =>
        expect(await readiness()).toMatchObject({
          status: 503,
          body: { checks: { postgres: 'failed: P2021, see the log' } },
        }),
      );
    } finally {
      await api.database.pool.query('ALTER TABLE zones_elsewhere RENAME TO zones');
    }
    await eventually(async () => expect(await readiness()).toMatchObject({ status: 200 }));
  });
});

describe('every response', () => {
  it('carries the safe headers, the id of its request, and no name of the software', async () => {
    const { headers } = await api.call('GET', '/Version', { headers: { 'X-Request-Id': 'trace:42' } });
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none';frame-ancestors 'none'",
      'strict-transport-security': expect.any(String),
      'cache-control': 'no-store',
      'x-request-id': 'trace:42',
    });
    expect(headers.has('x-powered-by')).toBe(false);
    expect(headers.has('etag')).toBe(false);
  });

  it('makes an id of its own in place of one that could forge a log line', async () => {
    const { headers } = await api.call('GET', '/Version', { headers: { 'X-Request-Id': '"},{"level":"fatal' } });
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('leaves one line in the log, without secrets, bodies or queries', async () => {
    const { headers } = await api.call('POST', '/companies?hint=hidden-query', {
      as: tenant.source,
      body: { companyName: 'hidden-body' },
    });
    const lines = api
      .log()
      .trim()
      .split('\n')
      .filter((line) => line.includes(headers.get('x-request-id') ?? '?'));
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({
        level: 'info',
        msg: 'request',
        method: 'POST',
        route: '/Companies',
        status: 400,
        tenantId: tenant.id,
        durationMs: expect.any(Number),
      }),
    ]);
    const log = api.log();
    for (const hidden of ['hidden-query', 'hidden-body', tenant.source.secret, tenant.source.apiIntegrationCode]) {
      expect(log).not.toContain(hidden);
    }
  });
});

/** The response to these very bytes. */
async function answerTo(request: string): Promise<string> {
  const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
  socket.write(request);
  return text(socket);
}

describe('what is no HTTP, or none that can be served', () => {
  const version = '/atservicesrest/v1.0/Version';
  it.each([
    ['nonsense', 'NONSENSE\r\n\r\n', 400, 'not a valid HTTP request'],
    ['no Host', `GET ${version} HTTP/1.1\r\n\r\n`, 400, 'must have the header Host'],
    ['two Hosts', `GET ${version} HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n`, 400, 'the header Host once'],
    ['the same Host twice', `GET ${version} HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n`, 400, 'the header Host once'],
    ...['gzip, chunked', 'chunked, chunked', 'identity, chunked'].map((coding): [string, string, number, string] => [
      `Transfer-Encoding: ${coding}`,
      `POST ${version} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: ${coding}\r\n\r\n0\r\n\r\n`,
      400,
      coding.startsWith('chunked') ? 'not a valid HTTP request' : 'Transfer-Encoding may be chunked only',
    ]),
    ...['gzip', 'identity', 'xchunked'].map((coding): [string, string, number, string] => [
      `Transfer-Encoding: ${coding}`,
      `POST ${version} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: ${coding}\r\n\r\n`,
      400,
      'Transfer-Encoding may be chunked only',
    ]),
    ['an unknown expectation', `GET ${version} HTTP/1.1\r\nHost: a\r\nExpect: fish\r\n\r\n`, 417, '100-continue only'],
    ['a tunnel', 'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n', 400, 'not a proxy'],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, 'not a valid HTTP request'],
  ])('(%s) is answered in the same envelope', async (_, request, status, message) => {
    const response = await answerTo(request);
    expect(response).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    const body: unknown = JSON.parse(response.slice(response.indexOf('\r\n\r\n')));
    expect(body).toEqual(failure('malformed', expect.stringContaining(message)));
  });

  it.each([
    ['scheme and host before the path', `GET http://callout.example${version} HTTP/1.1\r\nHost: callout.example`],
    ['an offer to change the protocol', `GET ${version} HTTP/1.1\r\nHost: a\r\nUpgrade: h2c`],
    ['HTTP/1.0, which knows no Host', `GET ${version} HTTP/1.0`],
  ])('is not a request with %s', async (_, request) => {
    const response = await answerTo(`${request}\r\nConnection: close\r\n\r\n`);
    expect(response).toMatch(/^HTTP\/1\.1 200 /);
    expect(response).toContain('{"apiVersion":"V1.0",');
  });

  it('gets an explanation, as a query that is too long for an address does, how to send it instead', async () => {
    const value = 'x'.repeat(20_000);
    const search = encodeURIComponent(JSON.stringify({ Filter: [{ op: 'eq', field: 'companyName', value }] }));
    await expect(api.call('GET', `/Companies/query?search=${search}`, { as: tenant.admin })).resolves.toMatchObject({
      status: 431,
      body: failure('malformed', expect.stringContaining('as the body of POST …/query')),
    });
  });
});

describe('a database that is away', () => {
  it('is 503 with Retry-After, and not ready, while the process stays live', async () => {
    const lonely = await startTestApi('postgres://callout:pa55word@127.0.0.1:1/nothing');
    try {
      for (const path of ['/Companies/1', '/CompanyWebhooks/1']) {
        const response = await lonely.call('GET', path, { as: tenant.admin });
        expect(response).toMatchObject({ status: 503, body: failure('unavailable') });
        expect(response.headers.get('retry-after')).toMatch(/^\d+$/);
      }
      await expect(call(`${lonely.url}/readyz`, 'GET')).resolves.toMatchObject({
        status: 503,
        body: {
          status: 'not ready',
          checks: { postgres: 'failed: ECONNREFUSED, see the log', partitions: 'failed: ECONNREFUSED, see the log' },
        },
      });
      await expect(call(`${lonely.url}/healthz`, 'GET')).resolves.toMatchObject({ status: 200 });
      expect(lonely.log()).not.toContain('pa55word');
    } finally {
      await lonely.stop();
    }
  });

  it('is not ready while the disk of PostgreSQL is full, and ready again when there is space', async () => {
    const company = { companyName: 'Full', companyType: 1, ownerResourceID: 1, phone: '1' };
    const write = () => api.call('POST', '/Companies', { as: tenant.source, body: company });
    // A result is kept for a second.
    const readinessIs = (expected: object) =>
      eventually(async () => expect(await call(`${api.url}/readyz`, 'GET')).toMatchObject(expected));
    const makeRoom = await fillDisk(api.database.pool, 'events');
    try {
      expect(await write()).toMatchObject({ status: 503, body: failure('unavailable') });
      await readinessIs({
        status: 503,
        body: { checks: { postgres: 'failed: PostgreSQL cannot store anything: its disk is full' } },
      });
    } finally {
      await makeRoom();
    }
    await readinessIs({ status: 200 });
    expect((await write()).status).toBe(200);
  });

  it('responds to an unexpected error with 500 and the id of the request only', async () => {
    const broken = await startTestApi(testDatabase.url);
    try {
      const { prisma } = broken.database;
      await prisma.$executeRaw`ALTER TABLE records RENAME TO records_elsewhere`;
      const response = await broken.call('GET', '/Companies/1', { as: tenant.admin });
      expect(response).toMatchObject({ status: 500, body: failure('internal') });
      expect(JSON.stringify(response.body)).toContain(response.headers.get('x-request-id'));
      expect(JSON.stringify(response.body)).not.toMatch(/records|prisma|select|\.ts/i);
      expect(broken.log()).toContain('"msg":"request failed"');
    } finally {
      await api.database.prisma.$executeRaw`ALTER TABLE records_elsewhere RENAME TO records`;
      await broken.stop();
    }
  });
});
