import { gzipSync } from 'node:zlib';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { eventually, forThisFile } from '@callout/testing';
import { runTestApi } from '../../fixtures/run-test-api.ts';
import { makeTenant } from '../../fixtures/test-tenant.ts';
import { ATWS } from '../xml/xml-element.ts';
import { message, post, SERVICE, soapClient, versionCall } from '../soap-client.fixture.ts';

const api = runTestApi();
const apiWithoutDefault = runTestApi({ ZONE_OF_UNKNOWN_USERS: 'none' });
const tenant = forThisFile(
  () => makeTenant(api.database),
  async () => undefined,
);
/** The status of a message that comes from 127.0.0.2. */
async function fromAnotherAddress(body: string): Promise<number | undefined> {
  const options = { method: 'POST', headers: { 'Content-Type': 'text/xml' }, localAddress: '127.0.0.2' };
  const sent = request(api.url + SERVICE, options).end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.resume();
  return response.statusCode;
}

const code = () => tenant.integrator.apiIntegrationCode;
const zoneCall = (user: string) => `<getZoneInfo xmlns="${ATWS}"><UserName>${user}</UserName></getZoneInfo>`;

describe('the paths of the SOAP API', () => {
  it.each([
    '/atservices/1.6/atws.wsdl',
    `${SERVICE}?wsdl`,
    '/ATServices/1.6/ATWS.asmx?WSDL',
    '/ATSERVICES/1.6/ATWS.WSDL/',
  ])('GET %s is the description, with the address that was called', async (path) => {
    const response = await fetch(api.url + path);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/xml; charset=utf-8');
    expect(await response.text()).toContain(`location="${api.url}${SERVICE}"`);
  });

  it('ignore case, as those of old clients do', async () => {
    const response = await fetch(`${api.url}/ATServices/1.6/atws.asmx`, {
      method: 'POST',
      headers: { 'Content-Type': 'text/xml' },
      body: message(zoneCall('jo@example.com')),
    });
    expect(response.status).toBe(200);
  });

  it('accept POST alone for calls', async () => {
    const response = await fetch(api.url + SERVICE);
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('POST');
    expect(await response.text()).toContain('<faultcode>soap:Client</faultcode>');
  });
});

describe('getZoneInfo', () => {
  it('needs no credentials, and says what zoneInformation says', async () => {
    const { status, text } = await post(api, message(zoneCall(tenant.integrator.userName)));
    expect([status, text]).toEqual([200, expect.stringContaining(`<URL>http://127.0.0.1${SERVICE}</URL>`)]);
    expect(text).toMatch(
      /<ErrorCode>0<\/ErrorCode><DataBaseType\/><CI>\d+<\/CI><WebUrl>http:\/\/127\.0\.0\.1<\/WebUrl>/u,
    );
  });

  it('is answered to a client that signs in all the same', async () => {
    const client = await soapClient(api, tenant.integrator);
    await expect(client.call('getZoneInfo', { UserName: tenant.admin.userName })).resolves.toMatchObject({
      URL: `http://127.0.0.1${SERVICE}`,
      ErrorCode: 0,
    });
  });

  it('has no URL for an unknown user where that is asked for', async () => {
    const { status, text } = await post(apiWithoutDefault, message(zoneCall('nobody')));
    expect([status, text]).toEqual([200, expect.stringContaining('<getZoneInfoResult><URL></URL>')]);
  });

  it('needs a name', async () => {
    const { status, text } = await post(api, message(zoneCall(' ')));
    expect([status, text]).toEqual([500, expect.stringContaining('UserName is required')]);
  });
});

describe('a fault', () => {
  it('of the caller is none of the service in the log, though its status is 500', async () => {
    const { status } = await post(api, message('<no-such-call xmlns="urn:strange"/>'));
    expect(status).toBe(500);
    await eventually(() => expect(api.log()).toMatch(/"route":"SOAP","status":400/u));
    expect(api.log()).not.toMatch(/"status":5\d\d/u);
  });
});

describe('messages without credentials', () => {
  it('of one address that do not end leave capacity for those of others, and for tenants', async () => {
    const stalled = Array.from({ length: 40 }, () => {
      const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
      const headers = ['POST /atservices/1.6/atws.asmx HTTP/1.1', 'Host: a', 'Content-Type: text/xml'];
      socket.write(`${headers.join('\r\n')}\r\nContent-Length: 16384\r\n\r\n${' '.repeat(16_000)}`);
      return socket;
    });
    const response = await Promise.race(stalled.map(async (socket) => String(await once(socket, 'data'))));
    expect(response).toContain('Too many requests from this address are being read.');
    const other = await fromAnotherAddress(message(zoneCall('jo@example.com')));
    expect(other).toBe(200);
    for (const socket of stalled) socket.destroy();
  });
});

