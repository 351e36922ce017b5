import { once } from 'node:events';
import { request } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { OutboundAgent, UnjudgedAddress, unjudgedRemote, type RoutedOptions } from '@callout/outbound/agent';
import { routeTo } from '@callout/outbound/guard';
import { answer, startRawReceiver, testCertificate } from '@callout/testing';

/** With the handle of the connection below TLS, which Node does not document. */
type HandledSocket = Socket & { _handle?: { _parent?: object } };

const makeAgent = () => new OutboundAgent({ maxSockets: 10, idleMs: 1_000, certificateAuthorities: undefined });
const nameOf = (agent: OutboundAgent, url: string, ...addresses: string[]) => {
  const options: RoutedOptions = { route: routeTo(new URL(url), addresses) };
  return agent.getName(options);
};

describe('OutboundAgent', () => {
  it('refuses a request whose addresses were not judged', async () => {
    const agent = makeAgent();
    expect(() => request({ agent, host: '127.0.0.1', port: 1 })).toThrow('only requests whose addresses were judged');
    await agent.close();
  });

  it('shares connections only between the same host, scheme, port and judged addresses', async () => {
    const agent = makeAgent();
    const name = nameOf(agent, 'https://hooks.example.com/a', '8.8.8.8', '8.8.4.4');
    expect(nameOf(agent, 'https://hooks.example.com:443/b?c', '8.8.4.4', '8.8.8.8')).toBe(name);
    for (const url of ['http://hooks.example.com/', 'https://other.example.com/', 'https://hooks.example.com:8443/']) {
      expect(nameOf(agent, url, '8.8.8.8', '8.8.4.4')).not.toBe(name);
    }
    expect(nameOf(agent, 'https://hooks.example.com/', '8.8.8.8')).not.toBe(name);
    await agent.close();
  });

  it('sends nothing on a connection to an address that was not judged', async () => {
    const agent = makeAgent();
    const receiver = await startRawReceiver((connection) => connection.write(answer(200)));
    // Node does not call `lookup` for an address: the only case in which the connection could lead elsewhere.
    const options: RoutedOptions = {
      agent,
      method: 'POST',
      route: routeTo(new URL(`http://127.0.0.1:${receiver.port}/`), ['127.0.0.3']),
    };
    const error = await new Promise((resolve) => void request(options).once('error', resolve).end('secret'));
    expect(error).toBeInstanceOf(UnjudgedAddress);
    expect(receiver.requests).toEqual([]);
    await agent.close();
    await receiver.stop();
  });

  it.each([
    ['that the receiver closes', (idle: Socket | undefined) => idle?.emit('end')],
    [
      'on which something comes unasked',
      (idle: Socket | undefined) => idle?.emit('data', Buffer.from('HTTP/1.1 200 OK')),
    ],
  ])('does not give the next request an idle connection %s, not even before it has closed', async (_which, happen) => {
    const agent = makeAgent();
    const receiver = await startRawReceiver((connection) => connection.write(answer(200)));
    const route = routeTo(new URL(`http://127.0.0.1:${receiver.port}/`), ['127.0.0.1']);
    const options: RoutedOptions = { agent, method: 'POST', route };
    const native = request(options, (response) => response.resume()).end();
    await once(native, 'close');
    await new Promise(setImmediate);
    const [idle] = agent.freeSockets[route.key] ?? [];
    expect(idle?.destroyed).toBe(false);
    happen(idle);
    expect([idle?.destroyed, agent.freeSockets]).toEqual([true, {}]);
    await agent.close();
    await receiver.stop();
  });

  it('closes a connection on which one TLS session follows another', async () => {
    const agent = new OutboundAgent({ maxSockets: 10, idleMs: 1_000, certificateAuthorities: [testCertificate] });
    const receiver = await startRawReceiver(() => undefined, { tls: 'valid' });
    const route = routeTo(new URL(`https://hooks.example.com:${receiver.port}/`), ['127.0.0.1']);
    const options: RoutedOptions & { servername: string } = {
      agent,
      method: 'POST',
      route,
      servername: route.servername,
    };
    const native = httpsRequest(options);
    const failed = new Promise((resolve) => void native.once('error', resolve));
    const isClosed = new Promise((resolve) => {
      native.once('socket', (socket: HandledSocket) => {
        socket.once('secureConnect', () => {
          // Node's servers send no sessions without end: as if they had, below TLS.
          Object.defineProperty(socket._handle?._parent, 'bytesRead', { value: 2_000_000 });
          socket.emit('session', Buffer.alloc(100));
          resolve(socket.destroyed);
        });
      });
    });
    native.end();
    // At once, and not only when connections are looked at.
    await expect(isClosed).resolves.toBe(true);
    await expect(failed).resolves.toMatchObject({ kind: 'answerTooLarge' });
    await agent.close();
    await receiver.stop();
  });

  it('verifies certificates and requests HTTP/1.1', async () => {
    const agent = makeAgent();
    expect(agent.options).toMatchObject({ rejectUnauthorized: true, ALPNProtocols: ['http/1.1'] });
    await agent.close();
  });
});

describe('unjudgedRemote', () => {
  it('accepts a remote address that was judged, in any spelling', () => {
    expect(unjudgedRemote('8.8.8.8', ['8.8.4.4', '8.8.8.8'])).toBeUndefined();
    expect(unjudgedRemote('::ffff:8.8.8.8', ['8.8.8.8'])).toBeUndefined();
    expect(unjudgedRemote('2606:4700:0::1', ['2606:4700::1'])).toBeUndefined();
  });

  it.each(['10.0.0.1', '::1', ''])('rejects %s', (remote) => {
    expect(unjudgedRemote(remote, ['8.8.8.8'])).toBeInstanceOf(UnjudgedAddress);
  });

  it('treats a connection without a remote address as reset, and not as forbidden', () => {
    const problem = unjudgedRemote(undefined, ['8.8.8.8']);
    expect(problem).toMatchObject({ code: 'ECONNRESET' });
    expect(problem).not.toBeInstanceOf(UnjudgedAddress);
  });
});
