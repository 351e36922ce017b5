import { Client, DatabaseError } from 'pg';

/** What the server has counted so far. The last three are NaN without pg_stat_statements. */
export interface PostgresCounters {
  /** Transactions of the whole server that wrote something: each waits for one flush of the log, or shares one. */
  readonly writeTransactions: number;
  /** Bytes of write-ahead log of the whole server. */
  readonly logBytes: number;
  /** Statements of this database, BEGIN and COMMIT among them. */
  readonly statements: number;
  /** Blocks that they read, and those of them that were not in shared_buffers. */
  readonly blocksRead: number;
  readonly blocksMissed: number;
}

export interface PostgresObserver {
  counters(): Promise<PostgresCounters>;
  /** Events not matched and callouts not ended. */
  owed(): Promise<number>;
  /** Writes a checkpoint, if our user may, and returns the bytes of all tables with TOAST and indexes. */
  tableBytes(): Promise<number>;
  /** The tables, largest first, one line each: bytes of rows with TOAST, and of indexes. Days are added up. */
  tableSizes(): Promise<string[]>;
  /** The statements that took most time, one line each; undefined without pg_stat_statements. */
  costliestStatements(): Promise<string[] | undefined>;
}

/** Ends our own statements, so that they are not counted: pg_stat_statements leaves out a comment in front. */
const OURS = '/* bench */';
/** Those of this database, ours left out. */
export const statementsHere = `FROM pg_stat_statements
  WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database()) AND query NOT LIKE '%${OURS}'`;

/** Watches the database of a run over a connection of its own. */
export async function observePostgres(
  url: string,
  onStop: (stop: () => Promise<void>) => void,
): Promise<PostgresObserver> {
  const client = new Client({ connectionString: url, application_name: 'callout-bench' });
  await client.connect();
  onStop(() => client.end());
  const hasStatements =
    (await isAllowed(() => client.query('CREATE EXTENSION IF NOT EXISTS pg_stat_statements'))) &&
    (await isAllowed(() => client.query('SELECT 1 FROM pg_stat_statements LIMIT 1')));

  async function numbers<Name extends string>(sql: string): Promise<Record<Name, number>> {
    const { rows } = await client.query<Record<Name, string>>(`${sql} ${OURS}`);
    const entries = Object.entries<string>(rows[0] ?? {}).map(([name, value]) => [name, Number(value)] as const);
    return Object.fromEntries(entries) as Record<Name, number>;
  }

  return {
    async counters() {
      // pg_stat_database would be late by up to ten seconds: each server process adds its counts only now and then.
      const { xid, log } = await numbers<'xid' | 'log'>(
        `SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS xid, pg_current_wal_insert_lsn() - '0/0' AS log`,
      );
      const counted = hasStatements
        ? await numbers<'calls' | 'read' | 'missed'>(
            `SELECT coalesce(sum(calls), 0) AS calls, coalesce(sum(shared_blks_hit + shared_blks_read), 0) AS read,
               coalesce(sum(shared_blks_read), 0) AS missed ${statementsHere}`,
          )
        : { calls: Number.NaN, read: Number.NaN, missed: Number.NaN };
      return {
        ...{ writeTransactions: xid, logBytes: log, statements: counted.calls },
        ...{ blocksRead: counted.read, blocksMissed: counted.missed },
      };
    },
    async owed() {
      const { events, callouts } = await numbers<'events' | 'callouts'>(
        'SELECT (SELECT count(*) FROM pending_events) AS events, (SELECT count(*) FROM open_callouts) AS callouts',
      );
      return events + callouts;
    },
    async tableBytes() {
      await isAllowed(() => client.query(`CHECKPOINT ${OURS}`));
      const { bytes } = await numbers<'bytes'>(
        `SELECT sum(pg_total_relation_size(oid)) AS bytes FROM pg_class
         WHERE relkind IN ('r', 'm') AND relnamespace = 'public'::regnamespace`,
      );
      return bytes;
    },
    async tableSizes() {
      const { rows } = await client.query<{ line: string }>(
        `SELECT format('%s rows  %s indexes  %s', sum(pg_table_size(c.oid)), sum(pg_indexes_size(c.oid)),
           coalesce(p.relname, c.relname)) AS line
         FROM pg_class c LEFT JOIN pg_inherits i ON i.inhrelid = c.oid LEFT JOIN pg_class p ON p.oid = i.inhparent
         WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace
         GROUP BY coalesce(p.relname, c.relname) ORDER BY sum(pg_total_relation_size(c.oid)) DESC LIMIT 15 ${OURS}`,
      );
      return rows.map(({ line }) => line);
    },
    async costliestStatements() {
      if (!hasStatements) return undefined;
      const { rows } = await client.query<{ line: string }>(
        `SELECT format('%s ms  %s calls  %s rows  %s blocks  %s log bytes  %s', round(total_exec_time), calls, rows,
           shared_blks_hit + shared_blks_read, wal_bytes, regexp_replace(query, '\\s+', ' ', 'g')) AS line
         ${statementsHere} ORDER BY total_exec_time DESC LIMIT 40 ${OURS}`,
      );
      return rows.map(({ line }) => line);
    },
  };
}

/** Runs what only some users may do, on some servers. @returns whether it was done. */
async function isAllowed(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (error instanceof DatabaseError) return false;
    throw error;
  }
}
