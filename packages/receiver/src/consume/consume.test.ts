import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { ReceivedCallout } from '../receiver/handling.ts';
import { RetryLater } from '../receiver/retry-later.ts';
import { SECRET, sentCallout } from '../verify/signed-callout.fixture.ts';
import { consume, type ConsumeOptions } from './consume.ts';
import { ConsumeError } from './consume-error.ts';

const url = 'https://callout.example.com/atservicesrest/v1.0/CompanyWebhooks/3';
const credential = { userName: 'user', secret: 'secret', apiIntegrationCode: 'code' };

interface Asked {
  readonly path: string;
  readonly body: Record<string, unknown>;
  readonly headers: Record<string, string>;
}

/** How an API answers: with callouts, or as it likes. After the last answer a request waits until it is aborted. */
type Scripted = readonly ReturnType<typeof item>[] | (() => Response | Error);

function item(ackID: string, change: Parameters<typeof sentCallout>[0] = {}, options = {}) {
  const { body, headers } = sentCallout(change, { id: `callout of ${ackID}`, ...options });
  return { ackID, calloutID: `callout of ${ackID}`, headers, body: Buffer.from(body).toString() };
}

const test = { Id: 0, SequenceNumber: 0 };

/** Consumes what a scripted API hands out, until the script is over and everything is acknowledged. */
function consumerOf(pulls: readonly Scripted[], options: Partial<ConsumeOptions> = {}, acks: Scripted[] = []) {
  const asked: Asked[] = [];
  const handled: ReceivedCallout[] = [];
  const errors: unknown[] = [];
  const waits: number[] = [];
  const stop = new AbortController();
  const script = [...pulls];

  async function answer(address: string, { body, headers, signal }: RequestInit): Promise<Response> {
    const given = JSON.parse(body as string) as Record<string, unknown>;
    const path = address.slice(url.length);
    asked.push({ path, body: given, headers: headers as Record<string, string> });
    const next = path === '/Pull' ? script.shift() : acks.shift();
    if (typeof next === 'function') {
      const outcome = next();
      await Promise.resolve();
      signal?.throwIfAborted();
      if (outcome instanceof Error) throw outcome;
      return outcome;
    }
    if (path === '/Pull/ack') return Response.json({ items: resultsOf(given) });
    if (next !== undefined) return Response.json({ items: next });
    // Once what was fetched has been acknowledged, and not before: a place may be free earlier.
    if (!('signal' in options)) setImmediate(() => stop.abort());
    return new Promise((_resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason as Error));
    });
  }

  const done = consume({
    url,
    credential,
    handle: (callout) => void handled.push(callout),
    onError: (error) => errors.push(error),
    signal: stop.signal,
    fetch: answer,
    sleep: async (milliseconds) => void waits.push(milliseconds),
    ...options,
  });
  const words = () => asked.filter(({ path }) => path === '/Pull/ack').map(({ body }) => body);
  return { done, asked, handled, errors, waits, words, stop };
}

function resultsOf({ acks, nacks }: Record<string, unknown>) {
  return [
    ...(acks as string[]).map((ackID) => ({ ackID, status: 'acked' })),
    ...(nacks as { ackID: string }[]).map(({ ackID }) => ({ ackID, status: 'nacked' })),
  ];
}

const refused =
  (status: number, message: string, headers: Record<string, string> = {}) =>
  () =>
    Response.json({ errors: [message] }, { status, headers });

afterEach(() => {
  jest.restoreAllMocks();
  jest.useRealTimers();
});

