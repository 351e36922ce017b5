import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { failure } from '../fixtures/failure.ts';
import { runTestApi } from '../fixtures/run-test-api.ts';
import { makeTenant, type TestTenant } from '../fixtures/test-tenant.ts';

const api = runTestApi({ MAX_BODY_BYTES: '4096' });
let tenant: TestTenant;

beforeAll(async () => {
  tenant = await makeTenant(api.database);
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
    const response = await post(body);
    expect(response).toMatchObject({ status, body: { errors: [expect.any(String)] } });
  });

  it('may be larger for EntityEvents, up to a limit of its own', async () => {
    const send = (bytes: number) =>
      api.call('POST', '/EntityEvents', { as: tenant.source, body: `{"events":"${'x'.repeat(bytes)}"}` });
    await expect(send(6000)).resolves.toMatchObject({ status: 400 });
    await expect(send(66_000)).resolves.toMatchObject({ status: 413, body: failure('tooLarge') });
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
    [{ 'Content-Encoding': 'zstd' }],
    [{ 'Content-Encoding': 'gzip, gzip' }],
  ])('with %j are refused with 415', async (headers) => {
    await expect(post('{}', headers)).resolves.toMatchObject({ status: 415, body: failure('unsupportedMediaType') });
  });

  const company = Buffer.from(`{"companyName":"Größe","unknown":"${'x'.repeat(3_000)}"}`);
  const codings: Readonly<Record<string, [name: string, compress: (bytes: Buffer) => Buffer]>> = {
    gzip: ['gzip', gzipSync],
    'x-gzip': ['X-GZip', gzipSync],
    'deflate of zlib': ['deflate', deflateSync],
    'raw deflate': ['deflate', deflateRawSync],
    brotli: ['br', brotliCompressSync],
  };
  const zeros = (bytes: number) => Buffer.concat([Buffer.from('{"a":"'), Buffer.alloc(bytes, 0x30), Buffer.from('"}')]);

  describe.each(Object.entries(codings))('compressed by %s', (_, [name, compress]) => {
    const headers = { 'Content-Encoding': name };

    it('are read, as are plain ones under that header', async () => {
      for (const body of [compress(company), company]) {
        expect(await post(body, headers)).toMatchObject({
          status: 400,
          body: { errors: ['companyType is required', 'ownerResourceID is required', 'phone is required'] },
        });
      }
    });

    it('are refused above the limit for what they hold, before all of it is inflated', async () => {
      const bomb = compress(zeros(4_000_000)).subarray(0, 4_096);
      const responses = await Promise.all(Array.from({ length: 5 }, () => post(bomb, headers)));
      expect(responses.map(({ status, body }) => [status, body])).toEqual(
        responses.map(() => [413, expect.objectContaining(failure('tooLarge'))]),
      );
    });

    it('are refused where they are cut off or broken', async () => {
      const whole = compress(company);
      for (const body of [
        whole.subarray(0, whole.length - 12),
        Buffer.concat([whole.subarray(0, 8), Buffer.alloc(40, 0xff)]),
      ]) {
        expect(await post(body, headers)).toMatchObject({ status: 400, body: failure('invalid') });
      }
    });
  });

  it('are read in the coding that a refusal names', async () => {
    const { headers } = await post('{}', { 'Content-Encoding': 'compress' });
    expect(headers.get('accept-encoding')).toBe('gzip, deflate, br');
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

  it.each(['text/json', 'Text/JSON; charset=utf-8', ''])('with Content-Type "%s" are read', async (contentType) => {
    await expect(post('{}', { 'Content-Type': contentType })).resolves.toMatchObject({
      status: 400,
      body: { errors: expect.arrayContaining(['companyName is required']) },
    });
  });

  /** Sends these bytes without any Content-Type, which fetch cannot. */
  const postUndeclared = async (body: string | Buffer) => {
    const { userName, secret, apiIntegrationCode } = tenant.source;
    const headers = { UserName: userName, Secret: secret, ApiIntegrationCode: apiIntegrationCode };
    const sent = request(`${api.url}/atservicesrest/v1.0/Companies`, { method: 'POST', headers }).end(body);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: response.statusCode, body: JSON.parse(await text(response)) as unknown };
  };

  it('that curl sends as a form are refused with what it needs', async () => {
    const response = await post('{}', { 'Content-Type': 'application/x-www-form-urlencoded' });
    const message =
      "Content-Type must be application/json, not application/x-www-form-urlencoded: with -d, curl needs -H 'Content-Type: application/json', too";
    expect(response).toMatchObject({ status: 415, body: failure('unsupportedMediaType', message) });
  });

  it('without Content-Type are JSON when they parse, and 415 when they do not', async () => {
    const company = { companyName: 'Acme', companyType: 1, ownerResourceID: 1, phone: '1' };
    await expect(postUndeclared(JSON.stringify(company))).resolves.toMatchObject({
      status: 200,
      body: { itemId: expect.any(Number) },
    });
    for (const other of ['companyName=Acme', '{', Buffer.from([0x22, 0xff, 0x22])]) {
      await expect(postUndeclared(other)).resolves.toMatchObject({
        status: 415,
        body: failure('unsupportedMediaType'),
      });
    }
  });

  it('that say they are JSON and are not are 400', async () => {
    await expect(post('{', { 'Content-Type': 'text/json' })).resolves.toMatchObject({ status: 400 });
  });

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

  it('get a hundred problems at most', async () => {
    const twins = Array.from({ length: 150 }, (_, index) => [`x${index}`, `X${index}`]).flat();
    const response = await post(JSON.stringify(Object.fromEntries(twins.map((key) => [key, 1]))));
    expect(response.status).toBe(400);
    expect((response.body as { details: unknown[] }).details).toHaveLength(100);
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