describe('signing in', () => {
  it('accepts HTTP Basic and the code of the header', async () => {
    const client = await soapClient(api, tenant.integrator);
    await expect(client.call('GetWsdlVersion')).resolves.toBe('1.6');
  });

  it.each(['source', 'admin'] as const)('is open to the role %s', async (role) => {
    const client = await soapClient(api, tenant[role]);
    await expect(client.call('GetWsdlVersion')).resolves.toBe('1.6');
  });

  it('asks for credentials where there are none, also before a large body is read', async () => {
    for (const body of ['', message(versionCall), message(versionCall + ' '.repeat(100_000))]) {
      const { status, headers, text } = await post(api, body);
      expect(status).toBe(401);
      expect(headers.get('www-authenticate')).toBe('Basic realm="Callout", charset="UTF-8"');
      expect(text).toContain('AutotaskIntegrations with an IntegrationCode');
    }
  });

  it.each([
    ['no code', () => ({ body: message(versionCall), as: tenant.integrator })],
    ['another code', () => ({ body: message(versionCall, 'wrong'), as: tenant.integrator })],
    [
      'the code of another',
      () => ({ body: message(versionCall, tenant.admin.apiIntegrationCode), as: tenant.integrator }),
    ],
    ['another secret', () => ({ body: message(versionCall, code()), as: { ...tenant.integrator, secret: 'wrong' } })],
    [
      'an unknown name',
      () => ({ body: message(versionCall, code()), as: { ...tenant.integrator, userName: 'x@example.com' } }),
    ],
  ])('refuses %s', async (_, given) => {
    const { body, as } = given();
    const { status, text } = await post(api, body, { as });
    expect([status, text]).toEqual([401, expect.stringContaining('<faultcode>soap:Client</faultcode>')]);
  });

  it('locks a name out as REST does, for both', async () => {
    const locked = (await makeTenant(api.database)).integrator;
    for (let n = 0; n < 10; n += 1) {
      await post(api, message(versionCall, 'wrong'), { as: locked });
    }
    const soap = await post(api, message(versionCall, locked.apiIntegrationCode), { as: locked });
    expect([soap.status, soap.text]).toEqual([401, expect.stringContaining('is locked out from this address')]);
    expect(soap.headers.get('retry-after')).toMatch(/^\d+$/u);
    await expect(api.call('GET', '/Companies/1', { as: locked })).resolves.toMatchObject({
      status: 401,
      body: { details: [{ code: 'lockedOut' }] },
    });
  });

  it('refuses a resource that cannot be impersonated, and reads 0 as none', async () => {
    const client = (id: number) => soapClient(api, tenant.integrator, { header: { ImpersonateAsResourceID: id } });
    await expect((await client(0)).call('GetWsdlVersion')).resolves.toBe('1.6');
    await expect((await client(77)).call('GetWsdlVersion')).rejects.toThrow('active resource of this tenant');
  });

  it('counts requests with those of REST', async () => {
    const other = await makeTenant(api.database);
    await api.database.prisma.tenant.update({ where: { id: other.id }, data: { apiRequestsPerHour: 2 } });
    await api.call('GET', '/Companies/1', { as: other.admin });
    const client = await soapClient(api, other.integrator);
    await expect(client.call('GetWsdlVersion')).resolves.toBe('1.6');
    const response = await post(api, message(versionCall, other.admin.apiIntegrationCode), { as: other.admin });
    expect([response.status, response.text]).toEqual([
      429,
      expect.stringContaining('this tenant, 2 requests per hour'),
    ]);
  });
});

