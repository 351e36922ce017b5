import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createDisposableDatabase, type DisposableDatabase } from '@callout/local/test-run';
import { describeDatabase } from './database-content.ts';
import { openDatabase, type Database } from '../connection/database.ts';
import { insertTenant } from '../fixtures/tenant.ts';
import { applyMigrations } from './migrations.ts';

let disposable: DisposableDatabase;
let database: Database;

beforeAll(async () => {
  disposable = await createDisposableDatabase({ name: 'empty', prepare: async () => undefined });
  database = openDatabase({ url: disposable.url, poolSize: 2, applicationName: 'test', onError: () => undefined });
});

afterAll(async () => {
  await database.close();
  await disposable.drop();
});

it('a database is recognised as empty, of another program, or of Callout with its number of tenants', async () => {
  const { pool } = database;
  expect(await describeDatabase(pool)).toEqual({ kind: 'empty' });

  await pool.query('CREATE TABLE tenants (id int)');
  await pool.query('CREATE TABLE _prisma_migrations (id int)');
  expect(await describeDatabase(pool)).toEqual({ kind: 'foreign', tables: ['tenants'] });

  await pool.query('DROP TABLE tenants, _prisma_migrations');
  await applyMigrations(disposable.url);
  expect(await describeDatabase(pool)).toEqual({ kind: 'callout', tenants: 0 });

  await insertTenant(pool);
  expect(await describeDatabase(pool)).toEqual({ kind: 'callout', tenants: 1 });
});
