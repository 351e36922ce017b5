import type { Pool, PoolClient } from 'pg';
import { advisoryLocks } from '../connection/advisory-locks.ts';
import type { Client } from '../connection/database.ts';
import { oneAtATime } from '../connection/one-at-a-time.ts';
import { boundsOf, dayMs, partitioned, partitionName, type PartitionedTable } from '../schema/partitions.ts';
import { openCalloutsOf, reasonsToKeep, type HistoryKind } from '../deactivate/still-needed.ts';

/** Days that history is kept; 0: for ever. */
export type Retention = Readonly<Record<HistoryKind, number>>;

/** A day that is past its retention and kept all the same. */
export interface KeptDay {
  /** The day's first partition, such as `callouts_20260131`. */
  partition: string;
  /** What still needs it, in words. */
  because: string[];
}

export interface RetentionRound {
  now: Date;
  /** Asked between two days. */
  isStopping?: () => boolean;
}

export interface RetentionResult {
  dropped: string[];
  kept: KeptDay[];
  /** Partitions that somebody was using for so long that they are dropped in a later round. */
  postponed: string[];
}

/**
 * The tables of each kind. The first is the gate: whoever opens a callout of that day again must find it there, so it goes
 * first, and the others only when nobody got through before it was closed.
 */
const tablesOf = {
  callouts: ['callouts', 'callout_bodies', 'attempts'],
  events: ['events', 'event_matches'],
  errorLogs: ['webhook_event_error_logs'],
} as const satisfies Record<HistoryKind, readonly PartitionedTable['table'][]>;

const kinds = ['callouts', 'events', 'errorLogs'] as const satisfies readonly HistoryKind[];

/** How long a partition waits for those who use it. */
const patience = { lock_timeout: '2s', statement_timeout: '15s' };
/** Codes of PostgreSQL: lock_timeout, statement_timeout, and another partition of the table is half detached. */
const tryAgainLater: readonly unknown[] = ['55P03', '57014', '55000'];

/**
 * Drops the partitions of days whose last row is older than its retention, and keeps those that hold what is still owed.
 * Writers and readers of the tables are never locked out: a partition is detached concurrently, which waits for those who
 * use the table and lets everybody else pass. Behind a long transaction, such as a backup, it gives up after seconds and
 * goes on in a later round.
 * @returns null when another process is at it.
 */
export async function dropOldPartitions(
  pool: Pool,
  retention: Retention,
  { now, isStopping = () => false }: RetentionRound,
): Promise<RetentionResult | null> {
  return oneAtATime(pool, { lock: advisoryLocks.dropHistory, settings: patience }, async (client) => {
    const result: RetentionResult = { dropped: [], kept: [], postponed: [] };
    const days = await oldDays(client, retention, now);
    // A table can have one partition that is half detached: as long as it does, no other can be.
    const begunFirst = days.toSorted((a, b) => Number(b.tables.some(isBegun)) - Number(a.tables.some(isBegun)));
    for (const old of begunFirst) {
      if (isStopping()) break;
      await dropDay(client, old, result);
    }
    return result;
  });
}

/** The days that are past their retention and kept because something of them is still owed. */
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
  /** Those that are left of it, in the order in which they go. */
  tables: OldTable[];
}

/** By name, not by what is attached: what a round that was cut short has detached must be found again. */
async function oldDays(client: Client, retention: Retention, now: Date): Promise<OldDay[]> {
  const { rows } = await client.query<{ name: string; state: OldTable['state'] }>(
    `SELECT c.relname AS name, CASE WHEN i.inhrelid IS NULL THEN 'detached' WHEN i.inhdetachpending THEN 'detaching'
       ELSE 'attached' END AS state
     FROM pg_class c LEFT JOIN pg_inherits i ON i.inhrelid = c.oid
     WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND c.relname ~ '_[0-9]{8}$'
     ORDER BY right(c.relname, 8)`,
  );
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
      const isOld = keepMs > 0 && day.getTime() + dayMs <= now.getTime() - keepMs;
      return tables.length > 0 && (isOld || tables.some(isBegun)) ? [{ kind, day, tables }] : [];
    });
  });
}

/** What was begun is ended, also when the retention has become longer since: its rows can be seen by nobody any more. */
function isBegun({ state }: OldTable): boolean {
  return state !== 'attached';
}

async function dropDay(client: PoolClient, { kind, day, tables }: OldDay, result: RetentionResult): Promise<void> {
  const [gate, ...others] = tables;
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
  // Whoever opened a callout of this day again has committed by now, and nobody can any more.
  const opened = kind === 'callouts' ? await openCalloutsOf(client, day) : [];
  if (opened.length > 0) {
    await client.query(
      `ALTER TABLE "${gate.parent.table}" ATTACH PARTITION "${gate.name}" ${boundsOf(gate.parent, day)}`,
    );
    result.kept.push({ partition: gate.name, because: opened });
    return;
  }
  // The gate last: it is what a later round begins with, should this one be cut short.
  for (const table of [...others, gate]) {
    const isDetached = table === gate || (await detach(client, table));
    const isDropped = isDetached && (await patiently(client, `DROP TABLE "${table.name}"`));
    (isDropped ? result.dropped : result.postponed).push(table.name);
  }
}

/** @returns false when somebody uses the table for too long; it may then be half detached, which `FINALIZE` ends. */
async function detach(client: PoolClient, { parent, name, state }: OldTable): Promise<boolean> {
  if (state === 'detached') return true;
  const how = state === 'detaching' ? 'FINALIZE' : 'CONCURRENTLY';
  return patiently(client, `ALTER TABLE "${parent.table}" DETACH PARTITION "${name}" ${how}`);
}

/** Returns false when others stand in the way for too long, such as a backup. */
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
