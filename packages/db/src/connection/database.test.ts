import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local';
import { inTransaction, openDatabase, writeProblems, type Database, type Transaction } from './database.ts';
import { isDatabaseAway } from './database-away.ts';
import { applyMigrations } from '../schema/migrations.ts';

let database: Database;
let drop: () => Promise<void>;
const idleErrors: Error[] = [];

beforeAll(async () => {
  const test = await createDisposableDatabase({ name: 'migrated', prepare: (url) => applyMigrations(url) });
  drop = test.drop;
  const onError = (error: Error) => void idleErrors.push(error);
  database = openDatabase({ url: test.url, poolSize: 2, applicationName: 'callout-test', onError });
});
afterAll(async () => {
  await database.close();
  await drop();
});

/** Breaks a connection from outside, as a restart of the server does, and waits until its owner can know. */
async function breakConnection(transaction: Transaction): Promise<void> {
  const { rows } = await transaction.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  // Not events.once, which would hear the error that nobody else hears.
  const ended = new Promise<void>((resolve) => transaction.once('end', resolve));
  await database.pool.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);
  await ended;
}

describe('inTransaction', () => {
  it('fails when its connection breaks between two statements, and the next one gets another connection', async () => {
    const broken = inTransaction(database.pool, async (transaction) => {
      await transaction.query('CREATE TABLE half_done ()');
      await breakConnection(transaction);
      return transaction.query('SELECT 1');
    });
    const error: unknown = await broken.catch((error: unknown) => error);
    expect(isDatabaseAway(error)).toBe(true);
    const { rows } = await inTransaction(database.pool, (transaction) =>
      transaction.query("SELECT to_regclass('half_done') AS found"),
    );
    expect(rows).toEqual([{ found: null }]);
    expect(idleErrors).toEqual([]);
  });

  it('fails when its connection breaks before the commit', async () => {
    const error: unknown = await inTransaction(database.pool, breakConnection).catch((error: unknown) => error);
    expect(isDatabaseAway(error)).toBe(true);
    expect((await inTransaction(database.pool, (transaction) => transaction.query('SELECT 1 AS one'))).rows).toEqual([
      { one: 1 },
    ]);
  });

  it('does not keep a connection on which the server takes no writes, as while it is a replica', async () => {
    for (const connection of await Promise.all([database.pool.connect(), database.pool.connect()])) {
      await connection.query('SET default_transaction_read_only = on');
      connection.release();
    }
    expect(await writeProblems(database.pool)).toEqual([expect.stringContaining('read-only')]);
    const write = () =>
      inTransaction(database.pool, (transaction) => transaction.query('CREATE TABLE IF NOT EXISTS written ()'));
    const refused = await Promise.allSettled([write(), write()]);
    expect(refused.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await write();
    expect(await writeProblems(database.pool)).toEqual([]);
  });
});
