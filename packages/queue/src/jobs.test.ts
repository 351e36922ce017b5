import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { startRedis } from '@callout/local/redis';
import { sharedRedis } from '@callout/local/test-run';
import { createConsumer, type Consumer } from './consumer.ts';
import type { Jobs } from './jobs.ts';
import { createProducer, type Producer } from './producer.ts';
import { checkRedis } from './redis/redis.ts';

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const quiet = () => undefined;

async function until(fact: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await fact())) await new Promise((resolve) => setTimeout(resolve, 5));
}

async function producerOf(url: string, prefix: string, onError: (error: Error) => void = quiet): Promise<Producer> {
  const producer = createProducer({ url, prefix, onError });
  closing.push(() => producer.close());
  return producer;
}

function consume(
  url: string,
  prefix: string,
  work: (job: Jobs['deliver']) => Promise<void>,
  onError: (error: Error) => void = quiet,
): Consumer {
  const consumer = createConsumer({ url, prefix, name: 'deliver', work, onError, onFailed: onError });
  closing.push(() => consumer.close());
  return consumer;
}

describe('jobs', () => {
  it('reach a consumer and leave nothing behind', async () => {
    const { url } = await sharedRedis();
    const prefix = `callout_test_${randomUUID()}`;
    const producer = await producerOf(url, prefix);
    await producer.firstAttempt;
    expect(producer.isReady()).toBe(true);
    const received: number[][] = [];
    consume(url, prefix, async ({ webhookKeys }) => void received.push(webhookKeys));
    producer.enqueueWebhooks([1, 2]);
    await until(() => received.length === 1);
    producer.enqueueWebhooks([3]);
    await until(() => received.length === 2);
    expect(received).toEqual([[1, 2], [3]]);
    await until(async () => (await producer.redis.keys(`${prefix}:deliver:[0-9]*`)).length === 0);
    expect(await producer.waitingJobs('deliver')).toBe(0);
  });

  it('that fail are reported and not repeated', async () => {
    const { url } = await sharedRedis();
    const prefix = `callout_test_${randomUUID()}`;
    const producer = await producerOf(url, prefix);
    await until(() => producer.isReady());
    const errors: Error[] = [];
    const received: number[] = [];
    consume(
      url,
      prefix,
      async ({ webhookKeys }) => {
        received.push(...webhookKeys);
        if (webhookKeys.includes(13)) throw new Error('cannot be done');
      },
      (error) => void errors.push(error),
    );
    producer.enqueueWebhooks([13]);
    await until(() => errors.length > 0);
    producer.enqueueWebhooks([7]);
    await until(() => received.includes(7));
    expect(received).toEqual([13, 7]);
    expect(errors.map((error) => error.message)).toEqual(['cannot be done']);
  });

  it('that are enqueued at the same time are merged', async () => {
    const { url } = await sharedRedis();
    const prefix = `callout_test_${randomUUID()}`;
    const producer = await producerOf(url, prefix);
    await until(() => producer.isReady());
    const received: number[][] = [];
    consume(url, prefix, async ({ webhookKeys }) => void received.push(webhookKeys));
    producer.enqueueWebhooks([1, 2]);
    producer.enqueueWebhooks([3, 2]);
    await until(() => received.length > 0);
    expect(received).toEqual([[1, 2, 3]]);
  });

  it('with many rows are separate jobs', async () => {
    const { url } = await sharedRedis();
    const prefix = `callout_test_${randomUUID()}`;
    const producer = await producerOf(url, prefix);
    await until(() => producer.isReady());
    let webhookKey = 0;
    const many = (count: number) => Array.from({ length: count }, () => (webhookKey += 1));
    for (const count of [300, 300, 1000, 1, 1]) producer.enqueueWebhooks(many(count));
    const sizes: number[] = [];
    consume(url, prefix, async ({ webhookKeys }) => void sizes.push(webhookKeys.length));
    await until(() => sizes.length === 3);
    expect(sizes).toEqual([600, 1000, 2]);
  });

  it('are counted while they wait', async () => {
    const { url } = await sharedRedis();
    const producer = await producerOf(url, `callout_test_${randomUUID()}`);
    await until(() => producer.isReady());
    producer.enqueueWebhooks([1]);
    await until(async () => (await producer.waitingJobs('deliver')) === 1);
    producer.enqueueWebhooks([2]);
    await until(async () => (await producer.waitingJobs('deliver')) !== 1);
    expect(await producer.waitingJobs('deliver')).toBe(2);
  });

  it('are looked for by one process in each period, which expires by itself', async () => {
    const { url } = await sharedRedis();
    const prefix = `callout_test_${randomUUID()}`;
    const producers = [await producerOf(url, prefix), await producerOf(url, prefix)];
    await until(() => producers.every((producer) => producer.isReady()));
    const claims = () => Promise.all(producers.map((producer) => producer.claimPeriod('sweep', 60_000)));
    expect((await claims()).filter(Boolean)).toHaveLength(1);
    expect(await claims()).toEqual([false, false]);
    expect(await producers[0]?.claimPeriod('other', 1)).toBe(true);
    await until(async () => (await producers[1]?.claimPeriod('other', 1)) === true);
  });

  it('neither wait nor fail while Redis is away', async () => {
    const errors: Error[] = [];
    const producer = await producerOf('redis://127.0.0.1:1', 'away', (error) => errors.push(error));
    await producer.firstAttempt;
    expect(producer.isReady()).toBe(false);
    await until(() => errors.length > 0);
    producer.enqueueWebhooks([1]);
    expect(await producer.waitingJobs('deliver')).toBeNull();
    expect(await producer.claimPeriod('sweep', 1000)).toBe(false);
  });
});

