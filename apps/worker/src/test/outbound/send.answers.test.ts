import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { SenderDeps } from '@callout/outbound/send';
import { answer, flood, forever } from '@callout/testing';
import { createSenderSetup, gist, post, type SenderSetup } from './sender.fixture.ts';

let setup: SenderSetup;
beforeEach(() => {
  setup = createSenderSetup();
});
afterEach(() => setup.stop());

const limit = 65_536;
/** Long enough for anything on loopback, short enough to wait out. */
const shortMs = 2_000;

async function outcomeOf(script: (connection: Socket) => void, deps: Partial<SenderDeps> = {}) {
  const receiver = await setup.receiver(script);
  return setup.sender(deps).send(post(`http://hooks.example.com:${receiver.port}/`));
}

describe('responses', () => {
  it.each([200, 201, 204, 299, 300, 301, 400, 401, 404, 410, 429, 500, 503, 999])(
    'of status %d are answers, not failures',
    async (status) => {
      const body = status === 204 ? '' : '{"seen":true}';
      const outcome = await outcomeOf((connection) => connection.write(answer(status, body, ['Retry-After: 7'])));
      expect(gist(outcome)).toEqual({ kind: 'answered', status, body, bodyCut: null });
      expect(outcome).toMatchObject({ headers: { 'retry-after': '7' }, durationMs: expect.any(Number) });
    },
  );

  it.each([
    ['no body', 0, null],
    ['one byte', 1, null],
    ['64 KiB', limit, null],
    ['64 KiB and a byte', limit + 1, 'size'],
    ['10 MB', 10_000_000, 'size'],
  ])('with %s are kept up to 64 KiB', async (_what, length, bodyCut) => {
    const body = randomBytes(length);
    const outcome = await outcomeOf((connection) => connection.write(answer(200, body)));
    expect(outcome).toMatchObject({ kind: 'answered', status: 200, bodyCut });
    expect(outcome.kind === 'answered' && outcome.body.equals(body.subarray(0, limit))).toBe(true);
  });

  it('are bytes: invalid UTF-8 and NUL are kept', async () => {
    const body = Buffer.from([0x00, 0xc3, 0x28, 0xff, 0x00]);
    expect(await outcomeOf((connection) => connection.write(answer(200, body)))).toMatchObject({ body });
  });

  it('are never decoded: a compression bomb stays small', async () => {
    const zeros = Buffer.alloc(20_000_000);
    const gzip = gzipSync(zeros);
    const fastest = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
    for (const [coding, bomb] of [
      ['gzip', gzip],
      ['gzip, gzip', gzipSync(gzip)],
      ['br', brotliCompressSync(zeros, fastest)],
      ['deflate', deflateSync(zeros)],
      ['gzip, br', brotliCompressSync(gzip)],
      // A body that is declared as compressed and is not could not be decompressed.
      ['zstd', Buffer.from('no zstd')],
      ['gzip', Buffer.from('no gzip')],
    ] as const) {
      const outcome = await outcomeOf((connection) =>
        connection.write(answer(200, bomb, [`Content-Encoding: ${coding}`])),
      );
      const kept = bomb.subarray(0, limit);
      expect(outcome).toMatchObject({
        kind: 'answered',
        status: 200,
        bodyCut: kept.length < bomb.length ? 'size' : null,
      });
      expect(outcome.kind === 'answered' && outcome.body.equals(kept)).toBe(true);
    }
  });

  it('that never end are cut at 64 KiB', async () => {
    const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
    for (const [head, piece] of [
      [chunked, '5\r\nabcde\r\n'],
      [chunked, '1\r\na\r\n'],
      ['HTTP/1.1 200 OK\r\n\r\n', 'abcde'],
    ] as const) {
      const outcome = await outcomeOf(
        (connection) => {
          connection.write(head);
          flood(connection, piece.repeat(1_000));
        },
        // Chunks of one byte take seconds where the machine is busy.
        { timeoutMs: 60_000 },
      );
      expect(outcome).toMatchObject({ kind: 'answered', status: 200, bodyCut: 'size' });
      expect(outcome.kind === 'answered' && outcome.body.length).toBe(limit);
    }
  });

  it('whose next chunk has an endless length are cut before the time limit', async () => {
    const limitMs = 10_000;
    const outcome = await outcomeOf(
      (connection) => {
        connection.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n');
        setTimeout(flood, 50, connection, '0'.repeat(10_000));
      },
      { timeoutMs: limitMs },
    );
    expect(gist(outcome)).toEqual({ kind: 'answered', status: 200, body: 'ok', bodyCut: 'connection' });
    expect(outcome.durationMs).toBeLessThan(limitMs);
  });

  it('announced with a gigabyte are kept up to what arrives within the time limit', async () => {
    const outcome = await outcomeOf(
      (connection) => connection.write('HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\nabc'),
      { timeoutMs: shortMs },
    );
    expect(gist(outcome)).toEqual({ kind: 'answered', status: 200, body: 'abc', bodyCut: 'time' });
  });

  it('that drip a byte at a time are cut by the time limit', async () => {
    const outcome = await outcomeOf(
      (connection) => {
        connection.write('HTTP/1.1 202 Accepted\r\nTransfer-Encoding: chunked\r\n\r\n');
        forever(connection, '1\r\nx\r\n', 20);
      },
      { timeoutMs: shortMs },
    );
    expect(outcome).toMatchObject({ kind: 'answered', status: 202, bodyCut: 'time' });
    expect(gist(outcome)['body']).toMatch(/^x*$/u);
  });

  it.each([200, 500])('of status %d that never end are read for 2 s after their headers', async (status) => {
    const limitMs = 60_000;
    const outcome = await outcomeOf(
      (connection) => {
        connection.write(`HTTP/1.1 ${status} So\r\nTransfer-Encoding: chunked\r\n\r\n`);
        forever(connection, '1\r\nx\r\n', 20);
      },
      { timeoutMs: limitMs },
    );
    expect(outcome).toMatchObject({ kind: 'answered', status, bodyCut: 'time' });
    expect(outcome.durationMs).toBeLessThan(limitMs);
  });

  it.each([
    ['closed', (connection: Socket) => connection.end()],
    ['reset', (connection: Socket) => connection.resetAndDestroy()],
  ])('whose connection is %s before the announced length count by their status line', async (_how, finish) => {
    const outcome = await outcomeOf((connection) => {
      connection.write(answer(200, 'four').subarray(0, -2), () => setTimeout(finish, 50, connection));
    });
    expect(gist(outcome)).toEqual({ kind: 'answered', status: 200, body: 'fo', bodyCut: 'connection' });
  });

  it('whose chunks are malformed count by their status line', async () => {
    const outcome = await outcomeOf((connection) => {
      connection.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n', () => {
        setTimeout(() => connection.write('zz\r\n'), 50);
      });
    });
    expect(gist(outcome)).toEqual({ kind: 'answered', status: 200, body: 'ok', bodyCut: 'connection' });
  });

  it('longer than announced end at the announced length, on a connection that is not reused', async () => {
    const receiver = await setup.receiver((connection) =>
      connection.write(`${answer(200, 'ok').toString()}HTTP/1.1 500 Smuggled\r\nContent-Length: 0\r\n\r\n`),
    );
    const sender = setup.sender();
    for (let nth = 0; nth < 3; nth += 1) {
      const outcome = await sender.send(post(`http://hooks.example.com:${receiver.port}/`));
      expect(outcome).toMatchObject({ kind: 'answered', status: 200 });
    }
  });

  it('without a length end with the connection', async () => {
    const outcome = await outcomeOf((connection) => connection.end('HTTP/1.0 200 OK\r\n\r\nall of it'));
    expect(gist(outcome)).toEqual({ kind: 'answered', status: 200, body: 'all of it', bodyCut: null });
  });

  it.each(['', 'HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'.repeat(3)])(
    'may come after %j',
    async (interim) => {
      const outcome = await outcomeOf((connection) => connection.write(`${interim}${answer(200, 'ok').toString()}`));
      expect(gist(outcome)).toEqual({ kind: 'answered', status: 200, body: 'ok', bodyCut: null });
    },
  );

  it('that want to switch protocols are responses of status 101, and the connection is closed', async () => {
    const receiver = await setup.receiver((connection) =>
      connection.write(
        'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nraw bytes',
      ),
    );
    const outcome = await setup.sender().send(post(`http://hooks.example.com:${receiver.port}/`));
    expect(gist(outcome)).toEqual({ kind: 'answered', status: 101, body: '', bodyCut: null });
  });
});
