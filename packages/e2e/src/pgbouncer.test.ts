import { afterEach, expect, it } from '@jest/globals';
import { installedPgBouncer, startPgBouncer } from '@callout/local/test-run';
import {
  createCompanies,
  createTestDatabase,
  eventually,
  everyCompanyEvent,
  prepareRig,
  registerWebhook,
  testRedis,
} from '@callout/testing';

const program = installedPgBouncer();
const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (let stop = stops.pop(); stop; stop = stops.pop()) await stop();
});

/** A rig that reaches PostgreSQL by way of PgBouncer, or directly where that is not installed. */
async function rigBehind(poolMode: 'session' | 'transaction') {
  const [{ url: databaseUrl, drop }, redis] = await Promise.all([createTestDatabase(), testRedis()]);
  stops.push(drop, redis.cleanUp);
  const pooler = program === undefined ? undefined : await startPgBouncer({ program, databaseUrl, poolMode });
  if (pooler !== undefined) stops.push(() => pooler.stop());
  const settings = { DATABASE_URL: pooler?.url ?? databaseUrl };
  const rig = await prepareRig({ databaseUrl, redisUrl: redis.url, redisPrefix: redis.prefix, settings });
  stops.push(() => rig.stop());
  return rig;
}

const withoutIt = 'without PgBouncer, which is not installed here';
const mode = (poolMode: string) =>
  program === undefined ? withoutIt : `behind PgBouncer with pool_mode = ${poolMode}`;

it(`API and worker accept, match and deliver ${mode('session')}`, async () => {
  const rig = await rigBehind('session');
  const [api, worker] = [rig.installation.start('api', 'API'), rig.installation.start('worker', 'worker')];
  const [port] = await Promise.all([api.ready(), worker.ready()]);
  const tenant = await rig.tenant();
  await registerWebhook(port, tenant.integrator, { ...everyCompanyEvent, url: rig.receiver.url('/in') });
  await createCompanies(port, tenant.source, { first: 1, count: 50 });
  await eventually(() => rig.receiver.count('/in') === 50);
  const attempts = rig.database.prisma.attempt;
  await eventually(async () => (await attempts.count()) === 50);
  expect(await attempts.count()).toBe(50);
});

it(`processes ${program === undefined ? 'start' : 'say why they do not start'} ${mode('transaction')}`, async () => {
  const rig = await rigBehind('transaction');
  for (const app of ['api', 'worker'] as const) {
    const process = rig.installation.start(app, app);
    if (program === undefined) {
      expect(await process.ready()).toBeGreaterThan(0);
      continue;
    }
    expect((await process.exit).code).toBe(1);
    expect(process.output()).toMatch(/the database that DATABASE_URL names cannot be used: .*pool_mode = session/);
  }
});
