import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from '@jest/globals';
import { answer, flood, type RawReceiver, type RawScript, startRawReceiver } from '@callout/testing';
import { useWorker } from './fixtures/use-worker.ts';
import { aWebhook } from './fixtures/webhook-under-test.ts';

const worker = useWorker({ RETRY_SCHEDULE: '10ms' });
const receivers: RawReceiver[] = [];
afterEach(async () => {
  for (const receiver of receivers.splice(0)) await receiver.stop();
});

async function start(script: RawScript): Promise<RawReceiver> {
  const receiver = await startRawReceiver(script);
  receivers.push(receiver);
  return receiver;
}

/** The stored data of a callout to this receiver, from its first attempt to its end. */
async function storedAfter(script: RawScript) {
  const receiver = await start(script);
  const urlOf = (path: string) => `http://127.0.0.1:${receiver.port}${path}`;
  const { prisma } = worker.database;
  const webhook = await aWebhook(worker, { urlOf, secretKey: 'a secret of the receiver' });
  await webhook.change(1);
  await webhook.allEnded();
  const attempts = await webhook.attempts();
  const [callout] = await webhook.stored();
  const errors = await prisma.webhookEventErrorLog.findMany({ where: { tenantId: webhook.tenantId } });
  const mails = await prisma.notification.findMany({ where: { tenantId: webhook.tenantId } });
  const [health] = await prisma.webhookHealth.findMany({ where: { webhookKey: webhook.webhookKey } });
  return { state: callout?.state, attempts, errors, mails, health, requests: receiver.requests.length };
}

const bodyOf = ({ responseBody }: { responseBody: Uint8Array | null }) => Buffer.from(responseBody ?? []);
const nul = Buffer.from([0x00, 0xc3, 0x28, 0xff, 0xed, 0xa0, 0x80, 0x00]);
const page = '<html><body><script>alert(1)</script></body></html>';
const bomb = gzipSync(gzipSync(Buffer.alloc(20_000_000)));

