import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, DatabaseError } from 'pg';
import { checkServer } from '../connection/database.ts';
import { DatabaseClient } from '../connection/database-client.ts';
import { findSessions } from '../connection/find-sessions.ts';
import { planLimits } from '../connection/statement/plan-settings.ts';
import { applyBounds } from '../connection/time-bounds.ts';
import { type DatabaseWait, waitForDatabase } from '../connection/wait-for-database.ts';
import { ensurePartitions, missingPartitions } from './partitions.ts';
import { advisoryLocks } from '../connection/locks/advisory-locks.ts';
import { holdLentLock } from '../connection/locks/lent-lock.ts';

const migrationsDir = path.resolve(import.meta.dirname, '../../../../prisma/migrations');

/** The wait for the database is the wait of `waitForDatabase`; `log` also gets each warning, one line each. */
export interface MigrationOptions extends DatabaseWait {
  /** The folder of the migrations; the project's own by default. */
  directory?: string;
}

/**
 * Applies the migrations that a database lacks, and makes the partitions. Records them in `_prisma_migrations` as
 * `prisma migrate deploy` does, so either tool can continue after the other. Safe when several processes start at once:
 * each waits for the others. A migration and its record are one transaction: a failed migration, or a killed process,
 * leaves nothing behind, and the next start tries again.
 * @returns the names of the migrations applied, oldest first.
 * @throws when a migration fails, or failed half-way under `prisma migrate deploy`; when the database has a migration
 * with another text, or older than the first migration here, since the tables then belong to another version; and when
 * the database cannot be used as reached. The message names the migration and what to do. After an error, only
 * migrations before the failed migration were applied.
 */
export async function applyMigrations(databaseUrl: string, options: MigrationOptions = {}): Promise<string[]> {
  return waitForDatabase(() => migrate(databaseUrl, options), options);
}

async function migrate(databaseUrl: string, options: MigrationOptions): Promise<string[]> {
  const { areOwn, keepStatements, schema } = await findSessions(databaseUrl);
  if (!keepStatements) options.log?.(planningAgain);
  const connect = async (): Promise<Client> => {
    const client = new DatabaseClient({ connectionString: databaseUrl, connectionTimeoutMillis: connectPatienceMs });
    // The next statement on the broken connection fails, and reports the error.
    client.on('error', () => undefined);
    await client.connect();
    if (areOwn) await applyBounds(client, { ...planLimits, ...schema.settings });
    return client;
  };
  const client = await connect();
  try {
    await checkServer(client);
    const release = await lockMigrations(client, { ...options, connect, isOwn: areOwn });
    try {
      const applied = await applyMissing(client, options);
      await makePartitions(client, options);
      return applied;
    } finally {
      await release();
    }
  } finally {
    await client.end();
  }
}

const planningAgain =
  'the connection pooler in front of PostgreSQL keeps no prepared statements, so each statement is planned again whenever it runs: PgBouncer 1.21 and newer keeps them with max_prepared_statements = 200';

/** For a host that drops packets; without a limit a connection attempt lasts for minutes. */
const connectPatienceMs = 5_000;

/** A week ahead is created; only today and tomorrow are required. */
async function makePartitions(client: Client, { log }: MigrationOptions): Promise<void> {
  const now = new Date();
  try {
    await ensurePartitions(client, now);
  } catch (error) {
    if ((await missingPartitions(client, now)).length > 0) throw error;
    log?.(`partitions for the week ahead could not be made yet: ${error instanceof Error ? error.message : 'unknown'}`);
  }
}

