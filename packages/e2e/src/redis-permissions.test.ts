import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { type LocalRedis, startRedis } from '@callout/local/redis';
import { connectConsumer } from '@callout/queue/redis/redis';
import {
  type CalloutSetup,
  callApi,
  createCompanies,
  createTestDatabase,
  eventually,
  everyCompanyEvent,
  forThisFile,
  prepareCallout,
  registerWebhook,
} from '@callout/testing';

/** A Redis of this test's own, since users are of a whole server. */
const world = forThisFile(
  async (): Promise<{ redis: LocalRedis; setup: CalloutSetup; stop: () => Promise<void> }> => {
    const dir = await mkdtemp(path.join(tmpdir(), 'callout-redis-permissions-'));
    const [redis, database] = await Promise.all([startRedis({ dataDir: dir }), createTestDatabase()]);
    const setup = await prepareCallout({ databaseUrl: database.url, redisUrl: redis.url, redisPrefix: 'callout' });
    return {
      redis,
      setup,
      async stop() {
        await setup.stop();
        await Promise.all([redis.stop(), database.drop()]);
        await rm(dir, { recursive: true });
      },
    };
  },
  ({ stop }) => stop(),
);

async function command(...[name = '', ...args]: readonly string[]): Promise<unknown> {
  const redis = connectConsumer({ url: world.redis.url, onError: () => undefined, isWanted: () => true });
  const reply = await redis.call(name, ...args);
  redis.disconnect();
  return reply;
}

/** Makes the user of docs/deploying.md. @returns REDIS_URL of this user. */
async function documentedUser(...more: readonly string[]): Promise<string> {
  const page = await readFile(path.resolve(import.meta.dirname, '../../../docs/deploying.md'), 'utf8');
  const [, words = ''] = /^ACL (SETUSER callout .*)$/m.exec(page) ?? [];
  await command('ACL', 'DELUSER', 'callout');
  await command('ACL', ...words.split(' '), ...more);
  const url = new URL(world.redis.url);
  return Object.assign(url, { username: 'callout', password: 'password' }).href;
}

it('the documented permissions are enough for everything that goes through Redis', async () => {
  const { installation, receiver } = world.setup;
  const REDIS_URL = await documentedUser();
  const [api, worker] = (['api', 'worker'] as const).map((app) => installation.start(app, app, { REDIS_URL }));
  const [port = 0, workerPort = 0] = await Promise.all([api?.ready(), worker?.ready()]);
  const tenant = await world.setup.tenant();
  const { integrator, source } = tenant;
  const pushed = await registerWebhook(port, integrator, { ...everyCompanyEvent, url: receiver.url('/in') });
  const pulled = await registerWebhook(port, integrator, { ...everyCompanyEvent, url: 'pull:' });
  const post = (what: string, body: object) =>
    callApi(port, integrator, { method: 'POST', path: `/CompanyWebhooks/${what}`, body });
  const waiting = post(`${pulled}/Pull`, { waitSeconds: 30 });
  await createCompanies(port, source, { first: 1, count: 10 });
  await eventually(() => receiver.count('/in') === 10);
  await expect(waiting).resolves.toMatchObject({ status: 200 });
  await expect(post(`${pushed}/redeliver`, { fromSequence: 1, toSequence: 10 })).resolves.toMatchObject({
    status: 200,
  });
  await expect(post(`${pushed}/test`, {})).resolves.toMatchObject({ status: 202 });
  await eventually(async () => {
    expect((await fetch(`http://127.0.0.1:${workerPort}/readyz`)).status).toBe(200);
  });
  await Promise.all([api?.signal('SIGTERM'), worker?.signal('SIGTERM')]);
  await Promise.all([api?.exit, worker?.exit]);
  // Redis records here what it refused to a user.
  expect(await command('ACL', 'LOG')).toEqual([]);
});

it.each(['api', 'worker'] as const)(
  'a process whose user may not use info does not start, and says so: %s',
  async (app) => {
    const REDIS_URL = await documentedUser('-info', '-publish');
    const refused = world.setup.installation.start(app, `refused ${app}`, { REDIS_URL });
    expect(await refused.exit).toMatchObject({ code: 1 });
    const [fatal] = refused.log().filter(({ msg }) => msg === 'could not start');
    expect(JSON.stringify(fatal)).toContain(
      'the Redis that REDIS_URL names cannot be used: its user may not use info, publish with names such as callout:writable: docs/deploying.md lists the permissions that it needs',
    );
  },
);
