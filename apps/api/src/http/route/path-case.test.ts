import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@callout/testing';
import { runTestApi } from '../../fixtures/run-test-api.ts';
import { makeTenant, type TestCredential, type TestTenant } from '../../fixtures/test-tenant.ts';

const api = runTestApi({ MAX_BODY_BYTES: '2000' });
let tenant: TestTenant;

beforeAll(async () => {
  tenant = await makeTenant(api.database);
  const company = { id: 5, companyName: 'Acme', companyType: 1, ownerResourceID: 1, phone: '555' };
  await api.call('POST', '/Companies', { as: tenant.admin, body: company });
  await api.call('POST', '/EntityEvents', { as: tenant.source, body: { events: [event] } });
});

const event = { eventID: 'e-1', entityType: 'Account', action: 'Update', id: 7, fields: { city: 'Oslo' } };

interface Asked {
  method: string;
  path: string;
  as?: keyof Omit<TestTenant, 'id'>;
  body?: string;
  /** Of the body; JSON when absent. */
  type?: string;
  headers?: Record<string, string>;
}

/** The whole response as it comes over the wire, and the line that is logged of it; without time and id. */
async function ask({ method, path, as, body, type = 'application/json', headers }: Asked): Promise<string[]> {
  const { hostname, port } = new URL(api.url);
  const credential: TestCredential | undefined = as && tenant[as];
  const lines = [
    `${method} /atservicesrest/v1.0${path} HTTP/1.1`,
    `Host: ${hostname}`,
    'X-Request-Id: same',
    'Connection: close',
    ...(credential
      ? [
          `UserName: ${credential.userName}`,
          `Secret: ${credential.secret}`,
          `ApiIntegrationCode: ${credential.apiIntegrationCode}`,
        ]
      : []),
    ...(body === undefined ? [] : [`Content-Type: ${type}`, `Content-Length: ${Buffer.byteLength(body)}`]),
    ...Object.entries(headers ?? {}).map(([name, value]) => `${name}: ${value}`),
  ];
  const logged = api.log().length;
  const socket = connect(Number(port), hostname);
  socket.write(`${lines.join('\r\n')}\r\n\r\n${body ?? ''}`);
  const response = (await text(socket)).replace(/Date: [^\r]*/u, 'Date: now');
  // The line is written when the response is out, which may be later than it is here.
  await eventually(() => expect(api.log().length).toBeGreaterThan(logged));
  const { time, durationMs, ...line } = JSON.parse(api.log().slice(logged)) as Record<string, unknown>;
  expect([typeof time, typeof durationMs]).toEqual(['string', 'number']);
  return [response, JSON.stringify(line)];
}

const events = (...all: unknown[]) => JSON.stringify({ events: all });

const requests: [string, Asked, status: number][] = [
  ['an event', { method: 'POST', path: '/EntityEvents', as: 'source', body: events(event) }, 202],
  ['an eventID of another caller', { method: 'POST', path: '/EntityEvents', as: 'admin', body: events(event) }, 409],
  [
    'an event with names that mean nothing',
    {
      method: 'POST',
      path: '/EntityEvents',
      as: 'source',
      body: events({ ...event, fields: { city: 'Oslo', cty: 1 } }),
    },
    202,
  ],
  ['events that are none', { method: 'POST', path: '/EntityEvents', as: 'source', body: '{"events":[{}]}' }, 400],
  ['a body that is no JSON', { method: 'POST', path: '/EntityEvents', as: 'source', body: '{' }, 400],
  ['a body that is too large', { method: 'POST', path: '/EntityEvents', as: 'source', body: ' '.repeat(33_000) }, 413],
  ['a text', { method: 'POST', path: '/EntityEvents', as: 'source', body: '{}', type: 'text/plain' }, 415],
  ['a caller without credentials', { method: 'POST', path: '/EntityEvents', body: events(event) }, 401],
  ['a role that may not', { method: 'POST', path: '/EntityEvents', as: 'integrator', body: events(event) }, 403],
  ['a method that is not there', { method: 'GET', path: '/EntityEvents', as: 'source' }, 405],
  [
    'a strict caller',
    {
      method: 'POST',
      path: '/EntityEvents',
      as: 'source',
      body: events({ ...event, cty: 1 }),
      headers: { Prefer: 'handling=strict' },
    },
    400,
  ],
  ['a change', { method: 'PATCH', path: '/Companies/5', as: 'source', body: '{"city":"Oslo"}' }, 200],
  ['a change without an id', { method: 'PATCH', path: '/Companies', as: 'source', body: '{"city":"Oslo"}' }, 400],
  ['a change of what is not there', { method: 'PATCH', path: '/Companies/6', as: 'source', body: '{}' }, 404],
  ['an id that is too large', { method: 'PATCH', path: `/Companies/${2 ** 53}`, as: 'source', body: '{}' }, 400],
  ['a place below a record', { method: 'PATCH', path: '/Companies/5/Contacts/9', as: 'source', body: '{}' }, 404],
  ['a deletion of what is not there', { method: 'DELETE', path: '/Companies/6', as: 'source' }, 404],
  ['a creation that is refused', { method: 'POST', path: '/Companies', as: 'source', body: '{"id":5}' }, 400],
];

describe('a path in lower case', () => {
  it.each(requests)(
    'has the response and the log line of the documented spelling: %s',
    async (_what, asked, status) => {
      const [response, line] = await ask(asked);
      expect(response).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect(await ask({ ...asked, path: asked.path.toLowerCase() })).toEqual([response, line]);
      expect(JSON.parse(line ?? '')).toMatchObject({ requestId: 'same', method: asked.method, status });
    },
  );
});
