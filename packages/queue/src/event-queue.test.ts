import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import { sharedRedis } from '@callout/local/test-run';
import { createEventConsumer, type EventConsumerOptions, maxQueuedEvents } from './event-queue.ts';
import { createProducer, type Producer } from './producer.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (let close = closing.pop(); close; close = closing.pop()) await close();
});

const quiet = () => undefined;
async function until(fact: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await fact())) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Ids in the order of their times, like UUIDs of version 7. */
let made = 0;
const newId = () => `00000000-0000-7000-8000-${(made += 1).toString(16).padStart(12, '0')}`;
const newIds = (count: number) => Array.from({ length: count }, newId);

async function aQueue() {
  const redis = { url: (await sharedRedis()).url, prefix: `callout_test_${randomUUID()}`, onError: quiet };
  const producer = createProducer(redis);
  closing.push(() => producer.close());
  await until(() => producer.isReady());
  return { redis, producer, key: `${redis.prefix}:events` };
}

/** Claims batches; each is finished when the test says so, if it wants to. */
function consume(
  redis: { url: string; prefix: string },
  producer: Producer,
  options: Partial<EventConsumerOptions> = {},
): { batches: [string[], number][]; failed: string[]; close: () => Promise<void> } {
  const batches: [string[], number][] = [];
  const failed: string[] = [];
  const consumer = createEventConsumer({
    ...{ ...redis, producer, maxEvents: 500, concurrency: 1, onError: quiet },
    onFailed: (error) => void failed.push(error.message),
    ...options,
    async work(eventIds, priority) {
      batches.push([eventIds, priority]);
      await options.work?.(eventIds, priority);
    },
  });
  closing.push(() => consumer.close());
  return { batches, failed, close: () => consumer.close() };
}

/** Work that lasts until the test ends it. */
function held() {
  let finish: () => void = quiet;
  const done = new Promise<void>((resolve) => (finish = resolve));
  return { work: () => done, finish: () => finish() };
}

describe('the queue of events', () => {
  it('brings events to a waiting consumer, those of one commit together, and keeps nothing', async () => {
    const { redis, producer, key } = await aQueue();
    const { batches } = consume(redis, producer);
    const [one, several] = [newIds(1), newIds(100)];
    producer.enqueueEvents(one, 7);
    await until(() => batches.length === 1);
    producer.enqueueEvents(several, 7);
    await until(() => batches.length === 2);
    expect(batches).toEqual([
      [one, 7],
      [several, 7],
    ]);
    expect(await producer.redis.exists(key)).toBe(0);
    expect(await producer.waitingEvents()).toBe(0);
  });

  it('delivers the lowest priority first, equal ones in order, and different ones in different batches', async () => {
    const { redis, producer } = await aQueue();
    const [much, more, little] = [newIds(3), newIds(2), newIds(2)];
    producer.enqueueEvents([...more, ...much, ...little], [10, 10, 9, 9, 9, 4, 4]);
    expect(await producer.waitingEvents()).toBe(7);
    const { batches } = consume(redis, producer);
    await until(() => batches.length === 3);
    expect(batches).toEqual([
      [little, 4],
      [much, 9],
      [more, 10],
    ]);
  });

  it('lets an event of a lower priority overtake claimed events that are not begun', async () => {
    const { redis, producer } = await aQueue();
    const { work, finish } = held();
    producer.enqueueEvents(newIds(700), 9);
    producer.enqueueEvents(newIds(10), 8);
    expect(await producer.waitingEvents()).toBe(710);
    const { batches } = consume(redis, producer, { work });
    await until(() => batches.length === 1);
    const [light] = newIds(1);
    producer.enqueueEvents([light ?? ''], 5);
    await producer.waitingEvents();
    finish();
    await until(() => batches.length === 4);
    expect(batches.map(([ids, priority]) => [priority, ids.length])).toEqual([
      [8, 10],
      [5, 1],
      [9, 500],
      [9, 200],
    ]);
  });

  it('keeps the earlier priority of an event that is enqueued again', async () => {
    const { redis, producer } = await aQueue();
    const [early = '', late = ''] = newIds(2);
    producer.enqueueEvents([early, late], [3, 9]);
    producer.enqueueEvents([early, late], [6, 6]);
    expect(await producer.waitingEvents()).toBe(2);
    const { batches } = consume(redis, producer);
    await until(() => batches.length === 2);
    expect(batches).toEqual([
      [[early], 3],
      [[late], 6],
    ]);
  });

  it('holds a bounded number of events, the first in line, for a limited time', async () => {
    const { producer, key } = await aQueue();
    for (let thousand = 0; thousand <= maxQueuedEvents / 1_000; thousand += 1) {
      producer.enqueueEvents(newIds(1_000), 9);
      await producer.waitingEvents();
    }
    const light = newIds(1_500);
    producer.enqueueEvents(light, 1);
    producer.enqueueEvents(newIds(1), 9);
    expect(await producer.waitingEvents()).toBeLessThanOrEqual(maxQueuedEvents + 1);
    expect(await producer.redis.zcount(key, 1, 1)).toBe(light.length);
    expect(await producer.redis.pttl(key)).toBeGreaterThan(0);
    await producer.redis.unlink(key);
  });

  it('is shared by waiting consumers: each event reaches one of them', async () => {
    const { redis, producer } = await aQueue();
    const consumers = [1, 2, 3].map(() => consume(redis, producer, { concurrency: 2 }));
    const ids = newIds(60);
    for (const id of ids) producer.enqueueEvents([id], 1);
    const received = () => consumers.flatMap(({ batches }) => batches.flatMap(([taken]) => taken));
    await until(() => received().length >= ids.length);
    expect(received().toSorted()).toEqual(ids);
  });

  it('loses the events of work that failed, and continues', async () => {
    const { redis, producer } = await aQueue();
    const [bad = '', good = ''] = newIds(2);
    const { batches, failed } = consume(redis, producer, {
      work: async (ids) => {
        if (ids.includes(bad)) throw new Error('cannot be done');
      },
    });
    producer.enqueueEvents([bad], 1);
    await until(() => failed.length > 0);
    producer.enqueueEvents([good], 1);
    await until(() => batches.length === 2);
    expect(failed).toEqual(['cannot be done']);
  });
});

