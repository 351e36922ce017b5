import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { freePort, listenOnLoopback, steadyPort } from './local-port.ts';

const server = createServer();

afterEach(async () => {
  server.close();
  await once(server, 'close');
});

describe('freePort', () => {
  it('returns the preferred port when it is free, another when it is in use', async () => {
    const preferred = await steadyPort();
    expect(await freePort(preferred)).toBe(preferred);
    expect(await listenOnLoopback(server, preferred)).toBe(preferred);
    expect(await freePort(preferred)).not.toBe(preferred);
  });
});

describe('listenOnLoopback', () => {
  it('can be reached from this machine only', async () => {
    await listenOnLoopback(server);
    expect(server.address()).toMatchObject({ address: '127.0.0.1', family: 'IPv4' });
  });
});
