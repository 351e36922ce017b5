import type { Client } from '../connection/database.ts';
import { statementFrom } from '../connection/statement/statement.ts';

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

const readTables = statementFrom<HistoryTable>('database:cleanup/history_tables');

const readDropped = statementFrom<DroppedItem>('database:cleanup/history_dropped');

/** The history tables, largest first. */
export function historyTables(client: Client): Promise<HistoryTable[]> {
  return readTables(client, []);
}

/** The daily tables that were dropped last. */
export function droppedPartitions(client: Client, limit: number): Promise<DroppedItem[]> {
  return readDropped(client, [limit]);
}
