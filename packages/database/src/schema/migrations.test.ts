import { execFile } from 'node:child_process';
import { mkdtemp, mkdir, writeFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createDisposableDatabase, type DisposableDatabase } from '@callout/local/test-run';
import { Client } from 'pg';
import { isDatabaseAway } from '../connection/database-away.ts';
import { lowestIdAt, newId, timeOfId } from './ids.ts';
import { applyMigrations } from './migrations.ts';
import { ensurePartitions, missingPartitions, partitionName } from './partitions.ts';

const root = path.resolve(import.meta.dirname, '../../../..');

let empty: DisposableDatabase;
let client: Client;

beforeAll(async () => {
  empty = await createDisposableDatabase({ name: 'empty', prepare: async () => undefined });
  client = new Client({ connectionString: empty.url });
  await client.connect();
});

afterAll(async () => {
  await client.end();
  await empty.drop();
});

async function withMigrations(files: Record<string, string>, use: (directory: string) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(path.join(tmpdir(), 'callout-migrations-'));
  try {
    for (const [name, sql] of Object.entries(files)) {
      await mkdir(path.join(directory, name));
      await writeFile(path.join(directory, name, 'migration.sql'), sql);
    }
    await use(directory);
  } finally {
    await rm(directory, { recursive: true });
  }
}

