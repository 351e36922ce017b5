import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { eventually } from '@callout/testing';
import { runTestApi } from '../../fixtures/run-test-api.ts';
import { makeTenant, type TestTenant } from '../../fixtures/test-tenant.ts';

/** The most that a batch of events may have here; two of them are all that is read at a time. */
const BODY_BYTES = 262_144;
const api = runTestApi({ MAX_BODY_BYTES: String(BODY_BYTES / 16) });
let bystander: TestTenant;
let sockets: Socket[];

beforeEach(async () => {
  bystander = await makeTenant(api.database);
  sockets = [];
});
afterEach(() => {
  for (const socket of sockets) socket.destroy();
});

/** Announces a whole body, sends all of it but a few bytes, and never closes by itself. */
async function stall(framing: 'announced' | 'chunked'): Promise<Socket> {
  const { source } = await makeTenant(api.database);
  const socket = connect({ port: Number(new URL(api.url).port), host: '127.0.0.1', allowHalfOpen: true });
  sockets.push(socket);
  const most = BODY_BYTES - 8;
  const headers = [
    'POST /atservicesrest/v1.0/EntityEvents HTTP/1.1',
    'Host: a',
    `UserName: ${source.userName}`,
    `Secret: ${source.secret}`,
    `ApiIntegrationCode: ${source.apiIntegrationCode}`,
    'Content-Type: application/json',
    framing === 'announced' ? `Content-Length: ${BODY_BYTES}` : 'Transfer-Encoding: chunked',
  ];
  const size = framing === 'announced' ? '' : `${BODY_BYTES.toString(16)}\r\n`;
  socket.write(`${headers.join('\r\n')}\r\n\r\n${size}${' '.repeat(most)}`);
  return socket;
}

/** Posts that many events as the bystander, and returns the result. */
async function statusOf(count: number): Promise<number> {
  const event = { entityType: 'Account', action: 'Create', id: 1, fields: { companyName: 'x'.repeat(50) } };
  const events = Array.from({ length: count }, () => event);
  const { status } = await api.call('POST', '/EntityEvents', { as: bystander.source, body: { events } });
  return status;
}

/** Whether there is no capacity for a body that is not small. */
async function isRefused(): Promise<boolean> {
  const status = await statusOf(20);
  expect([202, 503]).toContain(status);
  return status === 503;
}

/** Takes all capacity with the bodies of two tenants. */
async function reserveAllCapacity(framing: 'announced' | 'chunked' = 'announced'): Promise<Socket[]> {
  const both = [await stall(framing), await stall(framing)];
  await eventually(async () => {
    // A try of the bystander may have been in the way of one.
    for (const [index, socket] of both.entries()) if (socket.bytesRead > 0) both[index] = await stall(framing);
    return isRefused();
  });
  return both;
}

describe('bodies that stop coming', () => {
  it('leave capacity for the small ones of others', async () => {
    await reserveAllCapacity();
    expect(await statusOf(1)).toBe(202);
  });

  it.each(['announced', 'chunked'] as const)(
    'give their capacity back while their connections still hang (%s)',
    async (framing) => {
      const stalled = await reserveAllCapacity(framing);
      const responses = stalled.map(async (socket) => String(await once(socket, 'data')));
      // The server waits some seconds for them.
      await eventually(async () => !(await isRefused()), { everyMs: 200 });
      for (const response of await Promise.all(responses)) {
        expect(response).toMatch(/^HTTP\/1\.1 408 /);
        expect(response).toMatch(/\r\nConnection: close\r\n/);
        expect(response).toContain('The body took too long to arrive.');
      }
      expect(stalled.map((socket) => socket.destroyed)).toEqual([false, false]);
    },
  );

  it('are cut off by the server, which does not wait for their senders to close', async () => {
    const stalled = await reserveAllCapacity();
    await Promise.all(stalled.map((socket) => once(socket, 'data')));
    for (const socket of stalled) socket.on('error', () => undefined);
    // Writing to a connection that the other side has closed is answered with a reset.
    await eventually(() => {
      for (const socket of stalled) if (!socket.destroyed) socket.write(' ');
      return stalled.every((socket) => socket.destroyed);
    });
    expect(await isRefused()).toBe(false);
  });

  it.each([
    ['half-closed', (socket: Socket) => void socket.end()],
    ['reset', (socket: Socket) => void socket.resetAndDestroy()],
    ['closed', (socket: Socket) => void socket.destroy()],
    ['broken', (socket: Socket) => void socket.write('\r\nno chunk\r\n')],
  ])('give their capacity back when the connection is %s', async (_, end) => {
    for (const socket of await reserveAllCapacity('chunked')) end(socket);
    await eventually(async () => !(await isRefused()));
    expect(sockets.length).toBeGreaterThanOrEqual(2);
  });
});