describe('the response of a receiver', () => {
  it.each<[string, Buffer]>([
    ['NUL and bytes that are no UTF-8', nul],
    ['HTML', Buffer.from(page)],
    ['64 KiB', Buffer.alloc(65_536, 0)],
    ['nothing', Buffer.alloc(0)],
  ])('that contains %s is stored as received, for a success and for a failure', async (_what, body) => {
    for (const [status, state, attempts] of [
      [200, 'delivered', 1],
      [500, 'failed', 2],
    ] as const) {
      const stored = await storedAfter((connection) => connection.write(answer(status, body)));
      expect(stored.state).toBe(state);
      expect(stored.attempts.map((attempt) => attempt.status)).toEqual(Array(attempts).fill(status));
      for (const attempt of stored.attempts) expect(bodyOf(attempt).equals(body)).toBe(true);
      expect(stored.errors).toHaveLength(status === 500 ? 1 : 0);
      expect(stored.mails).toHaveLength(status === 500 ? 1 : 0);
    }
  });

  it('is cut at 64 KiB, and stored as received when it is compressed', async () => {
    const endless = await storedAfter((connection) => {
      connection.write('HTTP/1.1 200 OK\r\n\r\n');
      flood(connection, '\0x'.repeat(1_000));
    });
    expect(endless.state).toBe('delivered');
    expect(endless.attempts.map((attempt) => bodyOf(attempt).length)).toEqual([65_536]);
    const packed = await storedAfter((connection) =>
      connection.write(answer(200, bomb, ['Content-Encoding: gzip, gzip'])),
    );
    expect(packed.attempts.map((attempt) => bodyOf(attempt).equals(bomb))).toEqual([true]);
  });

  it('may have headers of any bytes, names of any kind, and as many as the limit allows', async () => {
    const many = Array.from({ length: 900 }, (_, nth) => `X-${nth}: y`);
    for (const [headers, expected] of [
      [
        ['__proto__: polluted', 'constructor: x', 'toString: y', 'X-Odd: \u00e9\u00ff \u0080 "\\u0000" \\'],
        // Node itself drops one that is called __proto__.
        { constructor: 'x', tostring: 'y', 'x-odd': '\u00e9\u00ff \u0080 "\\u0000" \\' },
      ],
      [many, { 'x-0': 'y', 'x-899': 'y' }],
      [['Set-Cookie: a', 'Set-Cookie: b'], { 'set-cookie': 'a, b' }],
    ] as const) {
      const { state, attempts } = await storedAfter((connection) => connection.write(answer(200, 'ok', headers)));
      expect(state).toBe('delivered');
      const { rows } = await worker.database.pool.query<{ text: string }>(
        'SELECT response_headers::text AS text FROM attempts WHERE id = $1',
        [attempts[0]?.id],
      );
      const stored = new Map(Object.entries(JSON.parse(rows[0]?.text ?? '{}') as Record<string, unknown>));
      for (const [name, value] of Object.entries(expected)) expect([name, stored.get(name)]).toEqual([name, value]);
    }
    expect({}).not.toHaveProperty('polluted');
  });

  it.each([
    ['to a private address', 'http://169.254.169.254/latest/meta-data/'],
    ['to itself', '/'],
    ['with markup, a quote and a line of its own', '"><script>alert(1)</script>\u0085Bcc: x'],
    ['that is 8 KB long', `https://hooks.example.com/${'x'.repeat(8_192)}`],
  ])('that redirects %s is a failure with its location, in attempt, error log and mail', async (_what, location) => {
    const stored = await storedAfter((connection) => connection.write(answer(307, '', [`Location: ${location}`])));
    expect(stored.state).toBe('failed');
    expect(stored.requests).toBe(2);
    expect(stored.attempts).toMatchObject([{ status: 307, responseHeaders: { location } }, { status: 307 }]);
    const [error] = stored.errors;
    expect(error?.errorMessage).toContain(`The receiver answered 307 with the location ${location}`.slice(0, 7_900));
    expect(error?.errorMessage.length).toBeLessThanOrEqual(8_000);
    expect(stored.mails).toHaveLength(1);
  });

  it.each([
    ['000', 0],
    ['099', 99],
    ['600', 600],
    ['999', 999],
  ] as const)(
    'with the status %s, which means nothing, is a failure that is stored as it came',
    async (spelled, status) => {
      const stored = await storedAfter((connection) => connection.write(answer(spelled, 'so what')));
      expect(stored).toMatchObject({ state: 'failed', requests: 2 });
      expect(stored.attempts).toMatchObject(Array(2).fill({ status, failureReason: null }));
      expect(stored.errors).toMatchObject([
        {
          errorMessage: `Attempt 2 failed: The receiver answered ${status}. Only a status from 200 to 299 counts as delivered. The answer begins: so what`,
        },
      ]);
    },
  );

  it.each([
    ['of several lines', '{\r\n  "error": "no such\0tenant"\n}', 'The answer begins: { "error": "no such tenant" }'],
    ['in another charset', Buffer.from('Schlüssel fehlt', 'latin1'), 'The answer begins: Schl\uFFFDssel fehlt'],
    ['that is long', '€'.repeat(5_000), `The answer begins: ${'€'.repeat(1_000)}`],
    ['of pairs', `x${'😀'.repeat(5_000)}`, `The answer begins: x${'😀'.repeat(499)}`],
    ['that is compressed', bomb, 'The answer is not text.'],
  ])('%s to a callout that fails is quoted in the error log', async (_what, body, words) => {
    const stored = await storedAfter((connection) => connection.write(answer(500, body)));
    expect(stored.errors).toMatchObject([
      { errorMessage: `Attempt 2 failed: The receiver answered 500: it failed. See the log of the receiver. ${words}` },
    ]);
  });

  it.each<[string, RawScript, string]>([
    ['a malformed status line', (connection) => connection.end('HTTP/1.1 OK\r\n\r\n'), 'invalidResponse'],
    [
      '64 KB of headers',
      (connection) => connection.write(answer(200, '', [`X-Large: ${'y'.repeat(65_536)}`])),
      'invalidResponse',
    ],
    [
      'a flood of interim answers',
      (connection) => flood(connection, 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100)),
      'invalidResponse',
    ],
    ['a reset', (connection) => connection.resetAndDestroy(), 'connectionLost'],
  ])('that is %s is a failure with a reason, and the callout is retried', async (_what, script, reason) => {
    const stored = await storedAfter(script);
    expect(stored).toMatchObject({ state: 'failed', requests: 2 });
    expect(stored.attempts).toMatchObject(
      Array(2).fill({ status: null, responseBody: null, failureReason: reason, failure: expect.any(String) }),
    );
    const words = stored.attempts[1]?.failure ?? '';
    expect(stored.health?.lastFailure).toBe(words);
    expect(stored.errors).toMatchObject([{ errorMessage: `Attempt 2 failed: ${words}` }]);
  });

  it('that comes before the limit with an endless body counts by its status', async () => {
    const stored = await storedAfter((connection) =>
      connection.write('HTTP/1.1 202 Accepted\r\nContent-Length: 1073741824\r\n\r\nabc'),
    );
    expect(stored).toMatchObject({ state: 'delivered', requests: 1 });
    expect(stored.attempts.map((attempt) => bodyOf(attempt).toString())).toEqual(['abc']);
  });

  it('that harms one webhook does not affect the others: settled together, the other is delivered', async () => {
    const hostile = await start((connection) => connection.write(answer(500, nul, ['X-Nul: "\\u0000"'])));
    const healthy = await start((connection) => connection.write(answer(200)));
    const makeWebhook = ({ port }: RawReceiver) =>
      aWebhook(worker, { urlOf: (path) => `http://127.0.0.1:${port}${path}`, secretKey: 'a secret' });
    const [one, other] = [await makeWebhook(hostile), await makeWebhook(healthy)];
    await Promise.all([one, other].map((webhook) => webhook.change(1, 2, 3)));
    await other.allEnded();
    await one.allEnded();
    expect((await other.stored()).map(({ state }) => state)).toEqual(Array(3).fill('delivered'));
    expect((await one.attempts()).map(({ status }) => status)).toEqual(Array(6).fill(500));
  });
});