describe('a consumer that is closed while Redis is away', () => {
  it('ends when Redis was never available', async () => {
    const errors: Error[] = [];
    const consumer = consume(
      'redis://127.0.0.1:1',
      'away',
      async () => undefined,
      (error) => errors.push(error),
    );
    await until(() => errors.length > 0);
    await consumer.close();
    expect(consumer.isReady()).toBe(false);
  });

  it('finishes the running job and ends', async () => {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'callout-queue-'));
    const redis = await startRedis({ dataDir });
    closing.push(redis.stop, () => rm(dataDir, { recursive: true }));
    const errors: Error[] = [];
    const steps: string[] = [];
    let finish: () => void = quiet;
    const consumer = consume(
      redis.url,
      'away',
      async () => {
        steps.push('began');
        await new Promise<void>((resolve) => {
          finish = resolve;
        });
        steps.push('finished');
      },
      (error) => errors.push(error),
    );
    const producer = await producerOf(redis.url, 'away');
    await until(() => producer.isReady());
    producer.enqueueWebhooks([1]);
    await until(() => steps.length > 0);
    await redis.stop();
    await until(() => errors.some((error) => error.message.includes('ECONNREFUSED')));
    const closed = consumer.close().then(() => steps.push('closed'));
    finish();
    await closed;
    expect(steps).toEqual(['began', 'finished', 'closed']);
  });
});

describe('checkRedis', () => {
  const answering = (server: string, policy: string) =>
    ({ info: async (section: string) => (section === 'server' ? server : `maxmemory_policy:${policy}\r\n`) }) as never;

  it('accepts the Redis of the tests', async () => {
    const { url } = await sharedRedis();
    const producer = await producerOf(url, 'check');
    await until(() => producer.isReady());
    expect(await checkRedis(producer.redis)).toEqual([]);
  });

  it.each([
    ['redis_version:6.0.16\r\n', 'noeviction', ['Redis 6.0.16 is too old: Redis 6.2 or newer is needed']],
    ['redis_version:6.2.0\r\n', 'noeviction', []],
    ['redis_version:7.2.4\r\nvalkey_version:7.0.1\r\n', 'noeviction', [expect.stringContaining('Valkey 7.0.1')]],
    ['redis_version:7.4.0\r\n', 'allkeys-lru', [expect.stringContaining('set it to noeviction')]],
  ])('of %j with %s', async (server, policy, problems) => {
    expect(await checkRedis(answering(server, policy))).toEqual(problems);
  });
});
