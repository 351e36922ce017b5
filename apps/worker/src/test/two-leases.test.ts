import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  createTestDatabase,
  type StallingReceiver,
  startStallingReceiver,
  testRedis,
  type TestRedis,
} from '@callout/testing';
import { startWorker, type RunningWorker } from './fixtures/start-worker.ts';
import { aWebhook, type WebhookUnderTest } from './fixtures/webhook-under-test.ts';

let testDatabase: Awaited<ReturnType<typeof createTestDatabase>>;
let redis: TestRedis;
let workers: RunningWorker[];
let receiver: StallingReceiver;
let webhook: WebhookUnderTest;

beforeAll(async () => {
  [testDatabase, redis, receiver] = await Promise.all([createTestDatabase(), testRedis(), startStallingReceiver()]);
  const settings = {
    RETRY_SCHEDULE: '10ms',
    SECRET_KEYS: `k1:${randomBytes(32).toString('base64')}`,
  };
  workers = await Promise.all([1, 2].map(() => startWorker(testDatabase.url, redis, settings)));
});

afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  await Promise.all([redis.cleanUp(), testDatabase.drop(), receiver.stop()]);
});

const [first, second] = [0, 1] as const;
function worker(nth: number): RunningWorker {
  const one = workers[nth];
  if (one === undefined) throw new Error(`no worker ${nth}`);
  return one;
}

beforeEach(async () => {
  webhook = await aWebhook(worker(first), { urlOf: receiver.url, secretKey: 'a secret of the receiver' });
});

/** Ends a lease but not its call, as when its worker is frozen, or the clock of the database is set. */
async function endLeases(): Promise<void> {
  const { prisma } = worker(first).database;
  await prisma.openCallout.updateMany({
    where: { webhookKey: webhook.webhookKey, leaseOwner: { not: null } },
    data: { leaseUntil: new Date(0) },
  });
}

/** Two concurrent calls of one callout, each under its own lease. */
async function twoCalls() {
  await webhook.change(1, 1);
  const before = await receiver.nth(webhook.callouts, 1);
  await endLeases();
  const after = await receiver.nth(webhook.callouts, 2);
  return { before, after };
}

describe('two workers with one callout', () => {
  it('send the same bytes under the same id, as the same attempt', async () => {
    const { before, after } = await twoCalls();
    expect(after.body.equals(before.body)).toBe(true);
    for (const name of ['webhook-id', 'x-hook-attempt', 'x-hook-event-id', 'x-hook-signature']) {
      expect([name, after.headers[name]]).toEqual([name, before.headers[name]]);
    }
    await Promise.all([before, after].map((call) => call.answer(200)));
    await (await receiver.nth(webhook.callouts, 3)).answer(200);
    await webhook.allEnded();
  });

  it.each([
    ['the late one fails', 500, 200],
    ['both succeed', 200, 200],
  ])('store one attempt, that of the lease holder: %s', async (_what, late, holder) => {
    const { before, after } = await twoCalls();
    await before.answer(late);
    await after.answer(holder);
    await (await receiver.nth(webhook.callouts, 3)).answer(200);
    await webhook.allEnded();
    expect((await webhook.stored()).map(({ state }) => state)).toEqual(['delivered', 'delivered']);
    expect((await webhook.attempts()).map(({ number, status }) => [number, status])).toEqual([
      [1, 200],
      [1, 200],
    ]);
    expect(receiver.calls(webhook.callouts)).toHaveLength(3);
  });

  it('send again when the lease holder fails, though the late one was delivered: at least once', async () => {
    const { before, after } = await twoCalls();
    await before.answer(200);
    await after.answer(500);
    const retry = await receiver.nth(webhook.callouts, 3);
    expect(retry.headers).toMatchObject({ 'webhook-id': before.headers['webhook-id'], 'x-hook-attempt': '2' });
    await retry.answer(200);
    const next = await receiver.nth(webhook.callouts, 4);
    expect(next.headers['webhook-id']).not.toBe(before.headers['webhook-id']);
    await next.answer(200);
    await webhook.allEnded();
    expect((await webhook.attempts()).map(({ number, status }) => [number, status])).toEqual([
      [1, 500],
      [2, 200],
      [1, 200],
    ]);
  });

  it('share many callouts of one webhook without sending any twice, enqueued again and again', async () => {
    const records = Array.from({ length: 30 }, (_, nth) => nth + 1);
    const eventIds = await webhook.change(...records);
    for (let time = 0; time < 10; time += 1) {
      for (const { producer } of [worker(first), worker(second)]) {
        producer.enqueueEvents(eventIds);
        producer.enqueueWebhooks([webhook.webhookKey]);
      }
    }
    for (let nth = 1; nth <= records.length; nth += 1) await (await receiver.nth(webhook.callouts, nth)).answer(200);
    await webhook.allEnded();
    const ids = receiver.calls(webhook.callouts).map(({ headers }) => headers['webhook-id']);
    expect([ids.length, new Set(ids).size]).toEqual([records.length, records.length]);
  });
});
