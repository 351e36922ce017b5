import type { Pool, PoolClient } from 'pg';
import { advisoryLocks } from '../connection/locks/advisory-locks.ts';
import type { Client } from '../connection/database.ts';
import { oneAtATime } from '../connection/locks/one-at-a-time.ts';
import { isLent } from '../connection/lent-client.ts';
import { boundsOf, dayMs, partitioned, partitionName, type PartitionedTable } from '../schema/partitions.ts';
import { openCalloutsOf, reasonsToKeep, type HistoryKind } from './still-needed.ts';
import { statementFrom } from '../connection/statement/statement.ts';

const readDailyTables = statementFrom<{ name: string; state: OldTable['state'] }>(
  'database:cleanup/retention_read_daily_tables',
);

/** Days for which history is kept; 0: for ever. */
export type Retention = Readonly<Record<HistoryKind, number>>;

/** A day past its retention with rows in use. */
export interface KeptDay {
  /** The day's first partition, such as `callouts_20260131`. */
  partition: string;
  /** The reasons why it is still needed. */
  because: string[];
}

export interface RetentionRound {
  now: Date;
  /** Checked between two days. */
  isStopping?: () => boolean;
}

export interface RetentionResult {
  dropped: string[];
  kept: KeptDay[];
  /** Partitions that were in use for too long: a later round drops them. */
  postponed: string[];
}

/**
 * The tables of each kind. The first table is the gate: a redelivery needs a row there to reopen a callout of the day.
 * So the gate is detached first, and the rest only when no callout of the day was reopened before.
 */
const tablesOf = {
  callouts: ['callouts', 'callout_bodies', 'attempts'],
  events: ['events', 'event_matches'],
  errorLogs: ['webhook_event_error_logs'],
} as const satisfies Record<HistoryKind, readonly PartitionedTable['table'][]>;

const kinds = ['callouts', 'events', 'errorLogs'] as const satisfies readonly HistoryKind[];

/** How long to wait for transactions that use a partition. */
const patience = { lock_timeout: '2s', statement_timeout: '15s' };
/** A shorter wait, while writers and readers wait behind it. */
const impatience = '200ms';
/** Codes of PostgreSQL: lock_timeout, statement_timeout, and another partition of the table is half detached. */
const tryAgainLater: readonly unknown[] = ['55P03', '57014', '55000'];

/**
 * Drops the partitions of days whose last row is older than the retention, except days with open work. Writers and
 * readers of the tables are never blocked: a partition is detached concurrently, which waits for the transactions that
 * use the table and lets new ones pass. Behind a long transaction, such as a backup, the work stops after seconds and
 * continues in a later round.
 * @returns null when another process is doing this.
 */
export async function dropOldPartitions(
  pool: Pool,
  retention: Retention,
  { now, isStopping = () => false }: RetentionRound,
): Promise<RetentionResult | null> {
  return oneAtATime(pool, { lock: advisoryLocks.dropHistory, settings: patience }, async (client) => {
    const result: RetentionResult = { dropped: [], kept: [], postponed: [] };
    const days = await oldDays(client, retention, now);
    // A table can have one half-detached partition at a time, which must be completed first.
    const begunFirst = days.toSorted((a, b) => Number(b.tables.some(isBegun)) - Number(a.tables.some(isBegun)));
    for (const old of begunFirst) {
      if (isStopping()) break;
      await dropDay(client, old, result);
    }
    return result;
  });
}

/** The days that are past their retention and kept because work of theirs is still open. */
export async function keptDays(client: Client, retention: Retention, now: Date): Promise<KeptDay[]> {
  const kept: KeptDay[] = [];
  for (const { kind, day, tables } of await oldDays(client, retention, now)) {
    const because = await reasonsToKeep(client, kind, day);
    const [first] = tables;
    if (because.length > 0 && first !== undefined) kept.push({ partition: first.name, because });
  }
  return kept;
}

interface OldTable {
  parent: PartitionedTable;
  name: string;
  state: 'attached' | 'detaching' | 'detached';
}

interface OldDay {
  kind: HistoryKind;
  day: Date;
  /** The remaining tables of the day, in the order in which they are dropped. */
  tables: OldTable[];
}

