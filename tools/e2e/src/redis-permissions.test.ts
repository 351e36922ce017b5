import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import {
  callApi,
  createCompanies,
  eventually,
  everyCompanyEvent,
  forThisFile,
  registerWebhook,
} from '@callout/testing';
import { startOwnRedis } from './own-redis.fixture.ts';

const world = forThisFile(startOwnRedis, ({ stop }) => stop());

/** Makes the user of docs/deploying.md. @returns REDIS_URL of this user. */
async function documentedUser(...more: readonly string[]): Promise<string> {
  const page = await readFile(path.resolve(import.meta.dirname, '../../../docs/deploying.md'), 'utf8');
  const [, words = ''] = /^ACL (SETUSER callout .*)$/m.exec(page) ?? [];
  await world.command('ACL', 'DELUSER', 'callout');
  await world.command('ACL', ...words.split(' '), ...more);
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
  expect(await world.command('ACL', 'LOG')).toEqual([]);
});

it.each([
  ['-publish', 'publish'],
  ['-zadd', 'zadd'],
  ['-evalsha', 'evalsha'],
])(
  'a permission that is withdrawn later is named in readiness and metric, until it is back: %s',
  async (less, name) => {
    const { installation } = world.setup;
    const REDIS_URL = await documentedUser();
    const worker = installation.start('worker', `without ${name}`, { REDIS_URL });
    const port = await worker.ready();
    const answerOf = async (page: string) => (await fetch(`http://127.0.0.1:${port}/${page}`)).text();
    await world.command('ACL', 'SETUSER', 'callout', less);
    await eventually(async () =>
      expect(await answerOf('readyz')).toContain(`failed: Redis refuses ${name}: the user of`),
    );
    expect(await answerOf('metrics')).toMatch(/^callout_redis_refuses_writes\{reason="NOPERM"\} 1$/m);
    await documentedUser();
    await eventually(async () => expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200));
    await worker.signal('SIGTERM');
    await worker.exit;
  },
);

it.each(['api', 'worker'] as const)(
  'a process whose user may not use info does not start, and says so: %s',
  async (app) => {
    const REDIS_URL = await documentedUser('-info', '-publish');
    const refused = world.setup.installation.start(app, `refused ${app}`, { REDIS_URL });
    expect(await refused.exit).toMatchObject({ code: 1 });
    const [fatal] = refused.log().filter(({ msg }) => msg === 'could not start');
    expect(JSON.stringify(fatal)).toContain(
      'the Redis that REDIS_URL names cannot be used: Redis refuses info, publish: the user of REDIS_URL lacks a permission. docs/deploying.md lists the commands and keys',
    );
  },
);
