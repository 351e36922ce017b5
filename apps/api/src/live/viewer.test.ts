import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createViewer } from './viewer.ts';

const servers: ReturnType<typeof createServer>[] = [];
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) server.close();
});

/** A response of which the client reads nothing, and which therefore stays open when it is ended. */
async function anUnreadResponse(): Promise<ServerResponse> {
  const server = createServer();
  servers.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  const asked = once(server, 'request');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  sockets.push(socket);
  socket.pause().write('GET / HTTP/1.1\r\nHost: viewer\r\n\r\n');
  const [, response] = (await asked) as [unknown, ServerResponse];
  response.write('x'.repeat(16 * 1024 * 1024));
  return response;
}

describe('a viewer that has ended and reads nothing', () => {
  it('is not written to: that would be an error which ends the process', async () => {
    const response = await anUnreadResponse();
    const errors: unknown[] = [];
    response.on('error', (error) => errors.push(error));
    const viewer = createViewer(response);
    viewer.end('event: ended\n\n');
    viewer.end('event: ended\n\n');
    viewer.send(': heartbeat\n\n');
    response.emit('drain');
    await new Promise(setImmediate);
    expect(errors).toEqual([]);
    expect(response.closed).toBe(false);
  });

  it('is disconnected after a while', async () => {
    const response = await anUnreadResponse();
    createViewer(response, 1).end('event: ended\n\n');
    await once(response, 'close');
    expect(response.destroyed).toBe(true);
  });
});
