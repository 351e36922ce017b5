import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { Client } from 'pg';
import { withExactTls } from './exact-tls.ts';
import { ensurePartitions, missingPartitions } from './partitions.ts';

/** The lock that `prisma migrate deploy` itself takes, so that both tools wait for each other. */
const prismaMigrateLock = 72_707_369;

const migrationsDir = path.resolve(import.meta.dirname, '../../../prisma/migrations');

export interface MigrationOptions {
  /** Told each warning, one line each. */
  log?: (line: string) => void;
  /** Where the migrations lie; the project's own by default. */
  directory?: string;
}

/**
 * Applies the migrations that a database does not have yet and makes its partitions. Books them in `_prisma_migrations`
 * exactly as `prisma migrate deploy` does, so either tool can go on where the other stopped. Safe when several
 * processes start at once: they wait for one another.
 * @returns the names of the migrations applied, oldest first.
 * @throws when an earlier migration failed half-way, or this one does; the message says which and what to do.
 */
export async function applyMigrations(databaseUrl: string, options: MigrationOptions = {}): Promise<string[]> {
  const client = new Client({ connectionString: withExactTls(databaseUrl) });
  await client.connect();
  try {
    await client.query(`SELECT pg_advisory_lock(${prismaMigrateLock})`);
    const applied = await applyMissing(client, options);
    await makePartitions(client, options);
    return applied;
  } finally {
    await client.end();
  }
}

/** A week ahead is wanted; what is needed now is today and tomorrow. */
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
      `migration ${failed.migration_name} failed earlier: repair the database, then run "npx prisma migrate resolve"`,
    );
  }
  const booked = new Map(rows.map((row) => [row.migration_name, row.checksum]));
  const entries = await readdir(directory, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  const applied: string[] = [];
  for (const name of names.toSorted()) {
    const sql = await readFile(path.join(directory, name, 'migration.sql'));
    const checksum = createHash('sha256').update(sql).digest('hex');
    if (!booked.has(name)) {
      await applyOne(client, name, sql.toString(), checksum);
      applied.push(name);
    } else if (booked.get(name) !== checksum) {
      options.log?.(`migration ${name} was edited after it was applied: the database does not have the edit`);
    }
  }
  return applied;
}

async function applyOne(client: Client, name: string, sql: string, checksum: string): Promise<void> {
  const id = randomUUID();
  await client.query('INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ($1, $2, $3)', [
    id,
    checksum,
    name,
  ]);
  try {
    await client.query(sql);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    await client.query('UPDATE _prisma_migrations SET logs = $2 WHERE id = $1', [id, reason]);
    throw new Error(`migration ${name}: ${reason}`, { cause });
  }
  await client.query('UPDATE _prisma_migrations SET finished_at = now(), applied_steps_count = 1 WHERE id = $1', [id]);
}
