import { withClient } from '../services/bench-database.ts';

export interface Blocks {
  /** Of the buffers and of the disk. */
  readonly read: number;
  /** That were not in the buffers of PostgreSQL. */
  readonly missed: number;
  /** Logged whole, as each is that is changed for the first time after a checkpoint. */
  readonly logged: number;
}

/** Tells how many blocks the statements of a database have read so far; NaN without pg_stat_statements. */
export function observeBlocks(url: string): () => Promise<Blocks> {
  return () =>
    withClient(url, async (client) => {
      try {
        const { rows } = await client.query<{ read: string; missed: string; logged: string }>(
          `SELECT coalesce(sum(shared_blks_hit + shared_blks_read), 0) AS read, coalesce(sum(shared_blks_read), 0) AS missed,
             coalesce(sum(wal_fpi), 0) AS logged
           FROM pg_stat_statements WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())`,
        );
        return { read: Number(rows[0]?.read), missed: Number(rows[0]?.missed), logged: Number(rows[0]?.logged) };
      } catch {
        return { read: Number.NaN, missed: Number.NaN, logged: Number.NaN };
      }
    });
}
