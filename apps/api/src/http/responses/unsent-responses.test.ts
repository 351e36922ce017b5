import { afterEach, describe, expect, it } from '@jest/globals';
import { connect, type Socket } from 'node:net';
import type { Problem } from '@callout/domain/problem';
import { eventually } from '@callout/testing';
import { startHttpServer, type HttpServer } from '../server/server.ts';
import { createTenantBudget } from '../limits/tenant-budget.ts';
import { problemResponse } from '../problem-response.ts';
import { send } from '../api-response.ts';
import { createUnsentResponses } from './unsent-responses.ts';

const MIB = 2 ** 20;
const pageOf = (bytes: number) => ({
  items: Array.from({ length: bytes / 65_536 }, () => 'x'.repeat(65_533)),
  pageDetails: {},
});
/** The system buffers some 4 MiB of it for a connection that is not read. */
const PAGE_BYTES = 16 * MIB;
const page = pageOf(PAGE_BYTES);
const pageText = JSON.stringify(page);
/** Just more than the system buffers. */
const SHORT_PAGE_BYTES = 8 * MIB;
const shortPage = pageOf(SHORT_PAGE_BYTES);

let server: HttpServer;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server.close();
});

/** A server whose paths are `/{tenant}/page`, `/{tenant}/short`, and `/{tenant}/write`, which may not be refused. */
async function aServer(maxBytes: number, usualBytes = 1) {
  const budget = createTenantBudget(maxBytes, {
    unavailable: 'others have it',
    tooManyRequests: 'you have it',
    retryAfterS: 1,
  });
  const unsent = createUnsentResponses(budget, usualBytes);
  const fills: number[] = [];
  const statuses: number[] = [];
  server = await startHttpServer(
    (request, response) => {
      const [, tenant, kind] = (request.url ?? '').split('/');
      const tenantId = Number(tenant);
      const mayRefuse = kind !== 'write';
      try {
        if (mayRefuse) unsent.admit(tenantId);
        unsent.send(response, { status: 200, body: kind === 'short' ? shortPage : page }, { tenantId, mayRefuse });
      } catch (problem) {
        send(response, { status: problemResponse(problem as Problem).status, body: {} });
      }
      statuses.push(response.statusCode);
      fills.push(budget.reserve(tenantId).usage());
    },
    '127.0.0.1',
    0,
    { idlePatienceMs: 0, senderPatienceMs: 0 },
  );
  return {
    admit: (tenantId: number) => unsent.admit(tenantId),
    fills,
    statuses,
    fillOf: (tenantId: number) => budget.reserve(tenantId).usage(),
  };
}

function ask(path: string, times = 1): Socket {
  const socket = connect(server.port, server.host);
  socket.on('error', () => undefined);
  sockets.push(socket);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(times));
  return socket;
}

const read = async (path: string) => (await fetch(`http://127.0.0.1:${server.port}${path}`)).text();

describe('unread responses', () => {
  it('use half of the capacity at most, while another tenant is served', async () => {
    const { fills, statuses } = await aServer(4.2 * PAGE_BYTES);
    for (let count = 0; count < 6; count += 1) ask('/1/page');
    await eventually(() => statuses.length === 6);
    expect(statuses.filter((status) => status === 200)).toHaveLength(2);
    expect(statuses.filter((status) => status === 429)).toHaveLength(4);
    expect(Math.max(...fills)).toBeLessThanOrEqual(1);
    await expect(read('/2/page')).resolves.toBe(pageText);
  });

  it('cost their readers the connection within seconds when capacity is scarce, and give it back', async () => {
    const { fillOf } = await aServer(PAGE_BYTES);
    const hanging = ask('/1/page');
    await eventually(() => fillOf(1) > 1);
    await eventually(() => fillOf(1) === 0);
    // Bytes that were sent before still arrive.
    hanging.resume();
    await eventually(() => hanging.closed);
    expect(hanging.bytesRead).toBeLessThan(PAGE_BYTES);
    await expect(read('/1/page')).resolves.toBe(pageText);
  });

  it('are not made where there is no capacity for a usual one; a tenant without any always gets one', async () => {
    const { admit, fillOf } = await aServer(4 * PAGE_BYTES, 1.5 * PAGE_BYTES);
    ask('/1/page');
    await eventually(() => fillOf(1) > 0.3);
    expect(() => admit(1)).toThrow(expect.objectContaining({ kind: 'tooMany' }));
    expect(() => admit(2)).not.toThrow();
  });

  it.each([
    ['goes away', 1, (socket: Socket) => void socket.destroy()],
    ['goes away, with others asked for in advance', 3, (socket: Socket) => void socket.destroy()],
    ['resets it', 1, (socket: Socket) => void socket.resetAndDestroy()],
    ['reads on', 1, (socket: Socket) => void socket.resume()],
    ['reads on, with others asked for in advance', 3, (socket: Socket) => void socket.resume()],
  ])('hold no capacity any more when the reader %s', async (_, times, end) => {
    const { fillOf, statuses } = await aServer(100 * SHORT_PAGE_BYTES);
    const socket = ask('/1/short', times);
    await eventually(() => statuses.length > 0 && fillOf(1) > 0);
    end(socket);
    await eventually(() => fillOf(1) === 0);
    expect(statuses).toContain(200);
  });

  it('are sent in any case to a caller that has changed something', async () => {
    const { fillOf, statuses } = await aServer(PAGE_BYTES);
    ask('/1/write');
    await eventually(() => statuses.length === 1);
    await expect(read('/1/write')).resolves.toBe(pageText);
    expect(statuses).toEqual([200, 200]);
    expect(fillOf(1)).toBeGreaterThan(1);
  });
});
