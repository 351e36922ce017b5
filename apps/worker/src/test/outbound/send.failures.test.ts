import type { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { SenderDeps } from '@callout/outbound/send';
import { answer, flood, forever } from '@callout/testing';
import { createSenderSetup, gist, post, resolvesTo, type SenderSetup } from './sender.fixture.ts';

let setup: SenderSetup;
beforeEach(() => {
  setup = createSenderSetup();
});
afterEach(() => setup.stop());

/** Long enough for anything on loopback, short enough to wait out. */
const shortMs = 2_000;

async function outcomeOf(script: (connection: Socket) => void, deps: Partial<SenderDeps> = {}) {
  const receiver = await setup.receiver(script);
  return setup.sender(deps).send(post(`http://hooks.example.com:${receiver.port}/`));
}

it('nothing is sent by a process that was frozen until its time was over', async () => {
  const receiver = await setup.receiver((connection) => connection.end(answer(200, 'ok')));
  const standStill = async () => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60);
    return ['127.0.0.1'];
  };
  const sender = setup.sender({ resolve: standStill, timeoutMs: 50 });
  const outcome = await sender.send(post(`http://hooks.example.com:${receiver.port}/`));
  expect(outcome).toMatchObject({ kind: 'failed' });
  await sender.close();
  expect(receiver.connections()).toBe(0);
});

