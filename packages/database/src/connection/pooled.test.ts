import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  canKeepStatements,
  createDisposableDatabase,
  type DisposableDatabase,
  installedPgBouncer,
  startPgBouncer,
} from '@callout/local/test-run';
import { Client } from 'pg';
import { isDatabaseAway } from './database-away.ts';
import { openDatabase, openSearchPool, type Database } from './database.ts';
import { inTransaction } from './transaction/transaction.ts';
import { insertTenant, insertWebhook } from '../fixtures/tenant.ts';
import { dropOldPartitions } from '../cleanup/retention.ts';
import { applyMigrations } from '../schema/migrations.ts';
import { dayMs } from '../schema/partitions.ts';
import { oneAtATime } from './locks/one-at-a-time.ts';
import { findSessions } from './find-sessions.ts';
import { countSecretsByKey } from '@callout/tenancy/operator/encrypted-secrets';

const program = installedPgBouncer();
/** A suffix for the title of each test, since none is left out where there is no PgBouncer. */
const note = program === undefined ? ' (not tried: PgBouncer is not installed here)' : '';
const modes = ['session', 'transaction'] as const;
type PoolMode = (typeof modes)[number];
const ways: (PoolMode | undefined)[] = [undefined, ...(program === undefined ? [] : modes)];
const titled = ways.map((mode) => ({
  mode,
  way: mode === undefined ? 'directly' : `through PgBouncer with pool_mode = ${mode}`,
}));

it(`every way to connect to a database${note}`, () => {
  expect(ways).toHaveLength(program === undefined ? 1 : 3);
});

