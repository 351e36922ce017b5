import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { createTestDatabase } from '@callout/testing';
import { call, startTestApi, type TestApi } from './fixtures/test-api.ts';
import { makeCredential, makeTenant, type TestTenant } from './fixtures/test-tenant.ts';

let testDatabase: Awaited<ReturnType<typeof createTestDatabase>>;
let api: TestApi;
let tenant: TestTenant;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  api = await startTestApi(testDatabase.url, { MAX_BODY_BYTES: '4096', MAX_EVENTS_BODY_BYTES: '8192' });
  tenant = await makeTenant(api.database);
});
afterAll(async () => {
  await api.stop();
  await testDatabase.drop();
});

function failure(code: string, message: unknown = expect.any(String)) {
  return {
    errors: [message],
    details: [expect.objectContaining({ code, message })],
  };
}

describe('paths', () => {
  it.each(['/atservicesrest/VersionInformation', '/AtServicesRest/versioninformation/'])(
    'GET %s tells the versions without credentials',
    async (path) => {
      const answer = await call(api.url + path, 'GET');
      expect(answer).toMatchObject({ status: 200, body: { apiVersions: ['V1.0'] } });
    },
  );

  it.each(['/atservicesrest/v1.0/Version', '/ATSERVICESREST/V1.0/version/?x=1'])('GET %s answers', async (path) => {
    await expect(call(api.url + path, 'GET')).resolves.toMatchObject({ status: 200, body: { apiVersion: 'V1.0' } });
  });

  it.each([
    '/',
    '/nothing',
    '/atservicesrest',
    '/atservicesrest/v1.0',
    '/atservicesrest/v2.0/Companies',
    '/atservicesrest/v1.0/Nothing/1',
  ])('%s is 404 in the failure envelope', async (path) => {
    const answer = await call(api.url + path, 'GET');
    expect(answer.status).toBe(404);
    expect(answer.body).toEqual(failure('notFound', expect.stringMatching(/404.*No matching records found/)));
  });

  it('answers a method that a path does not have with 405 and the methods it has', async () => {
    const answer = await api.call('DELETE', '/EntityEvents', { as: tenant.source });
    expect(answer).toMatchObject({ status: 405, body: failure('methodNotAllowed') });
    expect(answer.headers.get('allow')).toBe('POST');
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

describe('credentials', () => {
  it('are needed for everything else', async () => {
    await expect(api.call('GET', '/CompanyWebhooks/1')).resolves.toMatchObject({
      status: 401,
      body: failure('unauthorized', expect.stringContaining('UserName, Secret and ApiIntegrationCode')),
    });
  });

  it('are refused in the same words whatever is wrong with them', async () => {
    const { source } = tenant;
    const answers = await Promise.all(
      [
        { ...source, userName: 'nobody@example.com' },
        { ...source, secret: 'wrong' },
        { ...source, apiIntegrationCode: 'wrong' },
        { ...source, secret: tenant.admin.secret },
      ].map((as) => api.call('GET', '/Companies/1', { as })),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(answer.body))).size).toBe(1);
    expect(answers.map((answer) => answer.status)).toEqual([401, 401, 401, 401]);
  });

  it('ignore the case of the user name', async () => {
    const as = { ...tenant.source, userName: tenant.source.userName.toUpperCase() };
    await expect(api.call('GET', '/Companies/1', { as })).resolves.toMatchObject({ status: 404 });
  });

  it('stop working at once when their resource is deactivated, deleted, or they are revoked', async () => {
    const { prisma } = api.database;
    const own = await makeTenant(api.database);
    const id = { tenantId_id: { tenantId: own.id, id: own.source.resourceId } };
    const status = async (as = own.source) => (await api.call('GET', '/Companies/1', { as })).status;
    expect(await status()).toBe(404);
    await prisma.resource.update({ where: id, data: { isActive: false } });
    await expect(api.call('GET', '/Companies/1', { as: own.source })).resolves.toMatchObject({
      status: 401,
      body: failure('unauthorized', expect.stringContaining('not active')),
    });
    await prisma.resource.update({ where: id, data: { isActive: true } });
    expect(await status()).toBe(404);
    await prisma.resource.update({ where: id, data: { deletedAt: new Date() } });
    expect(await status()).toBe(401);
    await prisma.credential.update({
      where: { userNameFolded: own.admin.userName.toLowerCase() },
      data: { revokedAt: new Date() },
    });
    expect(await status(own.admin)).toBe(401);
  });

  it.each([
    ['source', 'GET', '/CompanyWebhooks/1'],
    ['source', 'POST', '/CompanyWebhooks'],
    ['source', 'POST', '/CompanyWebhooks/1/Fields'],
    ['integrator', 'POST', '/Companies'],
    ['integrator', 'PATCH', '/Companies'],
    ['integrator', 'DELETE', '/Companies/1'],
    ['integrator', 'POST', '/EntityEvents'],
  ] as const)('of a %s may not %s %s', async (role, method, path) => {
    await expect(api.call(method, path, { as: tenant[role] })).resolves.toMatchObject({
      status: 403,
      body: failure('forbidden'),
    });
  });

  it('may act for another active resource of their tenant, and for no other', async () => {
    const other = await makeTenant(api.database);
    await makeCredential(api.database, other.id, other.admin.resourceId, 'admin');
    const asResource = (id: string) =>
      api.call('GET', '/Companies/1', { as: tenant.source, headers: { ImpersonationResourceId: id } });
    await expect(asResource('3')).resolves.toMatchObject({ status: 404 });
    for (const id of ['99', '0', '-1', '1.5', 'x', '99999999999']) {
      await expect(asResource(id)).resolves.toMatchObject({ status: 400 });
    }
  });
});

describe('bodies', () => {
  const post = (body: string | Buffer, headers: Record<string, string> = {}) =>
    api.call('POST', '/Companies', { as: tenant.source, body, headers });

  it.each([
    ['nothing', '', 400],
    ['half an object', '{', 400],
    ['null', 'null', 400],
    ['an array', '[]', 400],
    ['a string', '"text"', 400],
    ['more than one value', '{"a":1}}', 400],
    ['broken UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 400],
    ['more than the limit', `{"name":"${'x'.repeat(5000)}"}`, 413],
  ])('of %s are refused', async (_, body, status) => {
    const answer = await post(body);
    expect(answer).toMatchObject({ status, body: { errors: [expect.any(String)] } });
  });

  it('may be larger for EntityEvents, up to a limit of its own', async () => {
    const send = (bytes: number) =>
      api.call('POST', '/EntityEvents', { as: tenant.source, body: `{"events":"${'x'.repeat(bytes)}"}` });
    await expect(send(6000)).resolves.toMatchObject({ status: 400 });
    await expect(send(9000)).resolves.toMatchObject({ status: 413, body: failure('tooLarge') });
  });

  it('are refused with 413 also when their length is not announced', async () => {
    const stream = new ReadableStream({
      start(controller) {
        for (let i = 0; i < 100; i += 1) controller.enqueue(new TextEncoder().encode(' '.repeat(100)));
        controller.close();
      },
    });
    const { userName, secret, apiIntegrationCode } = tenant.source;
    const response = await fetch(`${api.url}/atservicesrest/v1.0/Companies`, {
      method: 'POST',
      headers: {
        UserName: userName,
        Secret: secret,
        ApiIntegrationCode: apiIntegrationCode,
        'Content-Type': 'application/json',
      },
      body: stream,
      duplex: 'half',
    });
    expect(response.status).toBe(413);
  });

  it.each([
    [{ 'Content-Type': 'text/plain' }],
    [{ 'Content-Type': 'application/x-www-form-urlencoded' }],
    [{ 'Content-Type': 'application/json; charset=utf-16' }],
    [{ 'Content-Encoding': 'gzip' }],
  ])('with %j are refused with 415', async (headers) => {
    await expect(post('{}', headers)).resolves.toMatchObject({ status: 415, body: failure('unsupportedMediaType') });
  });

  it.each(['application/json; charset=UTF-8', 'Application/JSON', 'application/vnd.api+json; charset="utf-8"'])(
    'with Content-Type %s are read',
    async (contentType) => {
      await expect(post('{}', { 'Content-Type': contentType })).resolves.toMatchObject({
        status: 400,
        body: { errors: expect.arrayContaining(['companyName is required']) },
      });
    },
  );

  it.each([
    ['deep', `{"companyName":${'['.repeat(2000)}${']'.repeat(2000)}}`],
    ['deep and unknown', `{"unknown":${'{"a":'.repeat(600)}1${'}'.repeat(600)}}`],
    ['a __proto__ key', '{"__proto__":{"companyName":"x"},"constructor":{"prototype":{"isAdmin":true}}}'],
    ['keys that differ by case only', '{"companyName":"a","CompanyName":"b"}'],
    ['unknown keys that differ by case only', '{"unheardOf":"a","UNHEARDOF":"b"}'],
  ])('that are odd (%s) are refused with 400 and do no harm', async (_, body) => {
    await expect(post(body)).resolves.toMatchObject({ status: 400 });
    expect(Object.prototype).not.toHaveProperty('isAdmin');
    expect({}).not.toHaveProperty('companyName');
  });

  it('may be empty with Content-Type: application/json where none is needed', async () => {
    const headers = { 'Content-Type': 'application/json' };
    await expect(api.call('GET', '/Companies/77', { as: tenant.source, headers })).resolves.toMatchObject({
      status: 404,
    });
    await expect(api.call('DELETE', '/Companies/77', { as: tenant.source, headers })).resolves.toMatchObject({
      status: 404,
    });
  });

  it('are not read before the caller is known', async () => {
    await expect(api.call('POST', '/Companies', { body: 'x'.repeat(5000) })).resolves.toMatchObject({ status: 401 });
  });
});

describe('every answer', () => {
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

describe('what is no HTTP', () => {
  it('is answered in the same envelope', async () => {
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
    socket.end('NONSENSE\r\n\r\n');
    const answer = await text(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(answer).toContain('{"errors":["This is not a valid HTTP request."]');
  });
});

describe('a database that is away', () => {
  it('is 503 with Retry-After, and not ready, while the process stays live', async () => {
    const lonely = await startTestApi('postgres://callout:pa55word@127.0.0.1:1/nothing');
    try {
      for (const path of ['/Companies/1', '/CompanyWebhooks/1']) {
        const answer = await lonely.call('GET', path, { as: tenant.admin });
        expect(answer).toMatchObject({ status: 503, body: failure('unavailable') });
        expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
      }
      await expect(call(`${lonely.url}/readyz`, 'GET')).resolves.toMatchObject({
        status: 503,
        body: { status: 'not ready', checks: { postgres: 'failed', partitions: 'failed' } },
      });
      await expect(call(`${lonely.url}/healthz`, 'GET')).resolves.toMatchObject({ status: 200 });
      expect(lonely.log()).not.toContain('pa55word');
    } finally {
      await lonely.stop();
    }
  });

  it('answers a surprise with 500 and the id of the request only', async () => {
    const broken = await startTestApi(testDatabase.url);
    try {
      const { prisma } = broken.database;
      await prisma.$executeRaw`ALTER TABLE records RENAME TO records_elsewhere`;
      const answer = await broken.call('GET', '/Companies/1', { as: tenant.admin });
      expect(answer).toMatchObject({ status: 500, body: failure('internal') });
      expect(JSON.stringify(answer.body)).toContain(answer.headers.get('x-request-id'));
      expect(JSON.stringify(answer.body)).not.toMatch(/records|prisma|select|\.ts/i);
      expect(broken.log()).toContain('"msg":"request failed"');
    } finally {
      await api.database.prisma.$executeRaw`ALTER TABLE records_elsewhere RENAME TO records`;
      await broken.stop();
    }
  });
});
