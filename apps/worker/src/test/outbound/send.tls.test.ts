import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { answer, expiredCertificate, testCertificate } from '@callout/testing';
import { createSenderSetup, gist, post, type SenderSetup } from './sender.fixture.ts';

let setup: SenderSetup;
beforeEach(() => {
  setup = createSenderSetup();
});
afterEach(() => setup.stop());

const trusting = { certificateAuthorities: [testCertificate, expiredCertificate] };
const startTls = (tls: 'valid' | 'expired' = 'valid') =>
  setup.receiver((connection) => connection.write(answer(200, 'ok')), { tls });

describe('outbound TLS', () => {
  it('names the host, also when it is connected by its judged address', async () => {
    const receiver = await startTls();
    const sender = setup.sender(trusting);
    for (const host of ['hooks.example.com', 'hooks.example.com.']) {
      const outcome = await sender.send(post(`https://${host}:${receiver.port}/`));
      expect(gist(outcome)).toMatchObject({ status: 200, body: 'ok' });
    }
    expect(receiver.requests.map(({ servername }) => servername)).toEqual(['hooks.example.com', 'hooks.example.com']);
    expect(receiver.requests[0]?.head).toContain(`Host: hooks.example.com:${receiver.port}`);
  });

  it('names no host for an address, and verifies the certificate for that address', async () => {
    const receiver = await startTls();
    expect(await setup.sender(trusting).send(post(`https://127.0.0.1:${receiver.port}/`))).toMatchObject({
      status: 200,
    });
    expect(receiver.requests[0]?.servername).toBe(false);
  });

  it('reuses connections', async () => {
    const receiver = await startTls();
    const sender = setup.sender(trusting);
    for (let nth = 0; nth < 3; nth += 1) await sender.send(post(`https://hooks.example.com:${receiver.port}/`));
    expect([receiver.requests.length, receiver.connections()]).toEqual([3, 1]);
  });

  it.each([
    [
      'is of another host',
      'valid',
      'other.example.com',
      trusting,
      /^The certificate of other\.example\.com:\d+ is for other names\. Install /u,
    ],
    [
      'has an issuer that is not trusted',
      'valid',
      'hooks.example.com',
      {},
      /^The certificate of \S+ is self-signed, .*\. Install /u,
    ],
    [
      'has expired',
      'expired',
      'hooks.example.com',
      trusting,
      /^The certificate of \S+ has expired\. Renew it on the receiver\.$/u,
    ],
  ] as const)('is refused when the certificate %s', async (_what, tls, host, deps, words) => {
    const receiver = await startTls(tls);
    const outcome = await setup.sender(deps).send(post(`https://${host}:${receiver.port}/`));
    expect(outcome).toMatchObject({ kind: 'failed', reason: 'tlsFailed', message: expect.stringMatching(words) });
    expect(receiver.requests).toEqual([]);
  });

  it('is verified even when the environment disables it', async () => {
    const receiver = await startTls();
    // oxlint-disable-next-line node/no-process-env -- the environment is what this is about
    const { env } = process;
    const before = env['NODE_TLS_REJECT_UNAUTHORIZED'];
    env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    try {
      expect(await setup.sender().send(post(`https://hooks.example.com:${receiver.port}/`))).toMatchObject({
        reason: 'tlsFailed',
      });
    } finally {
      if (before === undefined) delete env['NODE_TLS_REJECT_UNAUTHORIZED'];
      else env['NODE_TLS_REJECT_UNAUTHORIZED'] = before;
    }
    expect(receiver.requests).toEqual([]);
  });

  it('that stalls ends with the time limit', async () => {
    const receiver = await setup.receiver(() => undefined);
    const outcome = await setup.sender({ timeoutMs: 1_000 }).send(post(`https://hooks.example.com:${receiver.port}/`));
    expect(gist(outcome)).toEqual({
      kind: 'failed',
      reason: 'timeout',
      message: `hooks.example.com:${receiver.port} did not complete the TLS handshake within 1 s. Check that the receiver serves HTTPS on this port and is not overloaded.`,
    });
    await receiver.whenClosed();
  });

  it('handshakes once: a renegotiation is refused', async () => {
    let askedAgain = 0;
    let obliged = 0;
    const receiver = await setup.receiver(
      (connection) => {
        if (!(connection instanceof TLSSocket)) throw new Error('this receiver speaks TLS');
        askedAgain += 1;
        connection.renegotiate({}, (error) => {
          if (error === null) obliged += 1;
          connection.write(answer(200));
        });
      },
      { tls: 'renegotiable' },
    );
    const outcome = await setup.sender(trusting).send(post(`https://hooks.example.com:${receiver.port}/`));
    expect(outcome).toMatchObject({ kind: 'failed', reason: 'connectionLost' });
    expect([askedAgain, obliged]).toEqual([1, 0]);
  });

  it('counts all that is received, however little of it is data', async () => {
    let lineEnds = 0;
    const receiver = await setup.receiver(
      (connection) => {
        // Each in a record of its own, which is twelve times as long.
        const writeOne = (): void => {
          lineEnds += 1;
          connection.write('\r\n', (error) => error ?? writeOne());
        };
        writeOne();
      },
      { tls: 'valid' },
    );
    const outcome = await setup
      .sender({ ...trusting, timeoutMs: 60_000 })
      .send(post(`https://hooks.example.com:${receiver.port}/`));
    expect(outcome).toMatchObject({ reason: 'invalidResponse', message: expect.stringContaining('more than 1 MiB') });
    expect(2 * lineEnds).toBeLessThan(1_048_576);
  });

  it('fails with a receiver that does not speak TLS', async () => {
    const scripts: [(connection: Socket) => void, RegExp][] = [
      [
        (connection) => connection.write('HTTP/1.1 400 Bad Request\r\n\r\n'),
        / does not speak TLS on this port\. Check the port/u,
      ],
      [(connection) => connection.end(), / closed the connection during the TLS handshake\. Check /u],
      [
        (connection) => connection.once('data', () => connection.resetAndDestroy()),
        / closed the connection during the TLS handshake\. Check /u,
      ],
    ];
    for (const [onConnect, words] of scripts) {
      const receiver = await setup.receiver(() => undefined, { onConnect });
      const outcome = await setup.sender().send(post(`https://hooks.example.com:${receiver.port}/`));
      expect(outcome).toMatchObject({ kind: 'failed', reason: 'tlsFailed', message: expect.stringMatching(words) });
    }
  });

  it('with a bad certificate, 100 times, has the same failure, and leaves neither connections nor memory behind', async () => {
    const receiver = await startTls();
    const sender = setup.sender();
    const request = post(`https://hooks.example.com:${receiver.port}/`);
    const reasons = new Set<unknown>();
    const sendTo = async (count: number) => {
      while (receiver.connections() < count) reasons.add(gist(await sender.send(request))['reason']);
    };
    const sendTwenty = (untilConnections: number) =>
      Promise.all(Array.from({ length: 20 }, () => sendTo(untilConnections)));
    // Everything that is created only once is created before measuring.
    await sendTwenty(40);
    await receiver.whenClosed();
    const before = await reachableBytes();
    await sendTwenty(140);
    await receiver.whenClosed();
    expect([...reasons]).toEqual(['tlsFailed']);
    // A refused connection may still be closing when the next one is opened.
    expect(receiver.mostOpen()).toBeLessThanOrEqual(2 * 20);
    // One TLS connection is some 50 KB.
    expect((await reachableBytes()) - before).toBeLessThan(100 * 25_000);
  });
});

/** The memory of this process, inside the heap of V8 and outside of it. */
async function reachableBytes(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  // Objects closed in one tick of the event loop are released in the next ones.
  for (let time = 0; time < 2; time += 1) {
    for (let tick = 0; tick < 5; tick += 1) await new Promise(setImmediate);
    collect();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
