import type { Client } from 'pg';

/**
 * Seeded partitions are unlogged and not vacuumed. Those that a run writes to must be as an installation has them; of the
 * others only reading and dropping is measured, which costs the same.
 * @param last a day of theirs.
 */
export async function wakePartitions(client: Client, last: Date): Promise<void> {
  const { rows } = await client.query<{ name: string; isWritten: boolean }>(
    `SELECT c.relname AS name, c.relpersistence = 'u' AND right(c.relname, 8) >= $1 AS "isWritten"
     FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE c.relkind = 'r'`,
    [new Date(last.getTime() - LATEST_MS).toISOString().slice(0, 10).replaceAll('-', '')],
  );
  for (const { name, isWritten } of rows) {
    await client.query(`ALTER TABLE "${name}" RESET (autovacuum_enabled)`);
    if (isWritten) await client.query(`ALTER TABLE "${name}" SET LOGGED`);
  }
}

/** Around midnight attempts are of the next day. */
const LATEST_MS = 3_600_000;
