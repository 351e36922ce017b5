import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { startRedis } from '@callout/local/redis';
import { createProducer } from './producer.ts';
import { createLivePublisher } from './live-publisher.ts';
import { createLiveSubscriber } from './live-subscriber.ts';
import { watchedKey, readLiveResults, type LiveResult } from './live-result.ts';

const closing: (() => unknown)[] = [];
let server: { url: string; stop: () => Promise<void> };
let dataDir: string;
let tests = 0;

// A separate server: one test stops it, and another counts its commands.
beforeAll(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'callout-live-'));
  server = await startRedis({ dataDir });
});
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});
afterAll(async () => {
  await server.stop();
  await rm(dataDir, { recursive: true, force: true });
});

async function until(fact: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await fact())) await new Promise((resolve) => setTimeout(resolve, 5));
}

const aResult = (sequenceNumber: number): LiveResult => ({
  calloutId: randomUUID(),
  webhookKey: 3,
  recordId: 1,
  sequenceNumber,
  kind: 'event',
  state: 'delivered',
  attempt: 1,
  startedAtMs: 1,
  durationMs: 2,
  status: 200,
  reason: null,
  nextInMs: null,
});

async function world() {
  const prefix = `p${(tests += 1)}`;
  const { url } = server;
  const producer = createProducer({ url, prefix, onError: () => undefined });
  closing.push(() => producer.close());
  await until(() => producer.isReady());
  const clock = { ms: 0 };
  const publisher = createLivePublisher({ redis: producer.redis, prefix, nowMs: () => clock.ms });
  let made = 0;
  const publish = (tenantId: number, sequenceNumber: number) =>
    publisher.publish(() => {
      made += 1;
      return [{ tenantId, ...aResult(sequenceNumber) }];
    });
  const heard: [number, number[]][] = [];
  const ready: boolean[] = [];
  const subscriber = createLiveSubscriber({
    url,
    prefix,
    onResults: (tenantId, results) => heard.push([tenantId, results.map((one) => one.sequenceNumber)]),
    onReady: (isReady) => ready.push(isReady),
    onError: () => undefined,
  });
  closing.push(() => subscriber.close());
  return { prefix, producer, clock, publish, subscriber, heard, ready, made: () => made };
}

describe('live results', () => {
  it('cost nothing without viewers, and reach each viewer for its own webhooks only', async () => {
    const { producer, clock, publish, subscriber, heard, made } = await world();
    publish(1, 1);
    await producer.redis.ping();
    expect(made()).toBe(0);
    expect(await subscriber.watch(1)).toBe(true);
    clock.ms += 1_000;
    publish(1, 2);
    publish(2, 3);
    publish(1, 4);
    await until(() => heard.length === 2);
    expect(heard).toEqual([
      [1, [2]],
      [1, [4]],
    ]);
  });

  it('cause one query a second for viewers, however many results there are', async () => {
    const { producer, clock, publish, subscriber, heard } = await world();
    await producer.redis.config('RESETSTAT');
    await subscriber.watch(1);
    const asked = async () => {
      const stats = await producer.redis.info('commandstats');
      return Number(/cmdstat_zrangebyscore:calls=(\d+)/.exec(stats)?.[1] ?? 0);
    };
    for (let n = 0; n < 50; n += 1) publish(1, n);
    await until(() => heard.length === 50);
    expect(await asked()).toBe(1);
    clock.ms += 1_001;
    publish(1, 51);
    await until(() => heard.length === 51);
    expect(await asked()).toBe(2);
  });

  it('are not published for a viewer that is gone', async () => {
    const { prefix, producer, clock, publish, subscriber, made } = await world();
    await subscriber.watch(1);
    await producer.redis.zadd(watchedKey(prefix), Date.now() - 1, '1');
    clock.ms += 1_001;
    publish(1, 1);
    await producer.redis.ping();
    await producer.redis.ping();
    expect(made()).toBe(0);
    expect(await producer.redis.zcount(watchedKey(prefix), Date.now(), '+inf')).toBe(0);
  });

  it('reach all viewers that began to watch during connecting', async () => {
    const { clock, publish, subscriber, heard, ready } = await world();
    const watching: Promise<boolean>[] = [];
    while (ready.length === 0) {
      if (watching.length < 500) watching.push(subscriber.watch(watching.length + 1));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await Promise.all(watching);
    clock.ms += 1_000;
    publish(1, 1);
    await until(() => heard.length === 1);
    for (const tenant of watching.keys()) publish(tenant + 1, 2);
    publish(1, 3);
    await until(() => heard.at(-1)?.[1][0] === 3);
    expect(heard).toHaveLength(watching.length + 2);
  });

  // The last test: the server is stopped then.
  it('are reported as unavailable when Redis goes away', async () => {
    const { subscriber, ready } = await world();
    expect(await subscriber.watch(1)).toBe(true);
    await server.stop();
    await until(() => ready.at(-1) === false);
    expect(ready).toEqual([true, false]);
    expect(await subscriber.watch(2)).toBe(false);
  });
});

describe('a message of a live channel', () => {
  it.each(['', 'null', '{}', '[1]', '[{"calloutId":1}]', '[{"calloutId":"a","webhookKey":1.5,"state":"due"}]'])(
    'is nothing unless it is what workers send: %s',
    (text) => {
      expect(readLiveResults(text)).toBeUndefined();
    },
  );
});
