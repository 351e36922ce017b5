import type { Client } from '../connection/database.ts';
import { statement } from '../connection/statement/statement.ts';

/** The daily tables of one kind. */
export interface HistoryTable {
  readonly table: string;
  /** Number of days with a table, including future ones. */
  readonly days: number;
  /** The oldest day; null when there is none. */
  readonly oldestDay: string | null;
  readonly bytes: number;
  /** An estimate of PostgreSQL. */
  readonly rows: number;
}

/** A daily table that was dropped. */
export interface DroppedItem {
  readonly name: string;
  readonly dropDateTime: Date;
}

const readTables = statement<HistoryTable>(
  'history_tables',
  `SELECT p.relname AS table, count(*) AS days, to_char(to_date(min(right(c.relname, 8)), 'YYYYMMDD'), 'YYYY-MM-DD') AS "oldestDay",
     sum(pg_total_relation_size(c.oid))::float8 AS bytes, sum(greatest(c.reltuples, 0))::float8 AS rows
   FROM pg_inherits i JOIN pg_class p ON p.oid = i.inhparent JOIN pg_class c ON c.oid = i.inhrelid
   WHERE p.relnamespace = quote_ident(current_schema())::regnamespace AND p.relkind = 'p' AND c.relname ~ '_[0-9]{8}$'
   GROUP BY p.relname ORDER BY bytes DESC`,
);

const readDropped = statement<DroppedItem>(
  'history_dropped',
  'SELECT name, dropped_at AS "dropDateTime" FROM dropped_partitions ORDER BY dropped_at DESC, name LIMIT $1',
);

/** The history tables, largest first. */
export function historyTables(client: Client): Promise<HistoryTable[]> {
  return readTables(client, []);
}

/** The daily tables that were dropped last. */
export function droppedPartitions(client: Client, limit: number): Promise<DroppedItem[]> {
  return readDropped(client, [limit]);
}
