import { Client, DatabaseError } from 'pg';

/** What the server has counted so far. */
export interface PostgresCounters {
  /** Transactions of the whole server that wrote something: each waits for one flush of the log, or shares one. */
  readonly writeTransactions: number;
  /** Bytes of write-ahead log of the whole server. */
  readonly logBytes: number;
}

export interface PostgresObserver {
  counters(): Promise<PostgresCounters>;
  /** Events not matched and callouts not ended. */
  owed(): Promise<number>;
  /** Writes a checkpoint, if our user may, and returns the bytes of all tables with TOAST and indexes. */
  tableBytes(): Promise<number>;
}

/** Watches the database of a run over a connection of its own. */
export async function observePostgres(
  url: string,
  onStop: (stop: () => Promise<void>) => void,
): Promise<PostgresObserver> {
  const client = new Client({ connectionString: url, application_name: 'callout-bench' });
  await client.connect();
  onStop(() => client.end());
  const numbers = async (sql: string): Promise<number[]> => {
    const { rows } = await client.query<string[]>({ text: sql, rowMode: 'array' });
    return (rows[0] ?? []).map(Number);
  };
  return {
    async counters() {
      const [writeTransactions = Number.NaN, logBytes = Number.NaN] = await numbers(
        `SELECT pg_snapshot_xmax(pg_current_snapshot())::text, pg_current_wal_insert_lsn() - '0/0'`,
      );
      return { writeTransactions, logBytes };
    },
    async owed() {
      const [owed = Number.NaN] = await numbers(
        'SELECT (SELECT count(*) FROM pending_events) + (SELECT count(*) FROM open_callouts)',
      );
      return owed;
    },
    async tableBytes() {
      await client.query('CHECKPOINT').catch((error: unknown) => {
        if (!(error instanceof DatabaseError)) throw error;
      });
      const [bytes = Number.NaN] = await numbers(
        `SELECT sum(pg_total_relation_size(oid)) FROM pg_class
         WHERE relkind IN ('r', 'm') AND relnamespace = 'public'::regnamespace`,
      );
      return bytes;
    },
  };
}