/** Found by name and not by attachment: an interrupted round leaves detached partitions. */
async function oldDays(client: Client, retention: Retention, now: Date): Promise<OldDay[]> {
  const rows = await readDailyTables(client, []);
  const states = new Map(rows.map(({ name, state }) => [name, state]));
  const days = new Set(rows.map(({ name }) => name.slice(-8)));
  return [...days].flatMap((digits) => {
    const day = new Date(`${digits.slice(0, 4)}-${digits.slice(4, 6)}-${digits.slice(6)}T00:00:00Z`);
    return kinds.flatMap((kind) => {
      const tables = tablesOf[kind].flatMap((table): OldTable[] => {
        const parent = partitioned.find((one) => one.table === table);
        const name = partitionName(table, day);
        const state = states.get(name);
        return parent === undefined || state === undefined ? [] : [{ parent, name, state }];
      });
      const keepMs = retention[kind] * dayMs;
      // A callout of the next day may need an event of the day for its body.
      const lastDayMs = day.getTime() + (kind === 'events' ? 2 : 1) * dayMs;
      const isOld = keepMs > 0 && lastDayMs <= now.getTime() - keepMs;
      return tables.length > 0 && (isOld || tables.some(isBegun)) ? [{ kind, day, tables }] : [];
    });
  });
}

/** A day that was started is completed, even if the retention is longer now: queries no longer see the rows. */
function isBegun({ state }: OldTable): boolean {
  return state !== 'attached';
}

async function dropDay(client: PoolClient, { kind, day, tables }: OldDay, result: RetentionResult): Promise<void> {
  const [gate, ...dependentTables] = tables;
  if (gate === undefined) return;
  const because = await reasonsToKeep(client, kind, day);
  if (because.length > 0 && gate.state === 'attached') {
    result.kept.push({ partition: gate.name, because });
    return;
  }
  if (!(await detach(client, gate))) {
    result.postponed.push(gate.name);
    return;
  }
  // Transactions that reopened callouts of the day have committed by now, and no new transaction can reopen any.
  const opened = kind === 'callouts' ? await openCalloutsOf(client, day) : [];
  if (opened.length > 0) {
    await client.query(
      `ALTER TABLE "${gate.parent.table}" ATTACH PARTITION "${gate.name}" ${boundsOf(gate.parent, day)}`,
    );
    result.kept.push({ partition: gate.name, because: opened });
    return;
  }
  // The gate last: after an interruption, a later round begins with the gate.
  for (const table of [...dependentTables, gate]) {
    const isDetached = table === gate || (await detach(client, table));
    const isDropped = isDetached && (await patiently(client, dropAndNote(table.name)));
    (isDropped ? result.dropped : result.postponed).push(table.name);
  }
}

/**
 * Several statements in one text are a single transaction. After a restore a day can be dropped again; the earlier
 * entry does not matter.
 */
function dropAndNote(name: string): string {
  return `DROP TABLE "${name}";
    INSERT INTO dropped_partitions (name) VALUES ('${name}') ON CONFLICT (name) DO UPDATE SET dropped_at = now();
    DELETE FROM dropped_partitions WHERE dropped_at < now() - interval '1 year'`;
}

/** @returns false when the table is in use for too long; it may then be half detached, which `FINALIZE` completes. */
async function detach(client: PoolClient, { parent, name, state }: OldTable): Promise<boolean> {
  if (state === 'detached') return true;
  const command = `ALTER TABLE "${parent.table}" DETACH PARTITION "${name}"`;
  if (state === 'detaching') return patiently(client, `${command} FINALIZE`);
  // Settings of a lent session need a transaction, in which nothing can be detached concurrently. Transactions then
  // wait for the lock, so the wait must be short.
  if (isLent(client)) return patiently(client, `SET LOCAL lock_timeout = '${impatience}'; ${command}`);
  return patiently(client, `${command} CONCURRENTLY`);
}

/** Returns false when another transaction, such as a backup, blocks the command for too long. */
async function patiently(client: PoolClient, command: string): Promise<boolean> {
  try {
    await client.query(command);
    return true;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (tryAgainLater.includes(code)) return false;
    throw error;
  }
}
