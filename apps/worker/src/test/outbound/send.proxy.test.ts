import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  answer,
  makeOwnCertificate,
  startConnectProxy,
  startScriptedReceiver,
  testCertificate,
  type ConnectProxy,
} from '@callout/testing';
import { parseCidrs } from '@callout/domain/target/address';
import type { OutboundProxy } from '@callout/runtime/config/settings/outbound';
import { createSenderSetup, gist, post, resolvesTo, type SenderSetup } from './sender.fixture.ts';

let setup: SenderSetup;
let proxy: ConnectProxy;
beforeEach(async () => {
  setup = createSenderSetup();
  proxy = await startConnectProxy();
});
afterEach(async () => {
  await setup.stop();
  await proxy.stop();
});

const through = (changes: Partial<OutboundProxy> = {}): OutboundProxy => ({
  isSecure: false,
  hostname: '127.0.0.1',
  port: proxy.port,
  authorization: `Basic ${Buffer.from('callout:pass word').toString('base64')}`,
  ...changes,
});

describe('a proxy for outgoing calls', () => {
  it('connects to the judged address, with its credentials, and the tunnel is kept for later requests', async () => {
    const receiver = await setup.receiver((connection) => connection.write(answer(200, 'ok')));
    const sender = setup.sender({ proxy: through() });
    for (let nth = 0; nth < 3; nth += 1) {
      const outcome = await sender.send(post(`http://hooks.example.com:${receiver.port}/`));
      expect(gist(outcome)).toMatchObject({ status: 200, body: 'ok' });
    }
    expect(proxy.requests).toEqual([
      { target: `127.0.0.1:${receiver.port}`, authorization: 'Basic Y2FsbG91dDpwYXNzIHdvcmQ=' },
    ]);
    expect(receiver.requests[0]?.head).toContain(`Host: hooks.example.com:${receiver.port}`);
    expect(receiver.requests[0]?.head.toLowerCase()).not.toContain('proxy-authorization');
  });

  it('sees nothing of what TLS protects: name and certificate are checked as without it', async () => {
    const receiver = await setup.receiver((connection) => connection.write(answer(200, 'ok')), { tls: 'valid' });
    const sender = setup.sender({ proxy: through(), certificateAuthorities: [testCertificate] });
    const url = (host: string) => `https://${host}:${receiver.port}/`;
    expect(gist(await sender.send(post(url('hooks.example.com'))))).toMatchObject({ status: 200 });
    expect(receiver.requests[0]?.servername).toBe('hooks.example.com');
    expect(await sender.send(post(url('other.example.com')))).toMatchObject({
      reason: 'tlsFailed',
      message: expect.stringContaining('is for other names'),
    });
    expect(receiver.requests).toHaveLength(1);
  });

  it('is not asked again for a receiver that sends too many certificates', async () => {
    const certificate = makeOwnCertificate();
    const many = { ...certificate, cert: certificate.cert + makeOwnCertificate().cert.repeat(25) };
    const receiver = await startScriptedReceiver({ tls: many });
    const sender = setup.sender({ proxy: through(), certificateAuthorities: [certificate.cert] });
    for (let nth = 0; nth < 2; nth += 1) {
      expect(await sender.send(post(receiver.url()))).toMatchObject({
        message: expect.stringContaining('over 8 certificates'),
      });
    }
    await receiver.stop();
    expect(proxy.requests).toHaveLength(1);
  });

  it('is asked for the next address of a host when it does not reach the first', async () => {
    const receiver = await setup.receiver((connection) => connection.write(answer(200, 'ok')));
    proxy.script('ipv4');
    const policy = { allowHttp: true, allowCidrs: parseCidrs(['127.0.0.1/32', '::1/128']) };
    const deps = { policy, proxy: through(), resolve: resolvesTo('::1', '127.0.0.1') };
    const sender = setup.sender(deps);
    const url = `http://hooks.example.com:${receiver.port}/`;
    expect(gist(await sender.send(post(url)))).toMatchObject({ status: 200, body: 'ok' });
    expect(proxy.requests.map(({ target }) => target)).toEqual([
      `[::1]:${receiver.port}`,
      `127.0.0.1:${receiver.port}`,
    ]);
    proxy.script(502);
    expect(await setup.sender(deps).send(post(url))).toMatchObject({
      message: expect.stringContaining('it answered 502'),
    });
  });

  it('is not asked for an address that the guard refuses', async () => {
    const sender = setup.sender({ proxy: through(), resolve: resolvesTo('10.0.0.1') });
    expect(await sender.send(post('http://hooks.example.com/'))).toMatchObject({ reason: 'addressForbidden' });
    expect(proxy.requests).toEqual([]);
  });

  it.each([
    [502, 'connectFailed', 'The proxy for outgoing calls did not connect to 127.0.0.1:4567: it answered 502. '],
    [407, 'proxyUnavailable', 'The proxy for outgoing calls could not be used: it answered 407. '],
  ] as const)('that answers %d is described without its address', async (status, reason, message) => {
    proxy.script(status);
    const outcome = await setup.sender({ proxy: through() }).send(post('http://127.0.0.1:4567/'));
    expect(outcome).toMatchObject({ reason, message: expect.stringContaining(message) });
    expect(JSON.stringify(outcome)).not.toContain(String(proxy.port));
  });

  it('that is away is no failure of the receiver', async () => {
    const { port } = proxy;
    await proxy.stop();
    const outcome = await setup.sender({ proxy: through({ port }) }).send(post('http://127.0.0.1:4567/'));
    expect(outcome).toMatchObject({ reason: 'proxyUnavailable', message: expect.stringContaining('ECONNREFUSED') });
    proxy = await startConnectProxy();
  });

  it('that never answers holds a call no longer than its time limit', async () => {
    proxy.script('hang');
    const outcome = await setup.sender({ proxy: through(), timeoutMs: 300 }).send(post('http://127.0.0.1:4567/'));
    expect(outcome).toMatchObject({ kind: 'failed', reason: expect.stringMatching(/^(timeout|proxyUnavailable)$/u) });
  });
});
