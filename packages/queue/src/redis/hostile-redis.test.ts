import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { startRedis } from '@callout/local/redis';
import { sharedRedis } from '@callout/local/test-run';
import { createConsumer } from '../consumer.ts';
import { createEventConsumer } from '../event-consumer.ts';
import type { JobName } from '../jobs.ts';
import { createProducer, type Producer } from '../producer.ts';

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function until(fact: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await fact())) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** A producer, and consumers that record their jobs and errors; each job takes as long as `working`. */
async function world(url: string, prefix: string, working = Promise.resolve()) {
  const producer = createProducer({ url, prefix, onError: () => undefined });
  closing.push(() => producer.close());
  await until(() => producer.isReady());
  const seen = { jobs: [] as unknown[], refused: [] as string[], failed: [] as string[] };
  const consume = (name: JobName): void => {
    const consumer = createConsumer({
      ...{ url, prefix, name },
      work: (job) => {
        seen.jobs.push(job);
        return working;
      },
      onError: (error) => seen.refused.push(error.message),
      onFailed: (error) => seen.failed.push(error.message),
    });
    closing.push(() => consumer.close());
  };
  /** Puts a job as another program might. */
  const putByHand = async (name: JobName, data: string | null, priority = '0'): Promise<void> => {
    const id = randomUUID();
    const job = { name, data: data ?? '', opts: '{}', timestamp: '1', delay: '0', priority };
    if (data !== null) await producer.redis.hset(`${prefix}:${name}:${id}`, job);
    await producer.redis.lpush(`${prefix}:${name}:wait`, id);
  };
  return { producer, seen, consume, putByHand };
}

const notOurJobs = [
  ...['null', '{}', '"x"', '{"webhookKeys":{}}', '{"webhookKeys":"x"}', '{"webhookKeys":["x"]}'],
  ...['{"webhookKeys":[null]}', '{"webhookKeys":[1.5]}', '{"webhookKeys":[1e99]}'],
  null,
];

describe('a job of another program', () => {
  it('is reported and removed without being run, and delays nothing', async () => {
    const prefix = `callout_test_${randomUUID()}`;
    const { producer, seen, consume, putByHand } = await world((await sharedRedis()).url, prefix);
    for (const data of notOurJobs) await putByHand('deliver', data);
    producer.enqueueWebhooks([7]);
    await until(async () => (await producer.waitingJobs('deliver')) === notOurJobs.length + 1);
    consume('deliver');
    await until(() => seen.jobs.length > 0 && seen.failed.length >= notOurJobs.length);
    expect(seen.jobs).toEqual([{ webhookKeys: [7] }]);
    expect(new Set(seen.failed)).toEqual(new Set(['a job of the queue deliver that Callout cannot have put there']));
    await until(async () => (await producer.redis.keys(`${prefix}:deliver:????????-*-????????????`)).length === 0);
    expect(await producer.redis.exists(`${prefix}:deliver:failed`, `${prefix}:deliver:completed`)).toBe(0);
  });

  it('that cannot be read at all delays nothing', async () => {
    const prefix = `callout_test_${randomUUID()}`;
    const { producer, seen, consume, putByHand } = await world((await sharedRedis()).url, prefix);
    await putByHand('deliver', 'not JSON');
    producer.enqueueWebhooks([7]);
    await until(async () => (await producer.waitingJobs('deliver')) === 2);
    consume('deliver');
    await until(() => seen.jobs.length > 0);
    expect(seen.jobs).toEqual([{ webhookKeys: [7] }]);
    expect(seen.refused).toEqual([expect.stringContaining('not JSON')]);
  });
});

/** A consumer of events that records its events and errors. */
function consumeEvents(url: string, prefix: string, producer: Producer) {
  const seen = { eventIds: [] as string[], refused: [] as string[], failed: [] as string[] };
  const consumer = createEventConsumer({
    ...{ url, prefix, producer, maxEvents: 500, concurrency: 2 },
    work: async (eventIds) => void seen.eventIds.push(...eventIds),
    onError: (error) => seen.refused.push(error.message),
    onFailed: (error) => seen.failed.push(error.message),
  });
  closing.push(() => consumer.close());
  return seen;
}