describe.each(titled)('a database that is connected $way', ({ mode }) => {
  let disposable: DisposableDatabase;
  let database: Database;
  let url: string;
  const stops: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    disposable = await createDisposableDatabase({ name: 'empty', prepare: async () => undefined });
    stops.push(() => disposable.drop());
    url = disposable.url;
    if (mode !== undefined && program !== undefined) {
      const pooler = await startPgBouncer({ program, databaseUrl: url, poolMode: mode });
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
         current_setting('jit'), current_setting('max_parallel_workers_per_gather'),
         current_setting('application_name')) AS plan`,
    );
    return rows[0]?.plan;
  };
  const wanted = 'force_generic_plan off off off off off 0 callout-test';

  it('has the planner settings on every connection for sets, and on none for Prisma', async () => {
    const clients = await Promise.all([1, 2, 3, 4].map(() => database.pool.connect()));
    expect(await Promise.all(clients.map(planOf))).toEqual([wanted, wanted, wanted, wanted]);
    for (const client of clients) client.release();
    const [{ plan } = { plan: '' }] = await database.prisma.$queryRaw<{ plan: string }[]>`
      SELECT current_setting('plan_cache_mode') AS plan`;
    expect(plan).toBe('auto');
  });

  it('lets no transaction on a server with default settings compile a plan or begin parallel workers', async () => {
    const search = openSearchPool({ url, poolSize: 1, applicationName: 'callout-test', onError: () => undefined });
    const limits = `SELECT concat_ws(' ', current_setting('jit'), current_setting('max_parallel_workers_per_gather')) AS limits`;
    const ofSearch = await inTransaction(search, async (client) => (await client.query(limits)).rows);
    const ofModels = await database.transaction(null, ({ models }) => models.$queryRawUnsafe(limits));
    await search.end();
    expect([ofSearch, ofModels]).toEqual([[{ limits: 'off 0' }], [{ limits: 'off 0' }]]);
    const stranger = new Client({ connectionString: disposable.url });
    await stranger.connect();
    const { rows } = await stranger.query("SELECT current_setting('jit') = 'on' AS compiles");
    await stranger.end();
    // PostgreSQL 18 and older compile by default; a test on a server that does not would prove nothing.
    expect(rows).toEqual([{ compiles: true }]);
  });

  it('has transactions that wait for a row and continue with it, whatever isolation level the database has set', async () => {
    const alter = (to: string) =>
      database.pool.query(`ALTER DATABASE "${new URL(disposable.url).pathname.slice(1)}" ${to}`);
    await alter("SET default_transaction_isolation = 'serializable'");
    const later = openDatabase({ url, poolSize: 4, applicationName: 'callout-test', onError: () => undefined });
    const level = `SELECT current_setting('transaction_isolation') AS level`;
    try {
      const levels = [
        inTransaction(later.pool, async (client) => (await client.query(level)).rows),
        later.prisma.$transaction((models) => models.$queryRawUnsafe(level)),
        later.transaction(null, async ({ sets }) => (await sets.query(level)).rows),
      ];
      expect(await Promise.all(levels)).toEqual(levels.map(() => [{ level: 'read committed' }]));
    } finally {
      await later.close();
      await alter('RESET ALL');
    }
  });

  it('writes and reads times as UTC, whatever the time zone and date style of the database', async () => {
    const { pathname } = new URL(disposable.url);
    const settings = ["timezone = 'America/St_Johns'", "datestyle = 'German'"];
    const alter = (to: string) => database.pool.query(`ALTER DATABASE "${pathname.slice(1)}" ${to}`);
    for (const setting of settings) await alter(`SET ${setting}`);
    const at = new Date('2026-07-01T12:00:00.000Z');
    const later = openDatabase({ url, poolSize: 4, applicationName: 'callout-test', onError: () => undefined });
    try {
      const tenantId = await insertTenant(later.pool);
      const read = async () => {
        const { erasedAt: byPrisma } = await later.prisma.tenant.findUniqueOrThrow({ where: { id: tenantId } });
        const { rows } = await later.pool.query<{ at: Date }>('SELECT erased_at AS at FROM tenants WHERE id = $1', [
          tenantId,
        ]);
        return [byPrisma, rows[0]?.at];
      };
      await later.prisma.tenant.update({ where: { id: tenantId }, data: { erasedAt: at } });
      expect(await read()).toEqual([at, at]);
      await later.pool.query('UPDATE tenants SET erased_at = $2 WHERE id = $1', [tenantId, at]);
      expect(await read()).toEqual([at, at]);
    } finally {
      await later.close();
      await alter('RESET ALL');
    }
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
    expect(inside).toEqual(['force_generic_plan on off off off off 0 callout-test', null]);
    const clients = await Promise.all([1, 2, 3, 4].map(() => database.pool.connect()));
    expect(await Promise.all(clients.map(planOf))).toEqual([wanted, wanted, wanted, wanted]);
    for (const client of clients) client.release();
    expect(await oneAtATime(database.pool, exclusive, async () => 'afterwards')).toBe('afterwards');
  });

  it('lets work under a lock use the last connection of a pool', async () => {
    const small = openDatabase({ url, poolSize: 2, applicationName: 'callout-test', onError: () => undefined });
    const exclusive = { lock: 4_127_004, settings: {} };
    await expect(
      oneAtATime(small.pool, exclusive, () => small.pool.query('SELECT 1 AS one').then(({ rows }) => rows)),
    ).resolves.toEqual([{ one: 1 }]);
    await small.close();
  });

  it('is recognised by how it lends sessions, however often it is checked', async () => {
    const areOwn = mode !== 'transaction';
    const keepStatements = areOwn || (await canKeepStatements(program ?? ''));
    const found = await Promise.all([1, 2, 3, 4].map(() => findSessions(url)));
    expect(found).toMatchObject(found.map(() => ({ areOwn, keepStatements })));
  });

  it('leaves nothing in a session that may be lent to others', async () => {
    const other = new Client({ connectionString: mode === 'transaction' ? url : disposable.url });
    await other.connect();
    await Promise.all(Array.from({ length: 20 }, () => countSecretsByKey(database.pool)));
    const { rows } = await other.query<{ plan: string; locks: number }>(
      `SELECT current_setting('enable_seqscan') AS plan,
         (SELECT count(*)::int FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()) AS locks`,
    );
    await other.end();
    expect(rows).toEqual([{ plan: 'on', locks: 0 }]);
  });

  it('acknowledges a write outside of a transaction when it is committed, and rolls back one that fails', async () => {
    const write = (sql: string) =>
      database.pool.query(`INSERT INTO zones (name, url, web_url) VALUES (${sql}, '', '')`);
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    await Promise.all(names.map((name) => write(`'${name}'`)));
    await expect(write(`(1 / 0)::text`)).rejects.toThrow('division by zero');
    const { rows } = await database.pool.query<{ name: string }>(
      'SELECT name FROM zones WHERE length(name) = 1 ORDER BY name',
    );
    expect(rows.map(({ name }) => name)).toEqual(names);
  });

  it('lets no second process migrate meanwhile, and the next one after that', async () => {
    const lines: string[] = [];
    const all = await Promise.all([1, 2, 3].map(() => applyMigrations(url, { log: (line) => lines.push(line) })));
    expect(all).toEqual([[], [], []]);
    const isLogged = lines.some((line) => line.includes('keeps no prepared statements'));
    expect(isLogged).toBe(mode === 'transaction' && !(await canKeepStatements(program ?? '')));
  });

  it('drops days that are past their retention', async () => {
    const now = new Date(Date.now() + 3 * dayMs);
    const retention = { callouts: 1, events: 1, errorLogs: 1 };
    const { dropped, postponed } = (await dropOldPartitions(database.pool, retention, { now })) ?? {};
    const today = new Date().toISOString().slice(0, 10).replaceAll('-', '');
    expect(dropped).toContain(`callouts_${today}`);
    expect(postponed).toEqual([]);
    expect(await planOf(database.pool)).toBe(wanted);
  });

  it('ends work that one process does at a time when its lock is lost', async () => {
    const exclusive = { lock: 4_127_003, settings: {} };
    const work = oneAtATime(database.pool, exclusive, async (client) => {
      await database.pool.query(
        `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objid = 4127003`,
      );
      for (;;) await client.query('SELECT 1');
    });
    await expect(work.catch((error: unknown) => isDatabaseAway(error))).resolves.toBe(true);
    await expect(oneAtATime(database.pool, exclusive, async () => 'afterwards')).resolves.toBe('afterwards');
  });
});

/** Keeps the sessions of a pooler busy with other clients, until stopped. */
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
        { poolMode: 'statement', poolSize: 1 },
        { poolMode: 'statement', poolSize: 5 },
      ];

it(`recognises what lends sessions while they are busy, and refuses what lends them by the statement${note}`, async () => {
  const disposable = await createDisposableDatabase({ name: 'empty', prepare: async () => undefined });
  try {
    for (const pooling of poolings) {
      const pooler = await startPgBouncer({ program: program ?? '', databaseUrl: disposable.url, ...pooling });
      try {
        const find = async () => (await findSessions(pooler.url)).areOwn;
        const refusal = /pool_mode = transaction or session/;
        if (pooling.poolMode === 'statement') await expect(applyMigrations(pooler.url)).rejects.toThrow(refusal);
        const stopOthers = keepBusy(pooler.url);
        try {
          for (const _time of [1, 2, 3]) {
            if (pooling.poolMode === 'statement') await expect(find()).rejects.toThrow(refusal);
            else expect(await find()).toBe(false);
          }
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

it(`accepts a pooler of sessions that has only one${note}`, async () => {
  const disposable = await createDisposableDatabase({ name: 'empty', prepare: async () => undefined });
  const target = { databaseUrl: disposable.url, poolMode: 'session', poolSize: 1 } as const;
  const pooler = program === undefined ? undefined : await startPgBouncer({ program, ...target });
  try {
    await expect(findSessions(pooler?.url ?? disposable.url)).resolves.toMatchObject({ areOwn: true });
  } finally {
    await pooler?.stop();
    await disposable.drop();
  }
});
