import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createDisposableDatabase,
  type DisposableDatabase,
  installedPgBouncer,
  startPgBouncer,
} from '@callout/local/test-run';
import { openDatabase, type Database } from './database.ts';
import { insertTenant, insertWebhook } from '../fixtures/tenant.ts';
import { applyMigrations } from '../schema/migrations.ts';
import { oneAtATime } from './locks/one-at-a-time.ts';
import { checkOwnSessions } from './own-sessions.ts';
import { countSecretsByKey } from '../tenants/operator/sealed-secrets.ts';

const program = installedPgBouncer();
/** Behind the name of each test, since none is left out where there is no PgBouncer. */
const note = program === undefined ? ' (not tried: PgBouncer is not installed here)' : '';
const ways = ['directly', ...(program === undefined ? [] : ['through PgBouncer with pool_mode = session'])];

it(`both ways to a database${note}`, () => {
  expect(ways).toHaveLength(program === undefined ? 1 : 2);
});

describe.each(ways)('a database that is reached %s', (way) => {
  let disposable: DisposableDatabase;
  let database: Database;
  let url: string;
  const stops: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    disposable = await createDisposableDatabase({ name: 'empty', prepare: async () => undefined });
    stops.push(() => disposable.drop());
    url = disposable.url;
    if (way !== 'directly' && program !== undefined) {
      const pooler = await startPgBouncer({ program, databaseUrl: url, poolMode: 'session' });
      stops.push(() => pooler.stop());
      url = pooler.url;
    }
    await applyMigrations(url);
    database = openDatabase({ url, poolSize: 4, applicationName: 'callout-test', onError: () => undefined });
    stops.push(() => database.close());
  });
  afterAll(async () => {
    for (let stop = stops.pop(); stop; stop = stops.pop()) await stop();
  });

  const planOf = async (client: Pick<Database['pool'], 'query'>) => {
    const { rows } = await client.query<{ plan: string }>(
      `SELECT concat_ws(' ', current_setting('plan_cache_mode'), current_setting('enable_seqscan'),
         current_setting('enable_bitmapscan'), current_setting('enable_hashjoin'), current_setting('enable_mergejoin'),
         current_setting('application_name')) AS plan`,
    );
    return rows[0]?.plan;
  };
  const wanted = 'force_generic_plan off off off off callout-test';

  it('has the planner settings on every connection for sets, and on none for Prisma', async () => {
    const clients = await Promise.all([1, 2, 3, 4].map(() => database.pool.connect()));
    expect(await Promise.all(clients.map(planOf))).toEqual([wanted, wanted, wanted, wanted]);
    for (const client of clients) client.release();
    const [{ mode } = { mode: '' }] = await database.prisma.$queryRaw<{ mode: string }[]>`
      SELECT current_setting('plan_cache_mode') AS mode`;
    expect(mode).toBe('auto');
  });

  it('keeps named statements, Prisma, and locks of sessions apart', async () => {
    const tenantId = await insertTenant(database.pool);
    await insertWebhook(database.pool, tenantId, 1);
    const counts = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(() => countSecretsByKey(database.pool)));
    expect(counts).toEqual(counts.map(() => counts[0]));
    expect(await database.prisma.$transaction((transaction) => transaction.webhook.count())).toBe(1);
    const exclusive = { lock: 4_127_002, settings: { enable_seqscan: 'on' } };
    const inside = await oneAtATime(database.pool, exclusive, async (client) => [
      await planOf(client),
      await oneAtATime(database.pool, exclusive, async () => 'a second time'),
    ]);
    expect(inside).toEqual(['force_generic_plan on off off off callout-test', null]);
    const clients = await Promise.all([1, 2, 3, 4].map(() => database.pool.connect()));
    expect(await Promise.all(clients.map(planOf))).toEqual([wanted, wanted, wanted, wanted]);
    for (const client of clients) client.release();
    expect(await oneAtATime(database.pool, exclusive, async () => 'afterwards')).toBe('afterwards');
  });

  it('passes the check of sessions, however often it is asked', async () => {
    await expect(Promise.all([1, 2, 3, 4].map(() => checkOwnSessions(url)))).resolves.toHaveLength(4);
  });
});

/** Others keep the sessions of a pooler going round, until told to stop. */
function keepBusy(url: string): () => Promise<void> {
  const others = openDatabase({ url, poolSize: 8, applicationName: 'others', onError: () => undefined });
  const busy = new AbortController();
  const load = Array.from({ length: 8 }, async () => {
    while (!busy.signal.aborted) await others.prisma.$queryRaw`SELECT 1`;
  });
  return async () => {
    busy.abort();
    await Promise.allSettled(load);
    await others.close();
  };
}

const poolings: { poolMode: 'transaction' | 'statement'; poolSize: number }[] =
  program === undefined
    ? []
    : [
        { poolMode: 'transaction', poolSize: 1 },
        { poolMode: 'transaction', poolSize: 20 },
        { poolMode: 'statement', poolSize: 5 },
      ];

it(`refuses what lends sessions by the transaction, and says what to do${note}`, async () => {
  const disposable = await createDisposableDatabase({ name: 'empty', prepare: async () => undefined });
  try {
    for (const pooling of poolings) {
      const pooler = await startPgBouncer({ program: program ?? '', databaseUrl: disposable.url, ...pooling });
      try {
        await expect(applyMigrations(pooler.url)).rejects.toThrow(/pool_mode = session/);
        const stopOthers = keepBusy(pooler.url);
        try {
          for (const _time of [1, 2, 3])
            await expect(checkOwnSessions(pooler.url)).rejects.toThrow(/pool_mode = session/);
        } finally {
          await stopOthers();
        }
      } finally {
        await pooler.stop();
      }
    }
    const untouched = openDatabase({
      url: disposable.url,
      poolSize: 2,
      applicationName: 'test',
      onError: () => undefined,
    });
    const { rows } = await untouched.pool.query('SELECT FROM pg_tables WHERE schemaname = current_schema()');
    await untouched.close();
    expect([poolings.length > 0, rows]).toEqual([program !== undefined, []]);
  } finally {
    await disposable.drop();
  }
});

it(`does not refuse a pooler of sessions that has one only${note}`, async () => {
  const disposable = await createDisposableDatabase({ name: 'empty', prepare: async () => undefined });
  const target = { databaseUrl: disposable.url, poolMode: 'session', poolSize: 1 } as const;
  const pooler = program === undefined ? undefined : await startPgBouncer({ program, ...target });
  try {
    await expect(checkOwnSessions(pooler?.url ?? disposable.url)).resolves.toBeUndefined();
  } finally {
    await pooler?.stop();
    await disposable.drop();
  }
});
