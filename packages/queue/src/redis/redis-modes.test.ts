import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { sharedRedis, startTlsRelay } from '@callout/local/test-run';
import { createConsumer } from '../consumer.ts';
import { createEventConsumer } from '../event-consumer.ts';
import { startFakeCluster } from './redis-cluster.fixture.ts';
import { startRedisFacade } from './redis-facade.fixture.ts';
import { createProducer } from '../producer.ts';
import { checkRedis, connectCounter } from './redis.ts';
import { removeKeys } from './remove-keys.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (let close = closing.pop(); close; close = closing.pop()) await close();
});

async function until(fact: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await fact())) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** The Redis of the tests: its port, and how to log in. */
async function upstream(): Promise<{ port: number; login: string }> {
  const url = new URL((await sharedRedis()).url);
  return { port: Number(url.port), login: url.password === '' ? '' : `:${url.password}@` };
}

/** Sends jobs and events through `url`; the results are those of a single server. */
async function carryWork(url: string, prefix: string): Promise<Error[]> {
  const errors: Error[] = [];
  const onError = (error: Error) => void errors.push(error);
  const producer = createProducer({ url, prefix, onError });
  const received: unknown[] = [];
  const jobs = createConsumer({
    ...{ url, prefix, onError, name: 'deliver' as const },
    work: async ({ webhookKeys }) => void received.push(...webhookKeys),
    onFailed: onError,
  });
  const events = createEventConsumer({
    ...{ url, prefix, onError, producer, concurrency: 2, maxEvents: 500 },
    work: async (eventIds) => void received.push(...eventIds),
    onFailed: onError,
  });
  try {
    await until(() => producer.isReady());
    producer.enqueueWebhooks([1, 2]);
    await until(() => received.length === 2);
    const eventIds = [randomUUID(), randomUUID()].toSorted();
    producer.enqueueEvents(eventIds, 1);
    await until(() => received.length === 4);
    expect(received).toEqual([1, 2, ...eventIds]);
    expect([await producer.waitingJobs('deliver'), await producer.waitingJobs('match')]).toEqual([0, 0]);
    expect(await checkRedis(producer.redis)).toEqual([]);
  } finally {
    // Now: they would claim what comes next under this prefix.
    await Promise.all([jobs.close(), events.close()]);
    await producer.close();
  }
  return errors;
}

describe('a Redis Cluster', () => {
  it('carries jobs and events: the keys of a queue are in one slot', async () => {
    const { port, login } = await upstream();
    const cluster = await startFakeCluster(port);
    closing.push(() => cluster.stop());
    // Found through one node, whichever has the slot.
    for (const node of cluster.nodes) {
      const prefix = `callout_test_${randomUUID()}`;
      const url = `redis+cluster://${login}${node}`;
      expect(await carryWork(url, prefix)).toEqual([]);
      await removeKeys(url, prefix);
    }
    expect(cluster.crossed).toEqual([]);
  });

  it('counts requests, whose keys are in any slot, and all keys are found again', async () => {
    const { port, login } = await upstream();
    const cluster = await startFakeCluster(port);
    closing.push(() => cluster.stop());
    const url = `redis+cluster://${login}${cluster.nodes.join(',')}`;
    const prefix = `callout_test_${randomUUID()}`;
    const redis = connectCounter({ url });
    closing.push(async () => redis.disconnect());
    await until(() => redis.status === 'ready');
    const keys = Array.from({ length: 40 }, (_, nth) => `${prefix}:requests:${nth}`);
    await Promise.all(keys.map((key) => redis.incr(key)));
    expect(cluster.taken.every((count) => count > 0)).toBe(true);
    await removeKeys(url, prefix);
    expect(await Promise.all(keys.map((key) => redis.exists(key)))).toEqual(keys.map(() => 0));
  });
});

describe('Sentinels', () => {
  it('report the master, now and after a failover', async () => {
    const { port, login } = await upstream();
    const masters = [
      await startRedisFacade({ upstreamPort: port, answer: () => undefined }),
      await startRedisFacade({ upstreamPort: port, answer: () => undefined }),
    ];
    let master = masters[0]?.port;
    const asked: string[] = [];
    const sentinel = await startRedisFacade({
      upstreamPort: port,
      answer: (command) => {
        const [name = '', sub = '', set = ''] = command;
        if (name.toLowerCase() !== 'sentinel') return undefined;
        asked.push(set);
        return sub.toLowerCase() === 'sentinels' ? 'return {}' : `return {'127.0.0.1','${master}'}`;
      },
    });
    closing.push(...[...masters, sentinel].map((server) => () => server.stop()));
    const { password } = new URL((await sharedRedis()).url);
    // The first of them is away.
    const url = `redis+sentinel://${login}127.0.0.1:1,127.0.0.1:${sentinel.port}/callout-set?sentinelPassword=${password}`;
    const prefix = `callout_test_${randomUUID()}`;
    expect(await carryWork(url, prefix)).toEqual([]);
    expect(new Set(asked)).toEqual(new Set(['callout-set']));

    master = masters[1]?.port;
    await masters[0]?.stop();
    await carryWork(url, prefix);
    await removeKeys(url, prefix);
  });
});

describe('Redis behind TLS', () => {
  it('is reached with its authority, and not without', async () => {
    const { port, login } = await upstream();
    const relay = await startTlsRelay({ port });
    closing.push(() => relay.stop());
    const dir = await mkdtemp(path.join(tmpdir(), 'callout-redis-tls-'));
    closing.push(() => rm(dir, { recursive: true }));
    const file = path.join(dir, 'ca.pem');
    await writeFile(file, relay.ca);
    const url = `rediss://${login}localhost:${relay.port}`;
    const prefix = `callout_test_${randomUUID()}`;
    expect(await carryWork(`${url}?tlsCaFile=${encodeURIComponent(file)}`, prefix)).toEqual([]);
    expect(relay.handshakes()).toBeGreaterThan(0);
    await removeKeys(`${url}?tlsCaFile=${file}`, prefix);
    await expect(removeKeys(url, prefix)).rejects.toThrow(/self-signed certificate/);
    const byAddress = `rediss://${login}127.0.0.1:${relay.port}?tlsCaFile=${file}`;
    await expect(removeKeys(byAddress, prefix)).rejects.toThrow(/altnames/);
    await removeKeys(`${byAddress}&tlsServerName=localhost`, prefix);
  });
});

describe('a connection closed while Redis is away', () => {
  it.each([
    'redis+sentinel://127.0.0.1:1,127.0.0.1:2/set',
    'redis+cluster://127.0.0.1:1,127.0.0.1:2',
    'rediss://127.0.0.1:1',
  ])('ends: %s', async (url) => {
    const errors: Error[] = [];
    const onError = (error: Error) => void errors.push(error);
    const producer = createProducer({ url, prefix: 'away', onError });
    const consumer = createConsumer({
      ...{ url, prefix: 'away', onError, name: 'deliver' as const },
      work: async () => undefined,
      onFailed: onError,
    });
    const events = createEventConsumer({
      ...{ url, prefix: 'away', onError, producer, concurrency: 2, maxEvents: 500 },
      work: async () => undefined,
      onFailed: onError,
    });
    await until(() => errors.length > 1);
    expect(producer.isReady()).toBe(false);
    producer.enqueueEvents([randomUUID()]);
    await Promise.all([consumer.close(), events.close()]);
    await producer.close();
    expect(consumer.isReady()).toBe(false);
  });
});
