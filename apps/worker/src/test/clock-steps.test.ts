import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { eventually } from '@callout/testing';
import { useStallingReceiver, useWorker } from './fixtures/use-worker.ts';
import { aWebhook, type WebhookUnderTest } from './fixtures/webhook-under-test.ts';

const receiver = useStallingReceiver();
const worker = useWorker({ RETRY_SCHEDULE: '20ms,20ms' });
let webhook: WebhookUnderTest;

beforeEach(async () => {
  webhook = await aWebhook(worker, { urlOf: receiver.url, secretKey: 'a secret of the receiver' });
});
afterEach(() => {
  jest.useRealTimers();
});

/** Sets the wall clock of this process; timers and the clock of PostgreSQL are not affected. */
function stepClock(byMs: number): void {
  const now = Date.now() + byMs;
  const doNotFake = [
    ...(['hrtime', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate', 'clearImmediate'] as const),
    ...(['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] as const),
  ];
  jest.useFakeTimers({ now, doNotFake });
}

/** More than a lease, and less than the minute from which on nothing is signed. */
const stepMs = 45_000;
const hourMs = 3_600_000;

describe.each([
  ['forward', hourMs],
  ['back', -hourMs],
])('a worker whose clock is set %s by an hour', (_way, byMs) => {
  it('sends nothing until the clock is right, and loses nothing', async () => {
    stepClock(byMs);
    await webhook.change(1);
    const found = sweptWebhooks(await worker.metrics.text());
    // The sweep finds the callout again and again, since nothing leases it.
    await eventually(async () => sweptWebhooks(await worker.metrics.text()) >= found + 5);
    expect(receiver.calls(webhook.callouts)).toEqual([]);
    jest.useRealTimers();
    await (await receiver.nth(webhook.callouts, 1)).answer(200);
    await webhook.allEnded();
    expect((await webhook.stored()).map(({ state }) => state)).toEqual(['delivered']);
    const [call] = receiver.calls(webhook.callouts);
    expect(Math.abs(Date.now() / 1_000 - Number(call?.headers['webhook-timestamp']))).toBeLessThan(60);
  });
});

function sweptWebhooks(metrics: string): number {
  return Number(/^callout_swept_total\{\w+="webhooks"\} (\d+)$/m.exec(metrics)?.[1] ?? 0);
}

describe.each([
  ['forward', stepMs],
  ['back', -stepMs],
])('a worker whose clock is set %s by most of a minute', (_way, byMs) => {
  it('while calls are under way and retries are due loses nothing, sends nothing twice and keeps the order', async () => {
    await webhook.change(1, 1, 2);
    const [one, other] = [await receiver.nth(webhook.callouts, 1), await receiver.nth(webhook.callouts, 2)];
    stepClock(byMs);
    await one.answer(500);
    await other.answer(503, { 'Retry-After': '1' });
    const retries = [await receiver.nth(webhook.callouts, 3), await receiver.nth(webhook.callouts, 4)];
    await webhook.change(1, 3);
    stepClock(-byMs);
    for (const retry of retries) await retry.answer(200);
    for (const nth of [5, 6, 7]) await (await receiver.nth(webhook.callouts, nth)).answer(200);
    await webhook.allEnded();

    expect((await webhook.stored()).map(({ state }) => state)).toEqual(Array(5).fill('delivered'));
    const calls = receiver.calls(webhook.callouts).map(({ headers, body }) => ({
      attempt: Number(headers['x-hook-attempt']),
      ...(JSON.parse(body.toString()) as { Id: number; SequenceNumber: number }),
    }));
    expect(calls).toHaveLength(7);
    const ofFirst = calls.filter(({ Id }) => Id === 1).map(({ SequenceNumber, attempt }) => [SequenceNumber, attempt]);
    expect(ofFirst).toEqual([
      [1, 1],
      [1, 2],
      [2, 1],
      [4, 1],
    ]);
  });

  it('waits as long as a Retry-After in seconds says, and not a step more or less', async () => {
    stepClock(byMs);
    await webhook.change(1);
    await (await receiver.nth(webhook.callouts, 1)).answer(503, { 'Retry-After': '2' });
    await eventually(async () => (await webhook.attempts()).length === 1);
    const { rows } = await worker.database.pool.query<{ waitS: number }>(
      `SELECT extract(epoch FROM due_at - now())::float8 AS "waitS" FROM open_callouts WHERE webhook_key = $1`,
      [webhook.webhookKey],
    );
    expect(rows[0]?.waitS).toBeLessThanOrEqual(2);
    // The wait is two seconds: the callout is found still waiting, and is sent after that.
    await (await receiver.nth(webhook.callouts, 2)).answer(200);
    await webhook.allEnded();
  });
});
