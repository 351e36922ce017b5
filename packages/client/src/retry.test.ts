import { describe, expect, it } from '@jest/globals';
import { retrying, type RetryOptions } from './retry.ts';

type Scripted = Response | Error;

/** Sends a request to something that answers as scripted, and keeps what it was sent and how long was waited. */
async function sending(script: readonly (() => Scripted)[], request: Request, options: RetryOptions = {}) {
  const bodies: string[] = [];
  const waits: number[] = [];
  const send = retrying(
    async (sent) => {
      bodies.push(await sent.text());
      const outcome = (script[bodies.length - 1] ?? script.at(-1))?.();
      if (outcome === undefined || outcome instanceof Error) throw outcome ?? new Error('nothing scripted');
      return outcome;
    },
    {
      ...options,
      async sleep(milliseconds) {
        waits.push(milliseconds);
      },
    },
  );
  const outcome = await send(request).catch((error: unknown) => error);
  return { outcome, status: outcome instanceof Response ? outcome.status : undefined, bodies, waits };
}

const ok = () => new Response('{}');
const busy = (status: number, retryAfter?: string) => () =>
  new Response('{}', { status, ...(retryAfter !== undefined && { headers: { 'Retry-After': retryAfter } }) });
const lost = () => new TypeError('fetch failed');
const request = (method: string, headers: Record<string, string> = {}, path = '/v1.0/CompanyWebhooks') =>
  new Request(`https://callout.example${path}`, {
    method,
    headers,
    ...(method !== 'GET' && method !== 'DELETE' && { body: '{"a":1}' }),
  });

describe('retrying', () => {
  it('waits as long as the API says, and sends the same body', async () => {
    const { status, bodies, waits } = await sending([busy(429, '7'), busy(429, '0'), ok], request('POST'));
    expect([status, waits]).toEqual([200, [7000, 0]]);
    expect(bodies).toEqual(['{"a":1}', '{"a":1}', '{"a":1}']);
  });

  it('waits longer each time where the API does not say', async () => {
    const { waits } = await sending([busy(503)], request('GET'));
    expect(waits).toHaveLength(4);
    for (const [index, ms] of [500, 1000, 2000, 4000].entries()) {
      expect(waits[index]).toBeGreaterThanOrEqual(ms * 0.8);
      expect(waits[index]).toBeLessThanOrEqual(ms * 1.2);
    }
  });

  it('gives the last answer after all attempts', async () => {
    const { status, bodies } = await sending([busy(503)], request('GET'), { attempts: 3 });
    expect([status, bodies.length]).toEqual([503, 3]);
  });

  it('gives the answer at once that asks for too long a wait', async () => {
    const { status, bodies } = await sending([busy(429, '61')], request('GET'));
    expect([status, bodies.length]).toEqual([429, 1]);
  });

  it.each([
    ['GET', request('GET')],
    ['PUT', request('PUT')],
    ['PATCH', request('PATCH')],
    ['a query', request('POST', {}, '/atservicesrest/v1.0/CompanyWebhooks/query')],
    ['a count', request('POST', {}, '/atservicesrest/v1.0/CompanyWebhooks/query/count')],
    ['POST with a key', request('POST', { 'Idempotency-Key': 'k' })],
    ['DELETE with a key', request('DELETE', { 'Idempotency-Key': 'k' })],
  ])('repeats %s when the answer is 503 or got lost', async (_name, repeatable) => {
    expect((await sending([busy(503, '1'), lost, ok], repeatable)).status).toBe(200);
  });

  it.each(['POST', 'DELETE'])('does not repeat %s when it is not known whether it was carried out', async (method) => {
    expect((await sending([busy(503, '1'), ok], request(method))).status).toBe(503);
    const { outcome, bodies } = await sending([lost, ok], request(method));
    expect([outcome, bodies.length]).toEqual([lost(), 1]);
  });

  it('does not repeat a write of one version, which would meet its own change', async () => {
    const put = () => request('PUT', { 'If-Match': '"a"' });
    expect((await sending([busy(503, '1'), ok], put())).status).toBe(503);
    expect((await sending([lost, ok], put())).bodies).toHaveLength(1);
    expect((await sending([busy(429, '0'), ok], put())).status).toBe(200);
  });

  it('does not repeat what is wrong', async () => {
    const { status, bodies } = await sending([busy(400), ok], request('GET'));
    expect([status, bodies.length]).toEqual([400, 1]);
  });

  it('stops when it is aborted, also while it waits', async () => {
    const abort = new AbortController();
    const aborted = retrying(async () => {
      setImmediate(() => abort.abort(new Error('enough')));
      return busy(503, '60')();
    })(new Request('https://callout.example', { signal: abort.signal }));
    await expect(aborted).rejects.toThrow('enough');
  });
});