async function applyMissing(client: Client, options: MigrationOptions): Promise<string[]> {
  const directory = options.directory ?? migrationsDir;
  await client.query(`CREATE TABLE IF NOT EXISTS _prisma_migrations (
    id VARCHAR(36) PRIMARY KEY NOT NULL, checksum VARCHAR(64) NOT NULL, finished_at TIMESTAMPTZ,
    migration_name VARCHAR(255) NOT NULL, logs TEXT, rolled_back_at TIMESTAMPTZ,
    started_at TIMESTAMPTZ NOT NULL DEFAULT now(), applied_steps_count INTEGER NOT NULL DEFAULT 0)`);
  const { rows } = await client.query<{ migration_name: string; checksum: string; finished_at: Date | null }>(
    'SELECT migration_name, checksum, finished_at FROM _prisma_migrations WHERE rolled_back_at IS NULL',
  );
  const failed = rows.find((row) => row.finished_at === null);
  if (failed) {
    throw new Error(
      `migration ${failed.migration_name} was left half done by another tool: undo what there is of it, then run DELETE FROM _prisma_migrations WHERE finished_at IS NULL`,
    );
  }
  const names = (await readdir(directory, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .toSorted();
  const [baseline = ''] = names;
  if (rows.some((row) => row.migration_name < baseline)) {
    throw new Error(
      'the database was made by Callout 0.3 or older, whose tables this version does not read: name an empty database in DATABASE_URL, or go on with the version that made it',
    );
  }
  const recorded = new Map(rows.map((row) => [row.migration_name, row.checksum]));
  const migrations = await Promise.all(names.map((name) => readMigration(directory, name)));
  const different = migrations.find(({ name, checksum }) => recorded.has(name) && recorded.get(name) !== checksum);
  if (different) {
    throw new Error(
      `the database was made by another version of migration ${different.name}, from before a release, and cannot be upgraded: use an empty database`,
    );
  }
  const unknown = [...recorded.keys()].filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    options.log?.(`the database was migrated by a newer version of Callout, which has ${unknown.join(', ')}`);
  }
  const missing = migrations.filter(({ name }) => !recorded.has(name));
  for (const migration of missing) await applyOne(client, migration, options);
  return missing.map(({ name }) => name);
}

async function readMigration(directory: string, name: string): Promise<Migration> {
  const sql = await readFile(path.join(directory, name, 'migration.sql'));
  return { name, sql: sql.toString(), checksum: createHash('sha256').update(sql).digest('hex') };
}

/**
 * How long a migration waits for a lock on a table. Later transactions wait as well, and an earlier transaction, such
 * as a backup, may take hours. Less than `deadlock_timeout` (1 s), so a deadlock ends the migration and never the work
 * of others.
 */
const lockPatience = '500ms';
const pauseMs = 1_000;
/** PostgreSQL: lock_not_available and deadlock_detected. */
const blockedCodes: readonly unknown[] = ['55P03', '40P01'];

interface Migration {
  name: string;
  sql: string;
  checksum: string;
}

async function applyOne(client: Client, migration: Migration, { log }: MigrationOptions): Promise<void> {
  for (let tries = 1; !(await tryToApply(client, migration)); tries += 1) {
    if (tries === 1) log?.(`migration ${migration.name} waits for the lock of a table that others use`);
    await sleep(pauseMs);
  }
}

/** Returns false when another transaction blocks the migration, and then has changed nothing. */
async function tryToApply(client: Client, { name, sql, checksum }: Migration): Promise<boolean> {
  try {
    await client.query(`BEGIN; SET LOCAL lock_timeout = '${lockPatience}'`);
    await client.query(sql);
    await client.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
       VALUES ($1, $2, $3, clock_timestamp(), 1)`,
      [randomUUID(), checksum, name],
    );
    await client.query('COMMIT');
    return true;
  } catch (cause) {
    if (cause instanceof DatabaseError && blockedCodes.includes(cause.code)) {
      await client.query('ROLLBACK');
      return false;
    }
    // The connection is closed after this, which rolls back.
    throw new Error(`migration ${name}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

interface LockOptions {
  /** Receives each warning, one line each. */
  readonly log?: (line: string) => void;
  /** Opens another connection to the database, for lent sessions. */
  readonly connect: () => Promise<Client>;
  /** Whether the connection has its own session. */
  readonly isOwn: boolean;
}

/**
 * Waits until no other process migrates the database, and excludes others until the release. A waiting process does not
 * even respond to probes yet, and therefore logs the reason.
 * @returns the function for the release.
 */
async function lockMigrations(client: Client, { log, connect, isOwn }: LockOptions): Promise<() => Promise<void>> {
  const logWaiting = () => log?.('another process is migrating this database: waiting until it is done');
  if (isOwn) {
    const { rows } = await client.query<{ isLocked: boolean }>(
      `SELECT pg_try_advisory_lock(${advisoryLocks.migrate}) AS "isLocked"`,
    );
    if (rows[0]?.isLocked !== true) {
      logWaiting();
      await client.query(`SELECT pg_advisory_lock(${advisoryLocks.migrate})`);
    }
    // It ends with the connection.
    return async () => undefined;
  }
  const holder = await connect();
  try {
    if ((await holdLentLock(holder, advisoryLocks.migrate, { isPatient: false })) === undefined) {
      logWaiting();
      await holdLentLock(holder, advisoryLocks.migrate, { isPatient: true });
    }
  } catch (error) {
    await holder.end();
    throw error;
  }
  // Closing it rolls back the transaction with the lock.
  return () => holder.end();
}
