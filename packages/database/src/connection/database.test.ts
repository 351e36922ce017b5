import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createDisposableDatabase, sharedPostgres } from '@callout/local/test-run';
import { DatabaseClient } from './database-client.ts';
import { checkServer, openDatabase, type Database, type Transaction } from './database.ts';
import { inTransaction, inTransactionEndingWith } from './transaction/transaction.ts';
import { isDatabaseAway } from './database-away.ts';
import { statement } from './statement/statement.ts';
import { fillDisk } from '../fixtures/full-disk.ts';
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

/** Breaks a connection from outside, as a restart of the server does, and waits until its owner can notice. */
async function breakConnection(transaction: Transaction): Promise<void> {
  const { rows } = await transaction.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  // Not events.once, which would add its own listener for the error.
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

  it('closes a connection on which the server is read-only, as while it is a replica', async () => {
    for (const connection of await Promise.all([database.pool.connect(), database.pool.connect()])) {
      await connection.query('SET default_transaction_read_only = on');
      connection.release();
    }
    expect(await database.writeProblems()).toEqual([expect.stringContaining('read-only')]);
    const write = () =>
      inTransaction(database.pool, (transaction) => transaction.query('CREATE TABLE IF NOT EXISTS written ()'));
    const refused = await Promise.allSettled([write(), write()]);
    expect(refused.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await write();
    expect(await database.writeProblems()).toEqual([]);
  });
});

describe('changes', () => {
  it('are made while all connections for sets and for models are in use', async () => {
    const taken = await Promise.all([database.pool.connect(), database.pool.connect()]);
    const [first] = taken;
    await first?.query('SELECT pg_advisory_lock(34)');
    const waiting = database.prisma.$queryRaw`SELECT pg_advisory_lock_shared(34)::text`;
    const count = await database.transaction(null, ({ models }) => models.tenant.count());
    expect(count).toBe(0);
    await first?.query('SELECT pg_advisory_unlock(34)');
    await waiting;
    for (const client of taken) client.release();
  });
});

describe('a full disk', () => {
  const full = [expect.stringContaining('its disk is full')];
  const insertZone = `INSERT INTO zones (name, url, web_url) VALUES ('full', '', '')`;

  it.each<[string, () => Promise<unknown>]>([
    ['a statement', () => database.pool.query(insertZone)],
    ['a transaction', () => inTransaction(database.pool, (transaction) => transaction.query(insertZone))],
    ['Prisma', () => database.prisma.zone.create({ data: { name: 'full', url: '', webUrl: '' } })],
  ])('is detected by a write of %s, until a write would succeed', async (_, write) => {
    expect(await database.writeProblems()).toEqual([]);
    const makeRoom = await fillDisk(database.pool, 'zones');
    try {
      await expect(write()).rejects.toThrow(/No space left|disk/i);
      for (const _probe of [1, 2]) expect(await database.writeProblems()).toEqual(full);
    } finally {
      await makeRoom();
    }
    expect(await database.writeProblems()).toEqual([]);
    const { rows } = await database.pool.query(`SELECT FROM pg_class WHERE relname LIKE 'callout_probe%'`);
    expect(rows).toEqual([]);
  });

  it('is not detected because of a wrong statement', async () => {
    await expect(database.pool.query('SELECT nonsense')).rejects.toThrow('nonsense');
    const makeRoom = await fillDisk(database.pool, 'zones');
    try {
      expect(await database.writeProblems()).toEqual([]);
    } finally {
      await makeRoom();
    }
  });
});

describe('inTransactionEndingWith', () => {
  const rowsOf = async (name: string) => (await database.pool.query(`SELECT * FROM ${name}`)).rows;
  const insert = (transaction: Transaction, name: string, value: string) =>
    transaction.query(`INSERT INTO ${name} VALUES (${value})`);

  it('commits the statements that were sent last without waiting for their results', async () => {
    await database.pool.query('CREATE TABLE sent_last (number int)');
    const result = await inTransactionEndingWith(database.pool, async (transaction) => {
      await insert(transaction, 'sent_last', '1');
      return { result: 'done', last: [insert(transaction, 'sent_last', '2'), insert(transaction, 'sent_last', '3')] };
    });
    expect(result).toBe('done');
    expect(await rowsOf('sent_last')).toEqual([{ number: 1 }, { number: 2 }, { number: 3 }]);
  });

  it('commits nothing when one of the last statements fails, and throws its error', async () => {
    await database.pool.query('CREATE TABLE kept_out (number int)');
    const failing = inTransactionEndingWith(database.pool, async (transaction) => {
      await insert(transaction, 'kept_out', '1');
      const last = [insert(transaction, 'kept_out', '1 / 0'), insert(transaction, 'kept_out', '3')];
      return { result: null, last };
    });
    await expect(failing).rejects.toThrow('division by zero');
    expect(await rowsOf('kept_out')).toEqual([]);
    // The connection is still usable.
    expect((await inTransaction(database.pool, (one) => one.query('SELECT 1 AS one'))).rows).toEqual([{ one: 1 }]);
  });

  it('commits nothing when a statement failed and its error was swallowed', async () => {
    await database.pool.query('CREATE TABLE swallowed (number int)');
    const failing = inTransaction(database.pool, async (transaction) => {
      await insert(transaction, 'swallowed', '1');
      await insert(transaction, 'swallowed', '1 / 0').catch(() => undefined);
    });
    await expect(failing).rejects.toThrow('rolled back');
    expect(await rowsOf('swallowed')).toEqual([]);
  });

  it('sends statements in one write when they need no result in between', async () => {
    const writes: number[] = [];
    const store = statement('test_in_one_write', 'SELECT $1::int');
    await inTransactionEndingWith(database.pool, async (transaction) => {
      const { stream } = (transaction as unknown as { connection: { stream: Socket } }).connection;
      const before = countWrites(stream);
      await store(transaction, [1]);
      writes.push(before());
      const behind = countWrites(stream);
      // Read when the commit has been sent and acknowledged.
      setImmediate(() => writes.push(behind()));
      return { result: null, last: [store(transaction, [2]), store(transaction, [3])] };
    });
    expect(writes).toEqual([1, 1]);
  });
});

describe('a database that cannot be used', () => {
  it.each([
    [
      'LATIN1',
      "CREATE DATABASE refused ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0",
      'the encoding of the database is LATIN1',
    ],
    ['array_nulls', 'CREATE DATABASE refused; ALTER DATABASE refused SET array_nulls = off', 'array_nulls is off'],
  ])('is refused in a sentence: %s', async (_what, statements, sentence) => {
    const { url } = await sharedPostgres();
    const server = new DatabaseClient({ connectionString: url });
    await server.connect();
    const name = `callout_test_${randomUUID()}`;
    const make = statements.replaceAll('refused', `"${name}"`).split('; ');
    try {
      for (const text of make) await server.query(text);
      const refused = new URL(url);
      refused.pathname = name;
      await expect(applyMigrations(refused.href)).rejects.toThrow(sentence);
    } finally {
      await server.query(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
      await server.end();
    }
  });

  it('is not one with the defaults', async () => {
    await expect(checkServer(database.pool)).resolves.toBeUndefined();
  });
});

/** Counts the writes to a socket from now on. */
function countWrites(stream: Socket): () => number {
  let count = 0;
  const inner = stream as unknown as { _writev: Write; _write: Write };
  for (const name of ['_writev', '_write'] as const) {
    const write = inner[name].bind(inner);
    inner[name] = (...args: unknown[]) => {
      count += 1;
      write(...args);
    };
  }
  return () => count;
}
type Write = (...args: unknown[]) => void;