describe('SOAP', () => {
  const soap12 = (call: string) =>
    message(call, code()).replace('schemas.xmlsoap.org/soap/envelope/', 'www.w3.org/2003/05/soap-envelope');
  const send = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
    post(api, body, { as: tenant.integrator, headers });

  it('1.2 is answered in 1.2', async () => {
    const client = await soapClient(api, tenant.integrator, { forceSoap12Headers: true });
    await expect(client.call('GetWsdlVersion')).resolves.toBe('1.6');
    const { status, headers, text } = await send(soap12('<nothing/>'), { 'Content-Type': 'application/soap+xml' });
    expect([status, headers.get('content-type')]).toEqual([400, 'application/soap+xml; charset=utf-8']);
    expect(text).toContain('<soap:Code><soap:Value>soap:Sender</soap:Value></soap:Code>');
  });

  it('is accepted in UTF-16, without a media type, and with the action of its operation', async () => {
    const utf16 = Uint8Array.from(
      Buffer.from(`\uFEFF${message(versionCall, code()).replace('utf-8', 'utf-16')}`, 'utf16le'),
    );
    const takes: [string | Uint8Array<ArrayBuffer>, Record<string, string>][] = [
      [utf16, { 'Content-Type': 'text/xml; charset=utf-16' }],
      [message(versionCall, code()), { SOAPAction: `"${ATWS}GetWsdlVersion"` }],
      [message(versionCall, code()), { SOAPAction: '""' }],
      [message(`<getwsdlversion xmlns="${ATWS}"/>`, code()), {}],
    ];
    for (const [body, headers] of takes) await expect(send(body, headers)).resolves.toMatchObject({ status: 200 });
  });

  it.each([
    ['no envelope', () => '<a/>', 'no SOAP envelope'],
    [
      'an envelope of another version',
      () => message(versionCall, code()).replace('/soap/envelope/', '/soap/'),
      'VersionMismatch',
    ],
    [
      'two bodies',
      () => message(versionCall, code()).replace('</s:Body>', `</s:Body><s:Body>${versionCall}</s:Body>`),
      'must have one Body',
    ],
    ['no body', () => message(versionCall, code()).replace(/<s:Body>.*<\/s:Body>/su, ''), 'must have one Body'],
    ['two calls', () => message(versionCall + versionCall, code()), 'must call one operation'],
    ['an empty body', () => message('', code()), 'must call one operation'],
    ['another namespace', () => message('<GetWsdlVersion xmlns="urn:x"/>', code()), 'not in the namespace'],
    ['no namespace', () => message('<GetWsdlVersion/>', code()), 'not in the namespace'],
    [
      'an unknown operation',
      () => message(`<CreateAttachment xmlns="${ATWS}"/>`, code()),
      'There is no operation CreateAttachment',
    ],
    [
      'a header that must be understood',
      () =>
        message(versionCall, code()).replace(
          '<s:Header>',
          '<s:Header><w:Security xmlns:w="urn:w" s:mustUnderstand="1"/>',
        ),
      'MustUnderstand',
    ],
    [
      'two headers of the integration',
      () => message(versionCall, code()).replace(/(<Auto.*Integrations>)/su, '$1$1'),
      'must be there once',
    ],
    [
      'a document type',
      () => message(versionCall, code()).replace('?>', '?><!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>'),
      'document type',
    ],
    ['JSON', () => '{}', 'not well-formed'],
    ['NUL', () => message(versionCall, code()).replace('</s:Body>', '\0</s:Body>'), 'disallowed character'],
  ])('with %s is a fault', async (_, body, words) => {
    const { status, text } = await send(body());
    expect([status, text]).toEqual([500, expect.stringContaining(words)]);
    expect(text).toContain('<soap:Fault><faultcode>soap:');
  });

  it.each([
    [413, 'more than 1 MiB', () => message(' '.repeat(10_000_000), code()), {}],
    [415, 'JSON by its media type', () => message(versionCall, code()), { 'Content-Type': 'application/json' }],
    [415, 'attachments', () => message(versionCall, code()), { 'Content-Type': 'multipart/related' }],
    [415, 'another encoding', () => message(versionCall, code()), { 'Content-Type': 'text/xml; charset=iso-8859-1' }],
    [415, 'an unknown compression', () => message(versionCall, code()), { 'Content-Encoding': 'zstd' }],
    [500, 'another action', () => message(versionCall, code()), { SOAPAction: `${ATWS}delete` }],
  ])('is %i with %s', async (status, _, body, headers) => {
    await expect(send(body(), headers)).resolves.toMatchObject({ status });
  });

  it('reads a message that is compressed, and a plain one under that header', async () => {
    const plain = message(versionCall, code());
    for (const body of [gzipSync(plain), plain]) {
      expect(await send(body, { 'Content-Encoding': 'gzip' })).toMatchObject({ status: 200 });
    }
  });

  it('leaves one line in the log that names the operation', async () => {
    await send(message(versionCall, code()), { 'X-Request-Id': 'soap:1' });
    const lines = api.log().split('\n');
    expect(JSON.parse(lines.find((line) => line.includes('soap:1')) ?? '{}')).toMatchObject({
      route: 'SOAP GetWsdlVersion',
      status: 200,
      tenantId: tenant.id,
    });
  });
});