describe('applyMigrations', () => {
  it('applies each migration once, when several processes start at once', async () => {
    const applied = await Promise.all([1, 2, 3, 4].map(() => applyMigrations(empty.url)));
    expect(applied.flat()).toEqual([...new Set(applied.flat())]);
    expect(applied.flat().length).toBeGreaterThan(0);
    expect(await applyMigrations(empty.url)).toEqual([]);
  });

  it('records them as prisma migrate deploy does', async () => {
    const { rows } = await client.query<{ finished: boolean; steps: number; checksum: string }>(
      `SELECT finished_at IS NOT NULL AS finished, applied_steps_count AS steps, checksum FROM _prisma_migrations`,
    );
    expect(rows.every((row) => row.finished && row.steps === 1 && /^[0-9a-f]{64}$/.test(row.checksum))).toBe(true);
  });

  it('creates the columns and indexes of the Prisma schema', async () => {
    const bySchema = await createDisposableDatabase({ name: 'empty', prepare: async () => undefined });
    const { stdout } = await promisify(execFile)(process.execPath, [path.join(root, 'prisma/schema-diff.mjs')]);
    await withClient(bySchema.url, async (other) => {
      await other.query(stdout);
      const [wanted, made] = [await shapeOf(other), await shapeOf(client)];
      expect(wanted.columns.length).toBeGreaterThan(100);
      expect(made.columns).toEqual(wanted.columns);
      expect(made.indexes).toEqual(expect.arrayContaining(wanted.indexes));
    });
    await bySchema.drop();
  });

  it('stops at a migration that fails, names it, rolls it back, and tries it again', async () => {
    const database = await createDisposableDatabase({ name: 'empty', prepare: async () => undefined });
    const files = { '1_good': 'CREATE TABLE one ();', '2_bad': 'CREATE TABLE two (); SELECT 1 / 0;' };
    await withMigrations(files, async (directory) => {
      for (const _start of ['first', 'second']) {
        await expect(applyMigrations(database.url, { directory })).rejects.toThrow('migration 2_bad: division by zero');
      }
      await writeFile(path.join(directory, '2_bad', 'migration.sql'), 'CREATE TABLE two ();');
      expect(await applyMigrations(database.url, { directory })).toEqual(['2_bad']);
    });
    await database.drop();
  });

  it('waits for transactions that use a table, however long, and says so', async () => {
    const database = await createDisposableDatabase({ name: 'empty', prepare: async () => undefined });
    const tables = { '1_tables': 'CREATE TABLE one (); CREATE TABLE two ();' };
    const files = { ...tables, '2_change': 'ALTER TABLE one ADD a int; ALTER TABLE two ADD a int;' };
    await withMigrations(tables, async (directory) => void (await applyMigrations(database.url, { directory })));
    await withMigrations(files, (directory) =>
      withClient(database.url, async (other) => {
        await other.query('BEGIN; SELECT FROM two');
        const lines: string[] = [];
        const migrating = applyMigrations(database.url, { directory, log: (line) => lines.push(line) });
        const isHeldUp = `SELECT FROM pg_locks WHERE relation = 'two'::regclass AND NOT granted`;
        for (let looks = 0; looks < 1_000 && (await other.query(isHeldUp)).rowCount === 0; looks += 1) await sleep(10);
        // The migration has locked this table, and waits for the other one.
        await other.query('SELECT FROM one');
        for (let looks = 0; looks < 1_000 && lines.length === 0; looks += 1) await sleep(10);
        expect(lines).toEqual([expect.stringMatching(/^migration 2_change waits for the lock of a table /)]);
        await other.query('COMMIT');
        expect(await migrating).toEqual(['2_change']);
      }),
    );
    await database.drop();
  });

  it('fails as for an unavailable database, and does not end its process, when its idle connection is ended', async () => {
    const database = await createDisposableDatabase({ name: 'empty', prepare: async () => undefined });
    const table = { '1_table': 'CREATE TABLE one ();' };
    const files = { ...table, '2_change': 'ALTER TABLE one ADD a int;' };
    await withMigrations(table, async (directory) => void (await applyMigrations(database.url, { directory })));
    await withMigrations(files, (directory) =>
      withClient(database.url, async (other) => {
        await other.query('BEGIN; SELECT FROM one');
        let ending: Promise<unknown> | undefined;
        // Between two tries the connection of the migration is idle.
        const endOthers = `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
          WHERE datname = current_database() AND pid <> pg_backend_pid()`;
        const log = (): void => void (ending ??= other.query(endOthers));
        expect(isDatabaseAway(await applyMigrations(database.url, { directory, log }).catch((error) => error))).toBe(
          true,
        );
        await ending;
        await other.query('COMMIT');
        expect(await applyMigrations(database.url, { directory })).toEqual(['2_change']);
      }),
    );
    await database.drop();
  });

  it('does not continue after a migration that another tool left half done, and says what to do', async () => {
    await client.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ('half', 'x', '29990101000000_half')`,
    );
    const failure = await applyMigrations(empty.url).catch((error: Error) => error.message);
    expect(failure).toMatch(/29990101000000_half was left half done/);
    await client.query(/run (DELETE .*)$/.exec(String(failure))?.[1] ?? '');
    expect(await applyMigrations(empty.url)).toEqual([]);
  });

  it('says when it waits for another process, and when the database is of a newer version', async () => {
    await client.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) VALUES ('new', 'x', '2999_new', now())`,
    );
    await client.query('SELECT pg_advisory_lock(72707369)');
    const lines: string[] = [];
    const log = (line: string) => {
      lines.push(line);
      // Unlocks once the other one has reported that it waits.
      if (lines.length === 1) void client.query('SELECT pg_advisory_unlock(72707369)');
    };
    expect(await applyMigrations(empty.url, { log })).toEqual([]);
    expect(lines).toEqual([
      'another process is migrating this database: waiting until it is done',
      'the database was migrated by a newer version of Callout, which has 2999_new',
    ]);
    await client.query(`DELETE FROM _prisma_migrations WHERE id = 'new'`);
  });

  it('refuses a database from before the first migration, and changes nothing', async () => {
    const database = await createDisposableDatabase({ name: 'empty', prepare: async () => undefined });
    const older = { '20261120000000_init': 'CREATE TABLE one ();' };
    await withMigrations(older, async (directory) => void (await applyMigrations(database.url, { directory })));
    await expect(applyMigrations(database.url)).rejects.toThrow(
      'the database was made by Callout 0.3 or older, whose tables this version does not read: name an empty database in DATABASE_URL, or go on with the version that made it',
    );
    await withClient(database.url, async (other) => {
      const { rows } = await other.query(`SELECT relname AS name FROM pg_class
        WHERE relkind = 'r' AND relnamespace = quote_ident(current_schema())::regnamespace ORDER BY 1`);
      expect(rows).toEqual([{ name: '_prisma_migrations' }, { name: 'one' }]);
    });
    await database.drop();
  });

  it('refuses a database whose migrations had another text, before it changes anything', async () => {
    const database = await createDisposableDatabase({ name: 'empty', prepare: async () => undefined });
    const before = { '1_init': 'CREATE TABLE one ();', '2_more': 'ALTER TABLE one ADD a int;' };
    await withMigrations(before, async (directory) => void (await applyMigrations(database.url, { directory })));
    const squashed = { '1_init': 'CREATE TABLE one (a int);', '3_next': 'ALTER TABLE one ADD b int;' };
    await withMigrations(squashed, async (directory) => {
      const lines: string[] = [];
      const failure = applyMigrations(database.url, { directory, log: (line) => lines.push(line) });
      await expect(failure).rejects.toThrow(
        'the database was made by another version of migration 1_init, from before a release, and cannot be upgraded: use an empty database',
      );
      expect(lines).toEqual([]);
    });
    await withClient(database.url, async (other) => {
      const { rows } = await other.query('SELECT migration_name AS name FROM _prisma_migrations ORDER BY 1');
      expect(rows).toEqual([{ name: '1_init' }, { name: '2_more' }]);
    });
    await database.drop();
  });
});