describe('a closed consumer of events', () => {
  it('ends at once while it waits, claims nothing more, and leaves no key', async () => {
    const { redis, producer, key } = await aQueue();
    const { batches, close } = consume(redis, producer);
    const ids = newIds(3);
    producer.enqueueEvents(ids.slice(0, 1), 1);
    await until(() => batches.length === 1);
    await close();
    producer.enqueueEvents(ids.slice(1), 1);
    expect(await producer.waitingEvents()).toBe(2);
    expect(batches).toHaveLength(1);
    expect(await producer.redis.keys(`${key}:*`)).toEqual([]);
  });

  it('finishes the present batch and returns events that it has not begun, with their priority', async () => {
    const { redis, producer, key } = await aQueue();
    const [first, second] = [newIds(2), newIds(3)];
    producer.enqueueEvents([...first, ...second], [1, 1, 8, 8, 8]);
    await producer.waitingEvents();
    const { work, finish } = held();
    const { batches, close } = consume(redis, producer, { work });
    await until(() => batches.length === 1);
    expect(await producer.waitingEvents()).toBe(0);
    const closed = close();
    finish();
    await closed;
    expect(batches).toEqual([[first, 1]]);
    expect(await producer.waitingEvents()).toBe(3);
    expect(await producer.redis.zcount(key, 8, 8)).toBe(3);
    expect(await producer.redis.zscore(key, second[0] ?? '')).toBe('8');
    await producer.redis.unlink(key);
  });

  it('ends when Redis was never available', async () => {
    const errors: Error[] = [];
    const away = { url: 'redis://127.0.0.1:1', prefix: 'away', onError: (error: Error) => void errors.push(error) };
    const producer = createProducer(away);
    closing.push(() => producer.close());
    const { close } = consume(away, producer, { onError: away.onError });
    await until(() => errors.length > 1);
    producer.enqueueEvents(newIds(1));
    expect(await producer.waitingEvents()).toBeNull();
    await close();
  });
});
