import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createDisposableDatabase, type DisposableDatabase } from '@callout/local/test-run';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { isDatabaseAway, isDatabaseBusy } from './database-away.ts';
import { openDatabase, type Database } from './database.ts';
import { applyMigrations } from '../schema/migrations.ts';

const open = (url: string): Database =>
  openDatabase({ url, poolSize: 2, applicationName: 'callout-test', onError: () => undefined });

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => {
      throw new Error('expected a failure');
    },
    (error: unknown) => error,
  );
}

let disposable: DisposableDatabase;
let database: Database;
beforeAll(async () => {
  disposable = await createDisposableDatabase({ name: 'migrated', prepare: (url) => applyMigrations(url) });
  database = open(disposable.url);
});
afterAll(async () => {
  await database.close();
  await disposable.drop();
});

describe('isDatabaseAway', () => {
  it('is true when nothing listens on the port, through the pool and through Prisma', async () => {
    const nowhere = open('postgres://callout:x@127.0.0.1:1/callout');
    expect(isDatabaseAway(await failureOf(nowhere.pool.query('SELECT 1')))).toBe(true);
    expect(isDatabaseAway(await failureOf(nowhere.prisma.tenant.count()))).toBe(true);
    expect(isDatabaseAway(await failureOf(nowhere.prisma.$transaction((tx) => tx.tenant.count())))).toBe(true);
    await nowhere.close();
  });

  it('is true when the server hangs up', async () => {
    const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const rude = open(`postgres://callout:x@127.0.0.1:${port}/callout`);
    expect(isDatabaseAway(await failureOf(rude.pool.query('SELECT 1')))).toBe(true);
    expect(isDatabaseAway(await failureOf(rude.prisma.tenant.count()))).toBe(true);
    await rude.close();
    server.close();
  });

  it.each(['53100', '53200', '08P01'])(
    'is true when the server has no room left, or a pooler has no server: %s',
    async (code) => {
      const noRoom = `DO $$ BEGIN RAISE EXCEPTION 'no room' USING ERRCODE = '${code}'; END $$`;
      expect(isDatabaseAway(await failureOf(database.pool.query(noRoom)))).toBe(true);
      expect(isDatabaseAway(await failureOf(database.prisma.$executeRawUnsafe(noRoom)))).toBe(true);
    },
  );

  it('is true when the server has no free connection', async () => {
    const noEntry = `DO $$ BEGIN RAISE EXCEPTION 'could not write init file' USING ERRCODE = 'XX000'; END $$`;
    expect(isDatabaseAway(await failureOf(database.pool.query(noEntry)))).toBe(true);
    expect(isDatabaseAway(await failureOf(database.prisma.$executeRawUnsafe(noEntry)))).toBe(true);
  });

  it('is true when the server ends the connection in the middle of a statement', async () => {
    const endSelf = 'SELECT pg_terminate_backend(pg_backend_pid())';
    expect(isDatabaseAway(await failureOf(database.pool.query(endSelf)))).toBe(true);
    expect(isDatabaseAway(await failureOf(database.prisma.$queryRawUnsafe(endSelf)))).toBe(true);
    const inTransaction = database.prisma.$transaction((tx) => tx.$queryRawUnsafe(endSelf));
    expect(isDatabaseAway(await failureOf(inTransaction))).toBe(true);
    const laterInTransaction = database.prisma.$transaction(async (tx) => {
      await failureOf(tx.$queryRawUnsafe(endSelf));
      return tx.tenant.count();
    });
    expect(isDatabaseAway(await failureOf(laterInTransaction))).toBe(true);
  });

  it.each(['53300', '40001', '40P01', '55P03', '57014'])(
    'is true, and isDatabaseBusy is, when the server has too much to do: %s',
    async (code) => {
      const busy = `DO $$ BEGIN RAISE EXCEPTION 'busy' USING ERRCODE = '${code}'; END $$`;
      for (const fail of [() => database.pool.query(busy), () => database.prisma.$executeRawUnsafe(busy)]) {
        const error = await failureOf(fail());
        expect([isDatabaseAway(error), isDatabaseBusy(error)]).toEqual([true, true]);
      }
    },
  );

  it('is true, and isDatabaseBusy is, when no connection of the pool becomes free in time', async () => {
    const small = openDatabase({ url: disposable.url, poolSize: 1, applicationName: 'test', onError: () => undefined });
    const { pool, changePool } = small;
    const taken = await Promise.all([pool, changePool].map((one) => one.connect()));
    for (const { options } of [pool, changePool]) options.connectionTimeoutMillis = 1;
    const change = () => small.transaction(null, ({ models }) => models.tenant.count());
    for (const work of [() => pool.query('SELECT 1'), change]) {
      const error = await failureOf(work());
      expect([isDatabaseAway(error), isDatabaseBusy(error)]).toEqual([true, true]);
    }
    for (const client of taken) client.release();
    await small.close();
  });

  it('is not busy when nothing listens on the port, or the server ends the connection', async () => {
    const nowhere = open('postgres://callout:x@127.0.0.1:1/callout');
    expect(isDatabaseBusy(await failureOf(nowhere.pool.query('SELECT 1')))).toBe(false);
    await nowhere.close();
    const endSelf = 'SELECT pg_terminate_backend(pg_backend_pid())';
    expect(isDatabaseBusy(await failureOf(database.pool.query(endSelf)))).toBe(false);
  });

  it('is false for a wrong call, and for anything else', async () => {
    expect(isDatabaseAway(await failureOf(database.pool.query('SELECT nonsense')))).toBe(false);
    expect(isDatabaseAway(await failureOf(database.prisma.$queryRawUnsafe('SELECT nonsense')))).toBe(false);
    const twice = { data: { name: 'one', url: '', webUrl: '' } };
    await database.prisma.zone.create(twice);
    expect(isDatabaseAway(await failureOf(database.prisma.zone.create(twice)))).toBe(false);
    expect(isDatabaseAway(new TypeError('x is undefined'))).toBe(false);
    expect(isDatabaseAway(undefined)).toBe(false);
  });
});