describe('partitions', () => {
  it('exist after migrating, and an id of now has one', async () => {
    expect(await missingPartitions(client, new Date())).toEqual([]);
    const id = newId();
    await client.query("INSERT INTO callout_bodies (callout_id, body) VALUES ($1, '{}')", [id]);
    const { rows } = await client.query<{ partition: string }>(
      'SELECT tableoid::regclass::text AS partition FROM callout_bodies',
    );
    expect(rows).toEqual([{ partition: partitionName('callout_bodies', timeOfId(id)) }]);
  });

  it('are created from yesterday to a week ahead, also by several processes at once', async () => {
    const later = new Date('2096-02-28T23:59:59.999Z');
    expect((await missingPartitions(client, later)).length).toBeGreaterThan(0);
    const made = await Promise.all(
      [1, 2, 3].map(() => withClient(empty.url, (other) => ensurePartitions(other, later))),
    );
    const days = ['0227', '0228', '0229', '0301', '0302', '0303', '0304', '0305', '0306'];
    const ofEvents = [...new Set(made.flat())].filter((name) => name.startsWith('events_'));
    expect(ofEvents).toEqual(days.map((day) => `events_2096${day}`));
    expect(await missingPartitions(client, later)).toEqual([]);
    expect(await ensurePartitions(client, later)).toEqual([]);
  });

  it('have the ids of midnight as bounds', () => {
    expect(lowestIdAt(new Date('2026-01-02T00:00:00Z'))).toBe('019b7c01-0400-0000-0000-000000000000');
    const before = lowestIdAt(new Date());
    const id = newId();
    expect(before <= id && id < lowestIdAt(new Date(Date.now() + 1000))).toBe(true);
  });
});

/** Columns and indexes of all tables, except partitions. */
async function shapeOf(of: Client): Promise<{ columns: string[]; indexes: string[] }> {
  const columns = await of.query<{ shape: string }>(
    `SELECT concat_ws(' ', c.table_name, c.column_name, c.udt_name, c.datetime_precision, c.is_nullable, c.column_default) AS shape
     FROM information_schema.columns c JOIN pg_class t ON t.relname = c.table_name AND NOT t.relispartition
     WHERE c.table_schema = 'public' AND c.table_name <> '_prisma_migrations' ORDER BY 1`,
  );
  const indexes = await of.query<{ shape: string }>(
    `SELECT replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON ') AS shape
     FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid AND NOT t.relispartition
     WHERE t.relnamespace = 'public'::regnamespace AND t.relname <> '_prisma_migrations' ORDER BY 1`,
  );
  return { columns: columns.rows.map((row) => row.shape), indexes: indexes.rows.map((row) => row.shape) };
}

async function withClient<T>(url: string, use: (client: Client) => Promise<T>): Promise<T> {
  const own = new Client({ connectionString: url });
  await own.connect();
  try {
    return await use(own);
  } finally {
    await own.end();
  }
}
