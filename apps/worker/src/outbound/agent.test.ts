import { request } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { OutboundAgent, UnjudgedAddress, unjudgedRemote } from './agent.ts';

const makeAgent = () => new OutboundAgent({ maxSockets: 10, idleMs: 1_000, certificateAuthorities: undefined });
const route = { isSecure: true, hostname: 'hooks.example.com', port: 443, addresses: ['8.8.8.8', '8.8.4.4'] };
const nameOf = (agent: OutboundAgent, changes: object) => agent.getName({ ...{ route: { ...route, ...changes } } });

describe('OutboundAgent', () => {
  it('takes no request whose addresses were not judged', async () => {
    const agent = makeAgent();
    expect(() => request({ agent, host: '127.0.0.1', port: 1 })).toThrow('only requests whose addresses were judged');
    await agent.close();
  });

  it('lets connections stand in for one another only between the same host, scheme, port and judged addresses', async () => {
    const agent = makeAgent();
    const name = nameOf(agent, {});
    expect(nameOf(agent, { addresses: ['8.8.4.4', '8.8.8.8'] })).toBe(name);
    for (const change of [
      { isSecure: false },
      { hostname: 'other.example.com' },
      { port: 8443 },
      { addresses: ['8.8.8.8'] },
    ]) {
      expect(nameOf(agent, change)).not.toBe(name);
    }
    await agent.close();
  });

  it('verifies certificates and asks for HTTP/1.1', async () => {
    const agent = makeAgent();
    expect(agent.options).toMatchObject({
      rejectUnauthorized: true,
      minVersion: 'TLSv1.2',
      ALPNProtocols: ['http/1.1'],
    });
    await agent.close();
  });
});

describe('unjudgedRemote', () => {
  it('accepts a remote address that was judged, in any spelling', () => {
    expect(unjudgedRemote('8.8.8.8', ['8.8.4.4', '8.8.8.8'])).toBeUndefined();
    expect(unjudgedRemote('::ffff:8.8.8.8', ['8.8.8.8'])).toBeUndefined();
    expect(unjudgedRemote('2606:4700:0::1', ['2606:4700::1'])).toBeUndefined();
  });

  it.each(['10.0.0.1', '::1', '', undefined])('objects to %s', (remote) => {
    expect(unjudgedRemote(remote, ['8.8.8.8'])).toBeInstanceOf(UnjudgedAddress);
  });
});
