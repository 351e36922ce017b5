import { once } from 'node:events';
import { connect as connectTo, createServer, type AddressInfo, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { sharedRedis } from '@callout/local/test-run';
import { connect } from './connect.ts';

const closing: (() => void)[] = [];

afterEach(() => {
  for (const close of closing.splice(0).toReversed()) close();
});

/** A network in front of Redis that can silently drop the connections that it has. */
async function forgetfulNetwork() {
  const url = new URL((await sharedRedis()).url);
  const redisPort = Number(url.port);
  const known = new Set<Socket>();
  const server = createServer((socket) => {
    const upstream = connectTo(redisPort, '127.0.0.1');
    known.add(socket);
    closing.push(() => void [socket.destroy(), upstream.destroy()]);
    socket.on('data', (bytes) => void (known.has(socket) && upstream.write(bytes)));
    upstream.on('data', (bytes) => void (known.has(socket) && socket.write(bytes)));
    for (const one of [socket, upstream]) one.on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => void server.close());
  url.port = String((server.address() as AddressInfo).port);
  return { url: url.href, forget: () => known.clear() };
}

describe('a connection that has gone silent', () => {
  it('is replaced, and its pending commands are sent again', async () => {
    const network = await forgetfulNetwork();
    const errors: string[] = [];
    const behaviour = { maxRetriesPerRequest: null, socketTimeout: 500 };
    const redis = connect(network.url, behaviour, (error) => errors.push(error.message));
    closing.push(() => redis.disconnect());
    expect(await redis.ping()).toBe('PONG');
    network.forget();
    expect(await redis.ping()).toBe('PONG');
    expect(errors).toContainEqual(expect.stringContaining('Socket timeout'));
  });
});
