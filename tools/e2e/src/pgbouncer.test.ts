import { afterEach, expect, it } from '@jest/globals';
import { installedPgBouncer, startPgBouncer } from '@callout/local/test-run';
import {
  createCompanies,
  createTestDatabase,
  eventually,
  everyCompanyEvent,
  prepareCallout,
  registerWebhook,
  testRedis,
} from '@callout/testing';

const program = installedPgBouncer();
const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (let stop = stops.pop(); stop; stop = stops.pop()) await stop();
});

/** A setup that reaches PostgreSQL by way of PgBouncer, or directly where that is not installed. */
async function setupBehind(poolMode: 'session' | 'transaction' | 'statement') {
  const [{ url: databaseUrl, drop }, redis] = await Promise.all([createTestDatabase(), testRedis()]);
  stops.push(drop, redis.cleanUp);
  const pooler = program === undefined ? undefined : await startPgBouncer({ program, databaseUrl, poolMode });
  if (pooler !== undefined) stops.push(() => pooler.stop());
  const settings = { DATABASE_URL: pooler?.url ?? databaseUrl };
  const setup = await prepareCallout({ databaseUrl, redisUrl: redis.url, redisPrefix: redis.prefix, settings });
  stops.push(() => setup.stop());
  return setup;
}

const withoutIt = 'without PgBouncer, which is not installed here';
const mode = (poolMode: string) =>
  program === undefined ? withoutIt : `behind PgBouncer with pool_mode = ${poolMode}`;

it.each(['session', 'transaction'] as const)(
  `API and worker accept, match and deliver ${mode('%s')}`,
  async (pooling) => {
    const setup = await setupBehind(pooling);
    const [api, worker] = [setup.installation.start('api', 'API'), setup.installation.start('worker', 'worker')];
    const [port] = await Promise.all([api.ready(), worker.ready()]);
    const tenant = await setup.tenant();
    await registerWebhook(port, tenant.integrator, { ...everyCompanyEvent, url: setup.receiver.url('/in') });
    await createCompanies(port, tenant.source, { first: 1, count: 20 });
    await eventually(() => setup.receiver.count('/in') === 20);
    const attempts = setup.database.prisma.attempt;
    await eventually(async () => (await attempts.count()) === 20);
    expect(await attempts.count()).toBe(20);
  },
);

it(`processes ${program === undefined ? 'start' : 'say why they do not start'} ${mode('statement')}`, async () => {
  const setup = await setupBehind('statement');
  for (const app of ['api', 'worker'] as const) {
    const process = setup.installation.start(app, app);
    if (program === undefined) {
      expect(await process.ready()).toBeGreaterThan(0);
      continue;
    }
    expect((await process.exit).code).toBe(1);
    expect(process.output()).toMatch(
      /the database that DATABASE_URL names cannot be used: .*pool_mode = transaction or session/,
    );
    expect(process.output()).not.toContain('Waiting for it');
  }
});
