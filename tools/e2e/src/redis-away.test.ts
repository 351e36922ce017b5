import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { steadyPort } from '@callout/local/process';
import { type LocalRedis, startRedis } from '@callout/local/redis';
import {
  createCompanies,
  createTestDatabase,
  eventually,
  everyCompanyEvent,
  prepareCallout,
  registerWebhook,
  type CalloutSetup,
} from '@callout/testing';

const stops: (() => Promise<void>)[] = [];
let setup: CalloutSetup;
/** A Redis of this test's own: the shared one of the tests may not be stopped. */
let redis: LocalRedis;
let redisComes: () => Promise<void>;

beforeAll(async () => {
  const dir = await mkdtemp(path.join(tmpdir(), 'callout-redis-away-'));
  const dataDir = path.join(dir, 'redis');
  redis = await startRedis({ dataDir, port: await steadyPort() });
  redisComes = async () => void (redis = await startRedis({ dataDir, port: redis.port }));
  const { url: databaseUrl, drop } = await createTestDatabase();
  setup = await prepareCallout({ databaseUrl, redisUrl: redis.url, redisPrefix: 'away' });
  stops.push(
    () => rm(dir, { recursive: true }),
    drop,
    () => redis.stop(),
    () => setup.stop(),
  );
  await redis.stop();
});
afterAll(async () => {
  for (let stop = stops.pop(); stop; stop = stops.pop()) await stop();
});

describe('while Redis is away', () => {
  it('the API accepts and is ready, all is delivered, as when Redis comes, and SIGTERM is obeyed', async () => {
    const { installation, receiver } = setup;
    const api = installation.start('api', 'API');
    const worker = installation.start('worker', 'worker');
    const [port, workerPort] = await Promise.all([api.ready(), worker.ready()]);
    const readiness = async (port: number) => (await fetch(`http://127.0.0.1:${port}/readyz`)).status;
    const tenant = await setup.tenant();
    await registerWebhook(port, tenant.integrator, { ...everyCompanyEvent, url: receiver.url('/in') });

    const areDelivered = (count: number) => eventually(() => receiver.count('/in') === count);
    const redisIs = (status: number) => eventually(async () => (await readiness(workerPort)) === status);
    expect(await readiness(port)).toBe(200);
    // A worker without Redis is slower: it is alive, and not ready.
    await redisIs(503);
    await createCompanies(port, tenant.source, { first: 1, count: 10 });
    await areDelivered(10);
    await redisComes();
    await redisIs(200);
    await createCompanies(port, tenant.source, { first: 11, count: 10 });
    await areDelivered(20);
    await redis.stop();
    await redisIs(503);
    expect(await readiness(port)).toBe(200);
    await createCompanies(port, tenant.source, { first: 21, count: 10 });
    await areDelivered(30);
    for (const process of [api, worker]) {
      expect(process.isRunning()).toBe(true);
      await process.signal('SIGTERM');
      expect(await process.exit).toEqual({ code: 0, signal: null });
    }
  });
});
