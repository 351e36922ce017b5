import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Queue } from 'bullmq';
import { sharedRedis } from '@callout/local/test-run';
import { createEventConsumer, type EventConsumerOptions } from './event-consumer.ts';
import { createPriorities, timeOf } from './priorities.ts';
import { maxMatchJobs } from './job-sender.ts';
import { createProducer, type Producer } from './producer.ts';
import { createQueueReader } from './queue-figures.ts';

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
  const bull = new Queue<{ eventIds: string[] }>('match', { connection: producer.redis, prefix: redis.prefix });
  closing.push(() => bull.close());
  return { redis, producer, bull };
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

const waiting = (producer: Producer) => producer.waitingJobs('match');

describe('the queue of events', () => {
  it('brings events to a waiting consumer, the events of one commit together, and keeps nothing', async () => {
    const { redis, producer } = await aQueue();
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
    await until(async () => (await producer.redis.keys(`${redis.prefix}:match:[0-9]*`)).length === 0);
    expect(await waiting(producer)).toBe(0);
  });

  it('is a queue of BullMQ, with a job for each priority of a commit', async () => {
    const { producer, bull } = await aQueue();
    const [much, little] = [newIds(3), newIds(2)];
    producer.enqueueEvents([...much, ...little], [9, 9, 9, 4, 4]);
    expect(await waiting(producer)).toBe(2);
    const jobs = await bull.getJobs('prioritized', 0, -1, true);
    expect(jobs.map(({ name, data, priority }) => ({ name, data, priority }))).toEqual([
      { name: 'match', data: { eventIds: little }, priority: 4 },
      { name: 'match', data: { eventIds: much }, priority: 9 },
    ]);
  });

  it('is counted for operators, with the minutes of its first and its last priority', async () => {
    const { redis, producer } = await aQueue();
    const priorities = createPriorities();
    const [present, latest] = [priorities.of(1, 1), priorities.of(2, 1_000_000)];
    producer.enqueueEvents(newIds(2), [latest, present]);
    expect(await waiting(producer)).toBe(2);
    const reader = createQueueReader(redis);
    closing.push(() => reader.close());
    await until(async () => (await reader.figures()) !== null);
    expect((await reader.figures())?.events).toEqual({
      waiting: 2,
      most: maxMatchJobs,
      firstDateTime: timeOf(present, Date.now()),
      lastDateTime: timeOf(latest, Date.now()),
    });
  });

  it('delivers the lowest priority first, equal ones in order, and different ones in different batches', async () => {
    const { redis, producer } = await aQueue();
    const [much, more, little] = [newIds(3), newIds(2), newIds(2)];
    producer.enqueueEvents([...more, ...much, ...little], [10, 10, 9, 9, 9, 4, 4]);
    await waiting(producer);
    const { batches } = consume(redis, producer);
    await until(() => batches.length === 3);
    expect(batches).toEqual([
      [little, 4],
      [much, 9],
      [more, 10],
    ]);
  });

  it('gathers jobs up to a full batch, and no more: a lower priority that comes then precedes the rest', async () => {
    const { redis, producer } = await aQueue();
    const { work, finish } = held();
    const first = newIds(10);
    producer.enqueueEvents(first, 8);
    for (let jobs = 1; jobs <= 9; jobs += 1) producer.enqueueEvents(newIds(100), 9);
    expect(await waiting(producer)).toBe(10);
    const { batches } = consume(redis, producer, { work });
    // The first job is under way, five are gathered.
    await until(async () => (await waiting(producer)) === 4);
    expect(batches).toEqual([[first, 8]]);
    const light = newIds(1);
    producer.enqueueEvents(light, 5);
    expect(await waiting(producer)).toBe(5);
    finish();
    await until(() => batches.flatMap(([ids]) => ids).length === 911);
    expect(batches.slice(0, 3).map(([ids, priority]) => [priority, ids.length])).toEqual([
      [8, 10],
      [9, 500],
      [5, 1],
    ]);
  });

  it('holds a bounded number of jobs, and most of the room is for tenants that send little', async () => {
    const { producer, bull } = await aQueue();
    const priorities = createPriorities();
    const [bulk, light] = [priorities.of(1, 1_000_000), priorities.of(2, 1)];
    for (let jobs = 0; jobs <= maxMatchJobs / 4; jobs += 50) {
      for (let job = 1; job <= 50; job += 1) producer.enqueueEvents(newIds(100), bulk);
      await waiting(producer);
    }
    // A quarter of the queue, which the last in line may fill.
    expect(await waiting(producer)).toBe(maxMatchJobs / 4);
    producer.enqueueEvents(newIds(1), light);
    expect(await waiting(producer)).toBe(maxMatchJobs / 4 + 1);
    await bull.obliterate({ force: true });
  });

  it('is shared by waiting consumers: each event reaches one of them', async () => {
    const { redis, producer } = await aQueue();
    const consumers = [1, 2, 3].map(() => consume(redis, producer, { concurrency: 2 }));
    const ids = newIds(60);
    for (const id of ids) {
      producer.enqueueEvents([id], 1);
      await waiting(producer);
    }
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
  it('ends at once while it waits, and claims nothing more', async () => {
    const { redis, producer } = await aQueue();
    const { batches, close } = consume(redis, producer);
    const ids = newIds(3);
    producer.enqueueEvents(ids.slice(0, 1), 1);
    await until(() => batches.length === 1);
    await close();
    producer.enqueueEvents(ids.slice(1), 1);
    expect(await waiting(producer)).toBe(1);
    expect(batches).toHaveLength(1);
  });

  it('finishes the present batch and returns events that it has not begun, with their priority', async () => {
    const { redis, producer, bull } = await aQueue();
    const [first, second] = [newIds(2), newIds(3)];
    producer.enqueueEvents([...first, ...second], [1, 1, 8, 8, 8]);
    await waiting(producer);
    const { work, finish } = held();
    const { batches, close } = consume(redis, producer, { work });
    await until(async () => batches.length === 1 && (await waiting(producer)) === 0);
    const closed = close();
    finish();
    await closed;
    expect(batches).toEqual([[first, 1]]);
    expect(await waiting(producer)).toBe(1);
    const [job] = await bull.getPrioritized();
    expect(job).toMatchObject({ data: { eventIds: second }, priority: 8 });
  });

  it('ends when Redis was never available', async () => {
    const errors: Error[] = [];
    const away = { url: 'redis://127.0.0.1:1', prefix: 'away', onError: (error: Error) => void errors.push(error) };
    const producer = createProducer(away);
    closing.push(() => producer.close());
    const { close } = consume(away, producer, { onError: away.onError });
    await until(() => errors.length > 1);
    producer.enqueueEvents(newIds(1));
    expect(await waiting(producer)).toBeNull();
    await close();
  });
});