const notEvents = ['{"eventIds":"x"}', '{"eventIds":[1]}', '{"eventIds":[""]}', '{"eventIds":[null]}'];

describe('a queue of events with data of another program', () => {
  it('drops jobs that name something other than event ids, whatever their priority, and delivers the rest', async () => {
    const prefix = `callout_test_${randomUUID()}`;
    const { url } = await sharedRedis();
    const { producer, putByHand } = await world(url, prefix);
    for (const data of notEvents) await putByHand('match', data);
    const [first, inTime] = [randomUUID(), randomUUID()];
    await putByHand('match', JSON.stringify({ eventIds: [`${first}\n`] }));
    await putByHand('match', JSON.stringify({ eventIds: [first] }), 'minus one');
    producer.enqueueEvents([inTime], 7);
    await producer.waitingJobs('match');
    const seen = consumeEvents(url, prefix, producer);
    await until(() => seen.eventIds.length === 2);
    expect(seen.eventIds).toEqual([first, inTime]);
    expect(seen.failed).toEqual(
      Array.from({ length: 5 }, () => 'a job of the queue match that Callout cannot have put there'),
    );
  });

  it.each([
    ['its jobs', 'prioritized'],
    ['its marker', 'marker'],
    ['its active jobs', 'active'],
  ])('is created again when a key is overwritten, that of %s, and that is logged', async (_kind, key) => {
    const prefix = `callout_test_${randomUUID()}`;
    const { url } = await sharedRedis();
    const { producer } = await world(url, prefix);
    await producer.redis.set(`${prefix}:match:${key}`, 'x');
    const seen = consumeEvents(url, prefix, producer);
    const eventId = randomUUID();
    await until(() => {
      producer.enqueueEvents([eventId], 1);
      return seen.eventIds.includes(eventId);
    });
    expect(seen.refused).toContainEqual(expect.stringContaining('WRONGTYPE'));
  });
});

describe('a Redis that refuses commands', () => {
  it('is not queried again and again, and the jobs are run when it has recovered', async () => {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'callout-queue-'));
    const redis = await startRedis({ dataDir });
    closing.push(redis.stop, () => rm(dataDir, { recursive: true }));
    let finish: () => void = () => undefined;
    const working = new Promise<void>((resolve) => (finish = resolve));
    const { producer, seen, consume } = await world(redis.url, 'p', working);
    for (let webhookKey = 1; webhookKey <= 10; webhookKey += 1) {
      producer.enqueueWebhooks([webhookKey]);
      await until(async () => (await producer.waitingJobs('deliver')) === webhookKey);
    }
    consume('deliver');
    await until(() => seen.jobs.length === 1);
    await producer.redis.config('SET', 'min-replicas-to-write', '1');
    finish();
    await until(() => seen.refused.length > 0);
    // Time for as many attempts.
    for (let n = 1; n <= 200; n += 1) await producer.redis.ping();
    expect(seen.refused.length).toBeLessThan(100);
    await producer.redis.config('SET', 'min-replicas-to-write', '0');
    await until(() => seen.jobs.length === 10);
  });

  it('is not queried for events again and again, and they are matched when it has recovered', async () => {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'callout-queue-'));
    const redis = await startRedis({ dataDir });
    closing.push(redis.stop, () => rm(dataDir, { recursive: true }));
    const { producer } = await world(redis.url, 'p');
    const eventId = randomUUID();
    producer.enqueueEvents([eventId]);
    await producer.waitingJobs('match');
    await producer.redis.config('SET', 'min-replicas-to-write', '1');
    const seen = consumeEvents(redis.url, 'p', producer);
    await until(() => seen.refused.length > 0);
    // Time for as many attempts.
    for (let n = 1; n <= 200; n += 1) await producer.redis.ping();
    expect(seen.refused.length).toBeLessThan(100);
    await producer.redis.config('SET', 'min-replicas-to-write', '0');
    await until(() => seen.eventIds.length === 1);
    expect(seen.eventIds).toEqual([eventId]);
  });
});
