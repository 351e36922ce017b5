import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createDisposableDatabase,
  type DisposableDatabase,
  installedPgBouncer,
  startPgBouncer,
} from '@callout/local/test-run';
import { eventually } from '@callout/testing';
import { Client } from 'pg';
import { isDatabaseAway } from './database-away.ts';
import { openDatabase, openSearchPool, type Database } from './database.ts';
import { inTransaction } from './transaction/transaction.ts';
import { oneAtATime } from './locks/one-at-a-time.ts';
import { findSessions } from './find-sessions.ts';

const program = installedPgBouncer();
/** A suffix for the title of each test, since none is left out where there is no PgBouncer. */
const note = program === undefined ? ' (through PgBouncer it was not tried: that is not installed here)' : '';
const ways = program === undefined ? ['directly'] : ['directly', 'through PgBouncer'];

const [idle, lock, statement, transaction] = ['5s', '8s', '15s', '25s'];
const settingsNow = `SELECT current_setting('idle_in_transaction_session_timeout') AS idle,
  current_setting('lock_timeout') AS lock, current_setting('statement_timeout') AS statement,
  current_setting('transaction_timeout', true) AS transaction`;

describe.each(ways)(`a database that is connected %s${note}`, (way) => {
  let disposable: DisposableDatabase;
  /** A connection without bounds. */
  let other: Client;
  let database: Database;
  let url: string;
  const stops: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    disposable = await createDisposableDatabase({ name: 'empty', prepare: async () => undefined });
    stops.push(() => disposable.drop());
    url = disposable.url;
    if (way !== 'directly' && program !== undefined) {
      const pooler = await startPgBouncer({ program, databaseUrl: url, poolMode: 'transaction' });
      stops.push(() => pooler.stop());
      url = pooler.url;
    }
    other = new Client({ connectionString: disposable.url });
    await other.connect();
    stops.push(() => other.end());
    await findSessions(url);
    database = openDatabase({ url, poolSize: 3, applicationName: 'callout-test', onError: () => undefined });
    stops.push(() => database.close());
  });
  afterAll(async () => {
    for (let stop = stops.pop(); stop; stop = stops.pop()) await stop();
  });

  it('bounds each transaction, also those of models and of searches', async () => {
    const search = openSearchPool({ url, poolSize: 1, applicationName: 'callout-test', onError: () => undefined });
    const bounds = await Promise.all([
      inTransaction(database.pool, async (client) => (await client.query(settingsNow)).rows[0]),
      database.transaction(null, async ({ sets }) => (await sets.query(settingsNow)).rows[0]),
      database.prisma.$transaction(async (models) => (await models.$queryRawUnsafe<object[]>(settingsNow))[0]),
      inTransaction(search, async (client) => (await client.query(settingsNow)).rows[0]),
    ]);
    const { rows } = await other.query<{ none: string | null }>(
      `SELECT current_setting('transaction_timeout', true) AS none`,
    );
    const short = { idle, lock, statement, transaction: rows[0]?.none === null ? null : transaction };
    const long = { idle, lock, statement: '0', transaction: rows[0]?.none ?? null };
    expect(bounds).toEqual([short, short, short, long]);
    await search.end();
  });

  it('receives signs of life from the holder of a lock for exclusive work', async () => {
    const exclusive = { lock: 4_127_004, settings: {} };
    const heard = await oneAtATime(database.pool, exclusive, () =>
      eventually(async () => {
        const { rows } = await other.query(
          `SELECT query FROM pg_stat_activity JOIN pg_locks USING (pid) WHERE locktype = 'advisory' AND objid = 4127004`,
        );
        return rows.some((row) => row.query === 'SELECT 1') && rows.length;
      }),
    );
    expect(heard).toBe(1);
  });
});

describe('a transaction that others wait for', () => {
  let disposable: DisposableDatabase;
  let database: Database;
  /** A connection without bounds. */
  let other: Client;
  beforeAll(async () => {
    disposable = await createDisposableDatabase({ name: 'empty', prepare: async () => undefined });
    const { url } = disposable;
    database = openDatabase({ url, poolSize: 6, applicationName: 'callout-test', onError: () => undefined });
    other = new Client({ connectionString: url });
    await other.connect();
    await other.query('CREATE TABLE counted (id int, n int); INSERT INTO counted VALUES (1, 0), (2, 0)');
  });
  afterAll(async () => {
    await Promise.all([database.close(), other.end()]);
    await disposable.drop();
  });

  const update = (id: number) => `UPDATE counted SET n = n + 1 WHERE id = ${id}`;
  const updates = (id: number) => [
    () => inTransaction(database.pool, (client) => client.query(update(id))),
    () => database.pool.query(update(id)),
    () => database.transaction(null, ({ sets }) => sets.query(update(id))),
  ];
  const failureOf = (work: Promise<unknown>) =>
    work.then(
      () => undefined,
      (error: unknown) => error,
    );
  const countOf = async (id: number) =>
    (await other.query<{ n: number }>('SELECT n FROM counted WHERE id = $1', [id])).rows[0]?.n;

  it('is ended when its process stops responding, the others continue, and it can store nothing any more', async () => {
    const frozen = failureOf(
      inTransaction(database.pool, async (client) => {
        await client.query(update(1));
        // All of them wait for this transaction, which continues only after them.
        await Promise.all(updates(1).map((work) => work()));
        return client.query(update(1));
      }),
    );
    expect(isDatabaseAway(await frozen)).toBe(true);
    expect(await countOf(1)).toBe(3);
  });

  it('does not make others wait for ever, and an abandoned wait leaves no statement and no connection behind', async () => {
    await other.query(`BEGIN; ${update(2)}`);
    const failures = await Promise.all(updates(2).map((work) => failureOf(work())));
    const { rows } = await other.query(
      `SELECT query FROM pg_stat_activity WHERE datname = current_database() AND state <> 'idle' AND pid <> pg_backend_pid()`,
    );
    await other.query('ROLLBACK');
    expect(failures.map(isDatabaseAway)).toEqual([true, true, true]);
    expect(rows).toEqual([]);
    expect(database.pool.totalCount).toBeLessThanOrEqual(6);
    await Promise.all(updates(2).map((work) => work()));
    expect(await countOf(2)).toBe(3);
  });
});
