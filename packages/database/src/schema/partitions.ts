import { advisoryLocks } from '../connection/locks/advisory-locks.ts';
import type { Client } from '../connection/database.ts';
import { lowestIdAt } from './ids.ts';

/** The lowest id of a moment, as SQL: a UUID of version 7, or a number that counts microseconds. */
const lowestUuid = (moment: Date): string => `'${lowestIdAt(moment)}'`;
const lowestNumber = (moment: Date): string => String(moment.getTime() * 1000);

/** The history tables, and how full their pages are filled: a callout is updated once, in place, and needs space. */
export const partitioned = [
  { table: 'events', fillfactor: 100, lowestAt: lowestUuid },
  { table: 'event_matches', fillfactor: 100, lowestAt: lowestUuid },
  { table: 'callouts', fillfactor: 70, lowestAt: lowestUuid },
  { table: 'callout_bodies', fillfactor: 100, lowestAt: lowestUuid },
  { table: 'attempts', fillfactor: 100, lowestAt: lowestUuid },
  { table: 'webhook_event_error_logs', fillfactor: 100, lowestAt: lowestNumber },
] as const;

export type PartitionedTable = (typeof partitioned)[number];
type Partition = PartitionedTable & { day: Date };

const daysAhead = 7;
export const dayMs = 86_400_000;

/** Midnight UTC of the day `days` after the one of `now`. */
function dayStart(now: Date, days: number): Date {
  return new Date(Math.floor(now.getTime() / dayMs) * dayMs + days * dayMs);
}

/** The name of the partition of a day: `callouts_20260131`. */
export function partitionName(table: string, day: Date): string {
  return `${table}_${day.toISOString().slice(0, 10).replaceAll('-', '')}`;
}

/**
 * Creates the daily partitions of every history table from yesterday (ids come from the clocks of several machines) to
 * a week ahead. Called at start and by the sweep; without a partition for today nothing can be accepted.
 * @returns the names of the created ones.
 */
export async function ensurePartitions(client: Client, now: Date): Promise<string[]> {
  const wanted = partitioned.flatMap((parent) =>
    Array.from({ length: daysAhead + 2 }, (_, i) => ({ ...parent, day: dayStart(now, i - 1) })),
  );
  return makeMissing(client, wanted);
}

/** Creates the daily partitions of certain days, for history that comes from another database. */
export async function ensureDays(client: Client, days: readonly Date[]): Promise<string[]> {
  return makeMissing(
    client,
    partitioned.flatMap((parent) => days.map((day) => ({ ...parent, day }))),
  );
}

async function makeMissing(client: Client, wanted: Partition[]): Promise<string[]> {
  const missing = await missingOf(client, wanted);
  if (missing.length === 0) return [];
  for (const { table } of partitioned) {
    const days = missing.filter((partition) => partition.table === table);
    if (days.length > 0) await client.query(scriptFor(days));
  }
  return missing.map(({ table, day }) => partitionName(table, day));
}

/**
 * A script is one transaction. A partition is created beside its parent and then attached, which blocks neither readers
 * nor writers: creating it as a partition at once would wait for the longest reader, with later readers behind. Whether
 * it exists is looked up in the system catalogue: a failed look-up of a name may be cached.
 */
function scriptFor(partitions: readonly Partition[]): string {
  const make = partitions.map((partition) => {
    const { table, fillfactor, day } = partition;
    const name = partitionName(table, day);
    return `DO $$ BEGIN
      IF NOT EXISTS (SELECT FROM pg_class WHERE relname = '${name}' AND relnamespace = quote_ident(current_schema())::regnamespace) THEN
        CREATE TABLE "${name}" (LIKE "${table}" INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE INCLUDING COMPRESSION)
          WITH (fillfactor = ${fillfactor});
        ALTER TABLE "${table}" ATTACH PARTITION "${name}" ${boundsOf(partition, day)};
      END IF;
    END $$;`;
  });
  // Processes that start together do not create a partition twice.
  return `SELECT pg_advisory_xact_lock(${advisoryLocks.makePartitions});\nSET LOCAL lock_timeout = '2s';\n${make.join('\n')}`;
}

/** The ids of a day, as the bounds of its partition. */
export function boundsOf({ lowestAt }: Pick<PartitionedTable, 'lowestAt'>, day: Date): string {
  return `FOR VALUES FROM (${lowestAt(day)}) TO (${lowestAt(new Date(day.getTime() + dayMs))})`;
}

/** The missing ones of the partitions for today's and tomorrow's work: readiness fails when there is one. */
export async function missingPartitions(client: Client, now: Date): Promise<string[]> {
  const wanted = partitioned.flatMap((parent) => [0, 1].map((days) => ({ ...parent, day: dayStart(now, days) })));
  const missing = await missingOf(client, wanted);
  return missing.map(({ table, day }) => partitionName(table, day));
}

async function missingOf<T extends { table: string; day: Date }>(client: Client, wanted: T[]): Promise<T[]> {
  const names = wanted.map(({ table, day }) => partitionName(table, day));
  // A table that a migration has yet to create has no missing partitions.
  const { rows } = await client.query<{ name: string }>(
    `SELECT w.name FROM unnest($1::text[], $2::text[]) AS w (name, parent)
     JOIN pg_partitioned_table p ON p.partrelid = to_regclass(quote_ident(w.parent))
     WHERE to_regclass(quote_ident(w.name)) IS NULL`,
    [names, wanted.map(({ table }) => table)],
  );
  const absent = new Set(rows.map((row) => row.name));
  return wanted.filter(({ table, day }) => absent.has(partitionName(table, day)));
}
