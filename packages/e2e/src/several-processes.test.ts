import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import {
  type AppProcess,
  createCompanies,
  eventually,
  everyCompanyEvent,
  prepareCallout,
  registerWebhook,
  type CalloutSetup,
  testRedis,
} from '@callout/testing';

const stops: (() => Promise<void>)[] = [];
let setup: CalloutSetup;
let apis: AppProcess[];
let workers: AppProcess[];

beforeAll(async () => {
  const empty = { name: 'empty', prepare: async () => undefined };
  const [{ url: databaseUrl, drop }, redis] = await Promise.all([createDisposableDatabase(empty), testRedis()]);
  stops.push(drop, redis.cleanUp);
  const settings = { CALLOUTS_IN_FLIGHT: '10', DATABASE_POOL_SIZE: '3' };
  setup = await prepareCallout({ databaseUrl, redisUrl: redis.url, redisPrefix: redis.prefix, settings });
  stops.push(() => setup.stop());
  const { installation } = setup;
  apis = [1, 2].map((nth) => installation.start('api', `API ${nth}`));
  workers = [1, 2, 3].map((nth) => installation.start('worker', `worker ${nth}`));
});
afterAll(async () => {
  for (let stop = stops.pop(); stop; stop = stops.pop()) await stop();
});

const messages = (process: AppProcess, message: string) => process.log().filter(({ msg }) => msg === message);

describe('two APIs and three workers, started at once on an empty database', () => {
  it('all come up; one of them has made the tables', async () => {
    const all = [...apis, ...workers];
    const ports = await Promise.all(all.map((process) => process.ready()));
    for (const port of ports) {
      await eventually(async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).status === 200);
    }
    expect(all.flatMap((process) => messages(process, 'migrations applied'))).toHaveLength(1);
    expect(all.flatMap((process) => process.log().filter(({ level }) => level === 'error'))).toEqual([]);
  });

  it('share the work: each worker delivers something, and nothing is delivered twice', async () => {
    const { receiver, database } = setup;
    const tenant = await setup.tenant();
    const ports = await Promise.all(apis.map((api) => api.ready()));
    const paths = ['/a', '/b', '/c'];
    for (const path of paths) {
      receiver.script(path, { status: 200, delayMs: 10 });
      await registerWebhook(ports[0] ?? 0, tenant.integrator, { ...everyCompanyEvent, url: receiver.url(path) });
    }
    const batch = 30;
    let told = 0;
    await eventually(async () => {
      for (const port of ports) {
        await createCompanies(port, tenant.source, { first: told + 1, count: batch });
        told += batch;
      }
      return workers.every((worker) => messages(worker, 'attempt').length > 0);
    });
    // In this order: an event that is not pending any more has its callouts.
    await eventually(
      async () => (await database.prisma.pendingEvent.count()) + (await database.prisma.openCallout.count()) === 0,
    );
    for (const path of paths) {
      expect(new Set(receiver.requests(path).map(({ headers }) => headers['webhook-id'])).size).toBe(told);
      expect(receiver.count(path)).toBe(told);
    }
  });
});
