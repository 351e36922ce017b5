import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { startRedis } from '@callout/local/redis';
import { sharedRedis } from '@callout/local/test-run';
import { createConsumer } from './consumer.ts';
import type { JobName } from './jobs.ts';
import { createProducer } from './producer.ts';

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function until(fact: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await fact())) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** A producer, and consumers that tell what they were given and what went wrong; each job takes as long as `working`. */
async function world(url: string, prefix: string, working = Promise.resolve()) {
  const producer = createProducer({ url, prefix, onError: () => undefined });
  closing.push(() => producer.close());
  await until(() => producer.isReady());
  const seen = { jobs: [] as unknown[], refused: [] as string[], failed: [] as string[] };
  const consume = (name: JobName): void => {
    const consumer = createConsumer({
      ...{ url, prefix, name, concurrency: 3 },
      work: (job) => {
        seen.jobs.push(job);
        return working;
      },
      onError: (error) => seen.refused.push(error.message),
      onFailed: (error) => seen.failed.push(error.message),
    });
    closing.push(() => consumer.close());
  };
  /** Puts a job as some other program might. */
  const putByHand = async (name: JobName, data: string | null): Promise<void> => {
    const id = randomUUID();
    const job = { name, data: data ?? '', opts: '{}', timestamp: '1', delay: '0', priority: '0' };
    if (data !== null) await producer.redis.hset(`${prefix}:${name}:${id}`, job);
    await producer.redis.lpush(`${prefix}:${name}:wait`, id);
  };
  return { producer, seen, consume, putByHand };
}

describe('a job that is none of ours', () => {
  it.each([
    ['match', ['null', '{}', '"x"', '{"eventIds":"x"}', '{"eventIds":[7]}', '{"eventIds":[null]}', null]],
    [
      'deliver',
      ['null', '{"webhookKeys":{}}', '{"webhookKeys":["x"]}', '{"webhookKeys":[1.5]}', '{"webhookKeys":[1e99]}'],
    ],
  ] as const)('is not worked on (%s), but told and gone, and holds up nothing', async (name, contents) => {
    const prefix = `callout_test_${randomUUID()}`;
    const { producer, seen, consume, putByHand } = await world((await sharedRedis()).url, prefix);
    for (const data of contents) await putByHand(name, data);
    const ours = { match: { eventIds: ['ours'] }, deliver: { webhookKeys: [7] } }[name];
    producer.wake(name, ours);
    await until(async () => (await producer.waiting(name)) === contents.length + 1);
    consume(name);
    await until(() => seen.jobs.length > 0 && seen.failed.length >= contents.length);
    expect(seen.jobs).toEqual([ours]);
    expect(new Set(seen.failed)).toEqual(new Set([`a ${name} job that is none of ours`]));
    await until(async () => (await producer.redis.keys(`${prefix}:${name}:????????-*-????????????`)).length === 0);
    expect(await producer.redis.exists(`${prefix}:${name}:failed`, `${prefix}:${name}:completed`)).toBe(0);
  });

  it('cannot be read at all, and holds up nothing', async () => {
    const prefix = `callout_test_${randomUUID()}`;
    const { producer, seen, consume, putByHand } = await world((await sharedRedis()).url, prefix);
    await putByHand('match', 'not JSON');
    producer.wake('match', { eventIds: ['ours'] });
    await until(async () => (await producer.waiting('match')) === 2);
    consume('match');
    await until(() => seen.jobs.length > 0);
    expect(seen.jobs).toEqual([{ eventIds: ['ours'] }]);
    expect(seen.refused).toEqual([expect.stringContaining('not JSON')]);
  });
});

describe('a Redis that refuses commands', () => {
  it('is not asked again and again, and the jobs are worked on when it is well', async () => {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'callout-queue-'));
    const redis = await startRedis({ dataDir });
    closing.push(redis.stop, () => rm(dataDir, { recursive: true }));
    let finish: () => void = () => undefined;
    const working = new Promise<void>((resolve) => (finish = resolve));
    const { producer, seen, consume } = await world(redis.url, 'p', working);
    for (let turn = 1; turn <= 10; turn += 1) producer.wake('match', { eventIds: [`${turn}`] }, turn);
    await until(async () => (await producer.waiting('match')) === 10);
    consume('match');
    await until(() => seen.jobs.length === 3);
    await producer.redis.config('SET', 'min-replicas-to-write', '1');
    finish();
    await until(() => seen.refused.length > 0);
    // Time for as many tries.
    for (let n = 1; n <= 200; n += 1) await producer.redis.ping();
    expect(seen.refused.length).toBeLessThan(100);
    await producer.redis.config('SET', 'min-replicas-to-write', '0');
    await until(() => seen.jobs.length === 10);
  });
});
