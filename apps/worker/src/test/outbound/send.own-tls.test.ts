import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { makeOwnCertificate, startScriptedReceiver, type ScriptedReceiver } from '@callout/testing';
import { createSenderSetup, gist, post, type SenderSetup } from './sender.fixture.ts';

const server = makeOwnCertificate();
const client = makeOwnCertificate();
const stranger = makeOwnCertificate();

const trusts = { id: 'server', authorities: server.cert };
const withCertificate = { id: 'client', authorities: server.cert, certificate: client.cert, privateKey: client.key };

let setup: SenderSetup;
let receiver: ScriptedReceiver;
beforeEach(async () => {
  setup = createSenderSetup();
  receiver = await startScriptedReceiver({
    tls: { ...server, ca: client.cert, requestCert: true, rejectUnauthorized: true },
  });
});
afterEach(async () => {
  await setup.stop();
  await receiver.stop();
});

describe('a receiver that sends many certificates', () => {
  let costly: ScriptedReceiver;
  beforeEach(async () => {
    costly = await startScriptedReceiver({ tls: { ...server, cert: server.cert + stranger.cert.repeat(150) } });
  });
  afterEach(() => costly.stop());

  it.each([
    ['trusted', trusts],
    ['not trusted', undefined],
  ])('that are %s is not called, and no connection is made to it for a time', async (_trust, tls) => {
    const sender = setup.sender();
    for (const own of [tls, tls, withCertificate]) {
      expect(gist(await sender.send({ ...post(costly.url()), tls: own }))).toEqual({
        kind: 'failed',
        reason: 'tlsFailed',
        message: expect.stringMatching(/^localhost:\d+ sent over 8 certificates or 20 KiB/u),
      });
    }
    expect([costly.count(), costly.connections()]).toEqual([0, 1]);
  });

  it('leaves the answer of another connection to its host as it is', async () => {
    let cut: () => void = () => undefined;
    const plain = await setup.receiver((connection) => {
      connection.write('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfo');
      cut = () => connection.destroy();
    });
    const sender = setup.sender();
    const begun = sender.send(post(`http://localhost:${plain.port}/`));
    await plain.whenRequested(1);
    await sender.send(post(costly.url()));
    cut();
    expect(gist(await begun)).toEqual({ kind: 'answered', status: 200, body: 'fo', bodyCut: 'connection' });
    const next = sender.send(post(`http://localhost:${plain.port}/`));
    await plain.whenRequested(2);
    cut();
    expect(await next).toMatchObject({ status: 200 });
  });

  it('is called on the other ports of its host, which may belong to others', async () => {
    const other = await startScriptedReceiver({ tls: server });
    const sender = setup.sender();
    await sender.send({ ...post(costly.url()), tls: trusts });
    const outcome = await sender.send({ ...post(other.url()), tls: trusts });
    await other.stop();
    expect(outcome).toMatchObject({ status: 200 });
  });

  it('is not called under another spelling of its name either', async () => {
    const sender = setup.sender();
    await sender.send({ ...post(costly.url()), tls: trusts });
    await sender.send({ ...post(costly.url().replace('localhost:', 'localhost.:')), tls: trusts });
    expect(costly.connections()).toBe(1);
  });

  it('is not called either when they are many, though short', async () => {
    const many = await startScriptedReceiver({ tls: { ...server, cert: server.cert + stranger.cert.repeat(25) } });
    const outcome = await setup.sender().send({ ...post(many.url()), tls: trusts });
    await many.stop();
    expect(outcome).toMatchObject({ message: expect.stringContaining('over 8 certificates') });
  });

  it('is called while they are within the limit', async () => {
    const usual = await startScriptedReceiver({ tls: { ...server, cert: server.cert + stranger.cert.repeat(10) } });
    const outcome = await setup.sender().send({ ...post(usual.url()), tls: trusts });
    await usual.stop();
    expect(outcome).toMatchObject({ status: 200 });
  });
});

describe('TLS material of one call', () => {
  it('shows a client certificate, and trusts an authority of its own', async () => {
    const sender = setup.sender();
    const outcome = await sender.send({ ...post(receiver.url()), tls: withCertificate });
    expect(gist(outcome)).toMatchObject({ status: 200 });
  });

  it('is not lent to other calls of the same host, over no connection and no TLS session', async () => {
    const sender = setup.sender({ certificateAuthorities: [server.cert] });
    for (let nth = 0; nth < 2; nth += 1) {
      expect(await sender.send({ ...post(receiver.url()), tls: withCertificate })).toMatchObject({ status: 200 });
      for (const tls of [undefined, trusts]) {
        expect(await sender.send({ ...post(receiver.url()), tls })).toMatchObject({
          reason: 'tlsFailed',
          message: expect.stringMatching(/^localhost:\d+ refused the client certificate, or wants one \(/u),
        });
      }
    }
    expect(receiver.count()).toBe(2);
  });

  it('replaces the public authorities, so another certificate is refused', async () => {
    const tls = { ...withCertificate, id: 'other', authorities: stranger.cert };
    const outcome = await setup
      .sender({ certificateAuthorities: [server.cert] })
      .send({ ...post(receiver.url()), tls });
    expect(outcome).toMatchObject({ reason: 'tlsFailed', message: expect.stringContaining('is self-signed') });
  });

  it('that a receiver does not trust, and hangs up on, is a failure of that receiver', async () => {
    const tls = { id: 'stranger', authorities: server.cert, certificate: stranger.cert, privateKey: stranger.key };
    expect(await setup.sender().send({ ...post(receiver.url()), tls })).toMatchObject({ reason: 'connectionLost' });
    expect(receiver.count()).toBe(0);
  });

  it('that cannot be used is a failure in words, without a part of it', async () => {
    const tls = { ...withCertificate, id: 'mixed', privateKey: stranger.key };
    const outcome = await setup.sender().send({ ...post(receiver.url()), tls });
    expect(outcome).toMatchObject({ reason: 'tlsFailed', message: expect.stringContaining('cannot be used (') });
    expect(JSON.stringify(outcome)).not.toContain(stranger.key.slice(40, 60));
  });
});
