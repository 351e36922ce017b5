import { beforeEach, describe, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import { inTransaction } from './transaction/transaction.ts';
import { useDatabase } from '../fixtures/own-database.ts';

const database = useDatabase(createDisposableDatabase);
const failing = (code: string) => `DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '${code}'; END $$`;

/** The sessions of all pools. */
async function sessions(): Promise<unknown[]> {
  const own = 'SELECT pg_backend_pid() AS pid';
  const { rows } = await database.pool.query<{ pid: number }>(own);
  const ofChanges = await database.changePool.query<{ pid: number }>(own);
  const ofModels = await database.prisma.$queryRaw<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`;
  return [...rows, ...ofChanges.rows, ...ofModels].map(({ pid }) => pid);
}

describe.each<[string, (sql: string) => Promise<unknown>]>([
  ['a statement', (sql) => database.pool.query(sql)],
  ['a transaction', (sql) => inTransaction(database.pool, (transaction) => transaction.query(sql))],
  ['a model', (sql) => database.prisma.$executeRawUnsafe(sql)],
  ['a model in a transaction', (sql) => database.transaction(null, ({ models }) => models.$executeRawUnsafe(sql))],
])('%s that fails', (_way, fail) => {
  let before: unknown[];
  beforeEach(async () => {
    before = await sessions();
  });

  it.each([
    ['a deadlock', '40P01'],
    ['a serialization failure', '40001'],
    ['a full disk', '53100'],
    ['a key that is there already', '23505'],
  ])('by %s keeps its connection, free for the next one', async (_reason, code) => {
    await expect(fail(failing(code))).rejects.toThrow(/no|conflict/);
    expect(await sessions()).toEqual(before);
  });

  it.each([
    ['a server that takes no writes', '25006'],
    ['a pooler', '08P01'],
  ])('by %s gets another connection', async (_reason, code) => {
    await expect(fail(failing(code))).rejects.toThrow(/no|conflict/);
    const after = await sessions();
    expect(after).toHaveLength(3);
    expect(after).not.toEqual(before);
  });
});

describe('a statement whose plan no longer fits its table', () => {
  it.each<[string, (query: { name: string; text: string }) => Promise<{ rows: unknown[] }>]>([
    ['alone', (query) => database.pool.query(query)],
    ['in a transaction', (query) => inTransaction(database.pool, (transaction) => transaction.query(query))],
  ])('fails once: the next one is planned on another connection, %s', async (way, run) => {
    await database.pool.query(`CREATE TABLE "${way}" (a int)`);
    const query = { name: way, text: `SELECT * FROM "${way}"` };
    await run(query);
    await database.prisma.$executeRawUnsafe(`ALTER TABLE "${way}" ALTER a TYPE text`);
    await expect(run(query)).rejects.toThrow('cached plan');
    expect((await run(query)).rows).toEqual([]);
  });
});
