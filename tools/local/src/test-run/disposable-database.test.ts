import { describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { sharedPostgres } from './request-services.ts';
import { createDisposableDatabase, dropTemplates } from './disposable-database.ts';

describe('createDisposableDatabase', () => {
  it('copies a template that is prepared once, also when many ask at the same time', async () => {
    let preparations = 0;
    const template = {
      name: 'counted',
      prepare: async (url: string) => {
        preparations++;
        await query(url, 'CREATE TABLE note (text text)');
      },
    };
    const databases = await Promise.all(Array.from({ length: 4 }, () => createDisposableDatabase(template)));
    expect(preparations).toBe(1);
    expect(new Set(databases.map(({ name }) => name)).size).toBe(4);

    const [mine, yours] = databases.map(({ url }) => url);
    await query(mine, "INSERT INTO note VALUES ('mine')");
    expect(await query(mine, 'SELECT text FROM note')).toEqual([{ text: 'mine' }]);
    expect(await query(yours, 'SELECT text FROM note')).toEqual([]);
    await Promise.all(databases.map((database) => database.drop()));
  });

  it('names databases callout_test_<random> and drops them even while clients are connected', async () => {
    const database = await createDisposableDatabase({ name: 'empty', prepare: async () => undefined });
    expect(database.name).toMatch(/^callout_test_[0-9a-f]{16}$/);
    const client = new Client({ connectionString: database.url });
    client.on('error', () => undefined); // its connection was ended
    await client.connect();
    await database.drop();
    expect(await databasesLike(database.name)).toEqual([]);
    await client.end();
  });

  it('prepares the template again when an earlier preparation failed half-way', async () => {
    const failing = {
      name: 'failing',
      prepare: async (url: string) => {
        await query(url, 'CREATE TABLE half (done int)');
        throw new Error('no disk');
      },
    };
    await expect(createDisposableDatabase(failing)).rejects.toThrow('no disk');
    const database = await createDisposableDatabase({
      name: 'failing',
      prepare: (url) => query(url, 'CREATE TABLE whole (done int)'),
    });
    expect(await query(database.url, 'SELECT tablename FROM pg_tables WHERE schemaname = current_schema()')).toEqual([
      { tablename: 'whole' },
    ]);
    await database.drop();
  });
});

describe('dropTemplates', () => {
  it('drops the databases whose names begin so, and no others', async () => {
    const { url } = await sharedPostgres();
    await query(url, 'CREATE DATABASE callout_test_drop_a');
    await query(url, 'CREATE DATABASE callout_test_drop_b_new');
    await query(url, 'CREATE DATABASE callout_test_keep');
    await dropTemplates(url, 'callout_test_drop');
    expect(await databasesLike('callout_test_drop%')).toEqual([]);
    expect(await databasesLike('callout_test_keep')).toHaveLength(1);
    await query(url, 'DROP DATABASE callout_test_keep');
  });
});

async function databasesLike(pattern: string): Promise<unknown[]> {
  const { url } = await sharedPostgres();
  return query(url, 'SELECT datname FROM pg_database WHERE datname LIKE $1', [pattern]);
}

async function query(url: string | undefined, sql: string, values: unknown[] = []): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql, values)).rows;
  } finally {
    await client.end();
  }
}