describe('consume', () => {
  it('fetches with the credential, hands over, and acknowledges', async () => {
    const { done, asked, handled, words, errors } = consumerOf([[item('a'), item('b')], []]);
    await done;
    expect(asked[0]).toMatchObject({ path: '/Pull', body: { max: 10, waitSeconds: 20, leaseSeconds: 60 } });
    const headers = new Headers(asked[0]?.headers);
    expect(Object.keys(credential).map((name) => headers.get(name))).toEqual(['user', 'secret', 'code']);
    expect(handled).toMatchObject([{ id: 'callout of a', attempt: 1, payload: { Id: 42 } }, { id: 'callout of b' }]);
    expect(words().flatMap(({ acks }) => acks)).toEqual(['a', 'b']);
    expect(errors).toEqual([]);
  });

  it('says of a callout that is not handled when it is to come again, and never why a function threw', async () => {
    const failures: Record<string, Error> = {
      'callout of later': new RetryLater(90, 'the queue is full'),
      'callout of thrown': new Error('password=hunter2'),
    };
    const { done, words, errors } = consumerOf([[item('later'), item('thrown')]], {
      handle({ id }) {
        throw failures[id] ?? new Error(id);
      },
    });
    await done;
    expect(words().flatMap(({ nacks }) => nacks)).toEqual([
      { ackID: 'later', reason: 'the queue is full', retryAfterSeconds: 90 },
      { ackID: 'thrown', reason: 'The consumer could not handle this callout; its log says why.' },
    ]);
    expect(errors).toEqual(Object.values(failures));
  });

  it('hands tests and deactivation calls to functions of their own', async () => {
    const calls: string[] = [];
    const { done, handled, words } = consumerOf([[item('test', test), item('off', { Action: 'Deactivated' })]], {
      onTest: () => calls.push('test'),
      onDeactivated: () => calls.push('deactivated'),
    });
    await done;
    expect([calls, handled]).toEqual([['test', 'deactivated'], []]);
    expect(words().flatMap(({ acks }) => acks)).toEqual(['test', 'off']);
  });

  it('verifies signatures where it has the secret', async () => {
    const forged = item('forged', {}, { secret: 'another' });
    const { done, handled, words } = consumerOf([[item('genuine'), forged]], { secrets: SECRET });
    await done;
    expect(handled.map(({ id }) => id)).toEqual(['callout of genuine']);
    const reason = expect.stringContaining('No key fits the signature');
    expect(words().flatMap(({ nacks }) => nacks)).toEqual([{ ackID: 'forged', reason }]);
  });

  it('acknowledges a callout that comes again, and does not handle it twice', async () => {
    const again = { ...item('a'), ackID: 'a again' };
    const { done, handled, words } = consumerOf([[item('a')], [again]], { concurrency: 1 });
    await done;
    expect(handled).toHaveLength(1);
    expect(words().flatMap(({ acks }) => acks)).toEqual(['a', 'a again']);
  });

  it('handles so many at a time, and asks for no more than it has places for', async () => {
    let running = 0;
    let most = 0;
    const { done, asked } = consumerOf([[item('1'), item('2'), item('3')], [item('4')], [item('5')]], {
      concurrency: 3,
      async handle() {
        running += 1;
        most = Math.max(most, running);
        await new Promise(setImmediate);
        running -= 1;
      },
    });
    await done;
    expect(most).toBe(3);
    const pulls = asked.filter(({ path }) => path === '/Pull').map(({ body }) => Number(body['max']));
    expect(pulls[0]).toBe(3);
    expect(Math.max(...pulls)).toBe(3);
  });

  it('goes on after failures of the API and the network, after growing waits or as long as the API says', async () => {
    const { done, handled, errors, waits } = consumerOf([
      () => new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } }),
      refused(503, 'The API is stopping.'),
      refused(429, 'Too many requests.', { 'Retry-After': '120' }),
      () => new Response('<html>Bad gateway</html>', { status: 502 }),
      () => new Response('<html>Maintenance</html>'),
      [item('a')],
    ]);
    await done;
    expect(handled).toHaveLength(1);
    expect(waits.slice(0, 5).map((ms) => ms >= 120_000)).toEqual([false, false, true, false, false]);
    expect(errors.map((error) => (error as Error).message)).toEqual([
      `${url}/Pull cannot be reached: ECONNREFUSED.`,
      'The API is stopping.',
      'Too many requests.',
      'The API answered 502.',
      `${url}/Pull answered something else than callouts: is a proxy between?`,
    ]);
  });

  it('repeats an acknowledgement until it is answered, with what is acknowledged meanwhile', async () => {
    const lost = () => new TypeError('fetch failed');
    const { done, words, waits, handled } = consumerOf([[item('a'), item('b')]], {}, [lost, refused(503, 'Later.')]);
    await done;
    expect(handled).toHaveLength(2);
    expect(words().at(-1)).toEqual({ acks: ['a', 'b'], nacks: [] });
    expect(waits.length).toBeGreaterThanOrEqual(2);
  });

  it('says of an acknowledgement that came too late', async () => {
    const lapsed = () => Response.json({ items: [{ ackID: 'a', status: 'lapsed' }] });
    const { done, errors } = consumerOf([[item('a')]], {}, [lapsed]);
    await done;
    expect(String(errors[0])).toContain('The acknowledgement a came too late (lapsed)');
  });

  it.each([
    [401, /credential was refused: check userName, secret and apiIntegrationCode/u],
    [403, /needs a role that may change webhooks/u],
    [404, /CompanyWebhooks\/3 is not there/u],
    [409, /^Says the API\.$/u],
    [307, /redirects: give the address that answers/u],
  ])('stops at once on %d, with a sentence', async (status, sentence) => {
    const answer = refused(status, 'Says the API.', { 'X-Request-Id': 'request-1' });
    const { done, asked, errors } = consumerOf([answer, answer]);
    const error = await done.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConsumeError);
    expect(error).toMatchObject({
      status,
      isFinal: true,
      requestId: 'request-1',
      message: expect.stringMatching(sentence),
    });
    expect(asked).toHaveLength(1);
    expect(errors).toEqual([]);
  });

  it('stops when its credential is refused at an acknowledgement', async () => {
    const { done, errors } = consumerOf([[item('a')]], {}, [refused(401, 'No.')]);
    await expect(done).rejects.toMatchObject({ status: 401 });
    expect(errors.map(String)).toEqual([expect.stringContaining('not acknowledged, and are handed out again: 1.')]);
  });

  it('finishes what it holds when it is stopped, and fetches no more', async () => {
    let finish = (): void => undefined;
    const begun = new AbortController();
    const { done, words, stop, asked } = consumerOf([[item('a')], [item('b')]], {
      concurrency: 1,
      handle() {
        begun.abort();
        return new Promise<void>((resolve) => (finish = resolve));
      },
    });
    await new Promise((resolve) => begun.signal.addEventListener('abort', resolve));
    stop.abort();
    expect(words()).toEqual([]);
    finish();
    await done;
    expect(words()).toEqual([{ acks: ['a'], nacks: [] }]);
    expect(asked.filter(({ path }) => path === '/Pull')).toHaveLength(1);
  });

  it('handles what the API has handed out while it was being stopped', async () => {
    const { done, words, stop } = consumerOf(
      [
        () => {
          stop.abort();
          return Response.json({ items: [item('a')] });
        },
      ],
      { sleep: () => new Promise(() => undefined) },
    );
    await done;
    expect(words()).toEqual([{ acks: ['a'], nacks: [] }]);
  });

  it('returns what is not finished in time when it is stopped', async () => {
    const signals: AbortSignal[] = [];
    const begun = new AbortController();
    const { done, words, stop, errors } = consumerOf([[item('a')]], {
      drainSeconds: 0,
      concurrency: 1,
      handle(_callout, { signal }) {
        signals.push(signal);
        begun.abort();
        return new Promise(() => undefined);
      },
    });
    await new Promise((resolve) => begun.signal.addEventListener('abort', resolve));
    stop.abort();
    await done;
    const reason = 'The consumer was stopped before it had handled this callout.';
    expect(words()).toEqual([{ acks: [], nacks: [{ ackID: 'a', reason, retryAfterSeconds: 1 }] }]);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(errors.map(String)).toEqual([`HandlingEnded: ${reason}`]);
  });

  it('says in time that a callout takes too long, and keeps its place taken while the function runs', async () => {
    jest.useFakeTimers({ doNotFake: ['performance', 'setImmediate'] });
    let finish = (): void => undefined;
    const { done, words, asked, stop } = consumerOf([[item('a')], []], {
      leaseSeconds: 5,
      concurrency: 1,
      handle: () => new Promise<void>((resolve) => (finish = resolve)),
    });
    await jest.advanceTimersByTimeAsync(3_999);
    expect(words()).toEqual([]);
    await jest.advanceTimersByTimeAsync(1);
    expect(words()).toEqual([
      { acks: [], nacks: [{ ackID: 'a', reason: 'The consumer did not handle it within 4 s.' }] },
    ]);
    expect(asked.filter(({ path }) => path === '/Pull')).toHaveLength(1);
    finish();
    await jest.advanceTimersByTimeAsync(1_000);
    expect(asked.filter(({ path }) => path === '/Pull').length).toBeGreaterThan(1);
    stop.abort();
    await done;
  });

  it('is stopped by SIGTERM and SIGINT where it is given no signal, and listens no longer then', async () => {
    const listeners = () => ['SIGTERM', 'SIGINT'].map((name) => process.listenerCount(name));
    const before = listeners();
    const { done } = consumerOf([], { signal: undefined });
    expect(listeners()).toEqual(before.map((count) => count + 1));
    process.emit('SIGTERM');
    await done;
    expect(listeners()).toEqual(before);
  });

  it.each([
    [{ url: '' }, /url must be the address of a webhook/u],
    [{ url: 'https://callout.example.com/atservicesrest/v1.0' }, /url must be the address of a webhook/u],
    [{ url: `${url}/Callouts` }, /url must be the address of a webhook/u],
    [{ credential: { ...credential, secret: '' } }, /The credential has no secret\. Is the variable set\?/u],
    [{ leaseSeconds: 4 }, /leaseSeconds must be a whole number from 5 to 3600, and not 4/u],
    [{ concurrency: 0 }, /concurrency must be/u],
    [{ waitSeconds: 0 }, /waitSeconds must be/u],
    [{ secrets: '' }, /A secret is missing or empty/u],
  ])('refuses %j before it asks the API', async (options, sentence) => {
    const { done, asked } = consumerOf([], options);
    await expect(done).rejects.toThrow(sentence);
    expect(asked).toEqual([]);
  });

  it.each([`${url}/`, `${url}/Pull`])('takes %s for the address', async (address) => {
    const { done, asked } = consumerOf([], { url: address });
    await done;
    expect(asked).toMatchObject([{ path: '/Pull' }]);
  });
});
