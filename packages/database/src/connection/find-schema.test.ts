import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createDisposableDatabase,
  type DisposableDatabase,
  installedPgBouncer,
  startPgBouncer,
} from '@callout/local/test-run';
import { Client } from 'pg';
import { openDatabase, openSearchPool } from './database.ts';
import { insertTenant } from '../fixtures/tenant.ts';
import { applyMigrations } from '../schema/migrations.ts';

/** A database as a server makes it, and the statements that its owner ran there. */
async function databaseAfter(...statements: string[]): Promise<DisposableDatabase> {
  const made = await createDisposableDatabase({ name: 'empty', prepare: async () => undefined });
  await query(made.url, statements.join('; '));
  return made;
}

async function query<Row extends object>(url: string, text: string): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<Row>(text);
    return rows;
  } finally {
    await client.end();
  }
}

const settings = { poolSize: 2, applicationName: 'callout-test', onError: () => undefined };

const laidOut = [
  { how: 'of the role, as PostgreSQL advises', schema: undefined, made: 'CREATE SCHEMA AUTHORIZATION CURRENT_USER' },
  { how: 'that DATABASE_URL names', schema: 'Hooks & Co', made: 'CREATE SCHEMA "Hooks & Co"' },
] as const;

describe.each(laidOut)('the schema $how', ({ schema, made }) => {
  const isNamed = schema === 'Hooks & Co';
  let disposable: DisposableDatabase;
  let url: string;
  beforeAll(async () => {
    disposable = await databaseAfter(made);
    url = isNamed ? `${disposable.url}?schema=${encodeURIComponent(schema)}` : disposable.url;
    await applyMigrations(url);
  });
  afterAll(() => disposable.drop());

  it('has all tables', async () => {
    const found = await query<{ schema: string }>(
      disposable.url,
      `SELECT DISTINCT n.nspname AS schema FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE c.relkind IN ('r', 'p') AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')`,
    );
    expect(found).toEqual([{ schema: isNamed ? schema : new URL(disposable.url).username }]);
  });

  it('is that of models, statements, and searches', async () => {
    const database = openDatabase({ url, ...settings });
    const searches = openSearchPool({ url, ...settings });
    try {
      const tenantId = await insertTenant(database.pool);
      const inside = await database.transaction(null, async ({ models, sets }) => [
        await models.tenant.count({ where: { id: tenantId } }),
        (await sets.query('SELECT FROM tenants WHERE id = $1', [tenantId])).rowCount,
      ]);
      const outside = await Promise.all([
        database.prisma.tenant.count({ where: { id: tenantId } }),
        searches.query('SELECT FROM tenants WHERE id = $1', [tenantId]).then(({ rowCount }) => rowCount),
      ]);
      expect([inside, outside]).toEqual([
        [1, 1],
        [1, 1],
      ]);
    } finally {
      await Promise.all([database.close(), searches.end()]);
    }
  });

  it('is not migrated twice', async () => {
    expect(await applyMigrations(url)).toEqual([]);
  });
});

describe('a schema that cannot be used', () => {
  const refused = [
    {
      because: 'it does not exist',
      statements: [],
      query: '?schema=hoks',
      says: /^it has no schema hoks that the role \w+ may use: run CREATE SCHEMA "hoks" AUTHORIZATION "\w+", or correct \?schema= in DATABASE_URL$/,
    },
    {
      because: 'search_path names none',
      statements: ['DROP SCHEMA public'],
      query: '',
      says: /^no schema of its search_path \("\$user", public\) exists for the role \w+: run CREATE SCHEMA "(\w+)" AUTHORIZATION "\1", or name a schema/,
    },
    {
      because: 'the tables are in another one of search_path',
      statements: ['CREATE TABLE public.open_callouts ()', 'CREATE SCHEMA AUTHORIZATION CURRENT_USER'],
      query: '',
      says: /^its tables are in the schema public, and search_path \("\$user", public\) makes new ones in (\w+): add \?schema=public to DATABASE_URL to go on with them, or \?schema=\1 to begin afresh$/,
    },
  ];

  it.each(refused)('is refused when $because', async ({ statements, query: option, says }) => {
    const disposable = await databaseAfter(...statements);
    try {
      await expect(applyMigrations(`${disposable.url}${option}`)).rejects.toThrow(says);
    } finally {
      await disposable.drop();
    }
  });

  const program = installedPgBouncer();
  it(`is refused when the sessions of a pooler begin in another one${program === undefined ? ' (not tried: PgBouncer is not installed here)' : ''}`, async () => {
    expect.hasAssertions();
    if (program === undefined) return expect(program).toBeUndefined();
    const disposable = await databaseAfter('CREATE SCHEMA hooks');
    const pooler = await startPgBouncer({ program, databaseUrl: disposable.url, poolMode: 'transaction' });
    try {
      await expect(applyMigrations(`${pooler.url}?schema=hooks`)).rejects.toThrow(
        /^a connection pooler lends its sessions, which do not begin in the schema hooks: run ALTER ROLE "\w+" SET search_path = "hooks", and connect again$/,
      );
    } finally {
      await pooler.stop();
      await disposable.drop();
    }
  });
});
