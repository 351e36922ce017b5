import { Client, DatabaseError } from 'pg';

/** What the server has counted so far. */
export interface PostgresCounters {
  /** Statements of this database, BEGIN and COMMIT among them; undefined without pg_stat_statements. */
  readonly statements: number | undefined;
  /** Transactions of the whole server that wrote something: each waits for one flush of the log, or shares one. */
  readonly writeTransactions: number;
  /** Bytes of write-ahead log of the whole server. */
  readonly walBytes: number;
}

export interface PostgresObserver {
  counters(): Promise<PostgresCounters>;
  /** Events not matched and callouts not ended. */
  owed(): Promise<number>;
  /** The statements that took most time, one line each; undefined without pg_stat_statements. */
  costliestStatements(): Promise<string[] | undefined>;
  close(): Promise<void>;
}

/** Stands in front of our own statements, so that they are not counted. */
const OURS = '/* bench */';

/** Watches the database of a run over a connection of its own. */
export async function observePostgres(url: string): Promise<PostgresObserver> {
  const client = new Client({ connectionString: url, application_name: 'callout-bench' });
  await client.connect();
  const hasStatements = await canCountStatements(client);

  async function numbers<Name extends string>(sql: string): Promise<Record<Name, number>> {
    const { rows } = await client.query<Record<Name, string>>(`${OURS} ${sql}`);
    const entries = Object.entries<string>(rows[0] ?? {}).map(([name, value]) => [name, Number(value)] as const);
    return Object.fromEntries(entries) as Record<Name, number>;
  }

  return {
    async counters() {
      // pg_stat_database would be late by up to ten seconds: each server process adds its counts only now and then.
      const { xid, wal } = await numbers<'xid' | 'wal'>(
        `SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS xid, pg_current_wal_insert_lsn() - '0/0' AS wal`,
      );
      const statements = hasStatements
        ? (await numbers<'calls'>(`SELECT coalesce(sum(calls), 0) AS calls ${statementsHere}`)).calls
        : undefined;
      return { statements, writeTransactions: xid, walBytes: wal };
    },
    async owed() {
      const { events, callouts } = await numbers<'events' | 'callouts'>(
        'SELECT (SELECT count(*) FROM pending_events) AS events, (SELECT count(*) FROM open_callouts) AS callouts',
      );
      return events + callouts;
    },
    async costliestStatements() {
      if (!hasStatements) return undefined;
      const { rows } = await client.query<{ line: string }>(
        `${OURS} SELECT format('%s ms  %s calls  %s rows  %s blocks  %s log bytes  %s', round(total_exec_time), calls, rows,
           shared_blks_hit + shared_blks_read, wal_bytes, regexp_replace(query, '\\s+', ' ', 'g')) AS line
         ${statementsHere} ORDER BY total_exec_time DESC LIMIT 40`,
      );
      return rows.map(({ line }) => line);
    },
    close: () => client.end(),
  };
}

const statementsHere = `FROM pg_stat_statements
  WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database()) AND NOT starts_with(query, '${OURS}')`;

/** Only a superuser may add it, and the server must have been started with it. */
async function canCountStatements(client: Client): Promise<boolean> {
  try {
    await client.query('CREATE EXTENSION IF NOT EXISTS pg_stat_statements');
    await client.query('SELECT 1 FROM pg_stat_statements LIMIT 1');
    return true;
  } catch (error) {
    if (error instanceof DatabaseError) return false;
    throw error;
  }
}