describe('a response that does not count', () => {
  const invalid = { kind: 'failed', reason: 'invalidResponse' };

  it.each([
    'SSH-2.0-OpenSSH_9.2\r\n',
    '220 mail.example.com ESMTP\r\n',
    'HTTP/1.1\r\n\r\n',
    'HTTP/1.1 OK\r\n\r\n',
    'HTTP/1.1 2000 OK\r\n\r\n',
    'HTTP/9.9 200 OK\r\n\r\n',
    'HTP/1.1 200 OK\r\n\r\n',
    '<html></html>',
    '\u0015\u0003\u0001\u0000\u0002\u0002\u0050',
  ])('is malformed: %j', async (bytes) => {
    const outcome = await outcomeOf((connection) => connection.end(bytes));
    expect(outcome).toMatchObject({
      ...invalid,
      message: expect.stringMatching(
        /^hooks\.example\.com:\d+ did not answer in HTTP \(HPE_\w+\)\. Check that an HTTP server/u,
      ),
    });
  });

  it.each([
    'HTTP/1.1 200 OK\r\nX-Odd : 1\r\nContent-Length: 2\r\n\r\nok',
    'HTTP/1.1 200 OK\nContent-Length: 2\n\nok',
    'HTTP/1.1 200 OK\r\nNo colon here\r\n\r\n',
    'HTTP/1.1 200 OK\r\nBad\u0000Name: x\r\n\r\n',
    'HTTP/1.1 200 OK\r\nX-Split: a\rb\r\n\r\n',
    'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n',
    'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
    'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n',
  ])('has malformed headers: %j', async (bytes) => {
    const outcome = await outcomeOf((connection) => connection.end(bytes));
    expect(outcome).toMatchObject({
      ...invalid,
      message: expect.stringMatching(/ answered in HTTP with malformed headers \(HPE_\w+\)\. Let each line be a name/u),
    });
  });

  it('has 64 KB of headers, in one or in thousands', async () => {
    const many = Array.from({ length: 3_000 }, (_, nth) => `X-${nth}: ${'y'.repeat(14)}`);
    for (const headers of [[`X-Large: ${'y'.repeat(65_536)}`], many]) {
      const outcome = await outcomeOf((connection) => connection.write(answer(200, '', headers)));
      expect(outcome).toMatchObject({
        ...invalid,
        message: expect.stringMatching(/ sent headers larger than 16 KiB\. \w/u),
      });
    }
  });

  it('has headers that never end', async () => {
    const outcome = await outcomeOf((connection) => {
      connection.write('HTTP/1.1 200 OK\r\n');
      flood(connection, 'X-More: of the same\r\n'.repeat(100));
    });
    expect(outcome).toMatchObject(invalid);
  });

  it('is a flood of line ends before any status line, which are not counted as headers', async () => {
    const outcome = await outcomeOf((connection) => flood(connection, '\r\n'.repeat(10_000)));
    expect(outcome).toMatchObject({
      ...invalid,
      message: expect.stringMatching(/ sent more than 1 MiB before its answer was complete\. \w/u),
    });
  });

  it('may be too large and switch protocols at the same time, without harm', async () => {
    const outcome = await outcomeOf((connection) => {
      connection.write('\r\n'.repeat(524_280), () => {
        const switching = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n';
        setTimeout(() => connection.write(`${'\r\n'.repeat(20)}${switching}`), 50);
      });
    });
    // Treated as one or the other; an error without a listener would end the process.
    expect([outcome.kind, outcome.kind === 'answered' ? outcome.status : outcome.reason].join(' ')).toMatch(
      /^(?:answered 101|failed invalidResponse)$/u,
    );
  });

  it('is a flood of interim answers', async () => {
    const outcome = await outcomeOf((connection) => flood(connection, 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(100)));
    expect(outcome).toMatchObject({
      ...invalid,
      message: expect.stringMatching(/ sent one interim answer \(1xx\) after another\. \w/u),
    });
  });

  it('is silence for the rest of a time limit, in whole milliseconds', async () => {
    const outcome = await outcomeOf(() => undefined, { timeoutMs: 664.254_514 });
    expect(outcome).toMatchObject({ message: expect.stringMatching(/ within 0\.664 s\./u) });
  });

  it('is silence', async () => {
    const outcome = await outcomeOf(() => undefined, { timeoutMs: shortMs });
    expect(outcome).toMatchObject({
      kind: 'failed',
      reason: 'timeout',
      message: expect.stringMatching(
        /^hooks\.example\.com:\d+ did not answer within 2 s\. Answer with a 2xx first and do the work afterwards\.$/u,
      ),
    });
  });

  it('are headers that drip a byte at a time', async () => {
    const outcome = await outcomeOf(
      (connection) => {
        connection.write('HTTP/1.1 200 OK\r\nX-Slow: ');
        forever(connection, 'x', 20);
      },
      { timeoutMs: shortMs },
    );
    expect(outcome).toMatchObject({ kind: 'failed', reason: 'timeout' });
  });

  it('comes too late when name servers, connection and answer together take longer than the limit', async () => {
    const receiver = await setup.receiver((connection) => setTimeout(() => connection.write(answer(200)), 300));
    const resolve = () => new Promise<string[]>((resolved) => setTimeout(resolved, 300, ['127.0.0.1']));
    const outcome = await setup
      .sender({ resolve, timeoutMs: 500 })
      .send(post(`http://hooks.example.com:${receiver.port}/`));
    expect(outcome).toMatchObject({ kind: 'failed', reason: 'timeout' });
  });

  it.each([
    ['closed', (connection: Socket) => connection.end()],
    ['reset', (connection: Socket) => connection.resetAndDestroy()],
    ['closed within the headers', (connection: Socket) => connection.end('HTTP/1.1 200 OK\r\nContent-')],
  ])('is a connection that is %s', async (_how, script) => {
    const outcome = await outcomeOf(script);
    expect(outcome).toMatchObject({
      kind: 'failed',
      message: expect.stringMatching(/^hooks\.example\.com:\d+ closed the connection before it had answered\. \w/u),
      reason: 'connectionLost',
    });
  });

  it('are addresses none of which accepts', async () => {
    const receiver = await setup.receiver(() => undefined);
    await receiver.stop();
    const sender = setup.sender({ resolve: resolvesTo('127.0.0.1', '127.0.0.3') });
    expect(gist(await sender.send(post(`http://hooks.example.com:${receiver.port}/`)))).toEqual({
      kind: 'failed',
      reason: 'connectFailed',
      message: `hooks.example.com:${receiver.port} refused the connection. Check that the receiver is running and listens on this port, and that no firewall rejects it.`,
    });
  });

  it('is a port that nothing listens on', async () => {
    const receiver = await setup.receiver(() => undefined);
    await receiver.stop();
    const outcome = await setup.sender().send(post(`http://hooks.example.com:${receiver.port}/`));
    expect(gist(outcome)).toEqual({
      kind: 'failed',
      reason: 'connectFailed',
      message: `hooks.example.com:${receiver.port} refused the connection. Check that the receiver is running and listens on this port, and that no firewall rejects it.`,
    });
  });
});
