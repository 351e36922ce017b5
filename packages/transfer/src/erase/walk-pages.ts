import { DatabaseError, type PoolClient } from 'pg';
import { statementFrom } from '@callout/database/connection/statement/statement';

const readPages = statementFrom<{ pages: number }>('transfer:erase/erase_read_pages');

/** Pages of 8 KiB that a transaction looks through: tens of thousands of rows at most. */
const pagesPerTransaction = 256;

/** A table to walk through. Names come from the catalogue of PostgreSQL and this code, never from a request. */
export interface WalkedTable {
  readonly name: string;
  /** Deletes the rows that belong to rows of a part, before the part itself. */
  readonly deleteFirst?: (client: PoolClient, ids: readonly string[]) => Promise<void>;
}

/**
 * Deletes a tenant's rows of a table by going through the pages, some in each transaction: without an index, and in the
 * time of reading the table once, for any number of rows.
 * @returns the number of deleted rows; null when the work had to stop before the end.
 */
export async function walkPages(
  client: PoolClient,
  { name, deleteFirst }: WalkedTable,
  tenantId: number,
  isStopping: () => boolean,
): Promise<number | null> {
  const rows = await readPages(client, [`"${name}"`]);
  // A table that was dropped meanwhile has no size.
  const pages = rows[0]?.pages ?? 0;
  let deleted = 0;
  for (let from = 0; from < pages; from += pagesPerTransaction) {
    if (isStopping()) return null;
    const part = [tenantId, `(${from},0)`, `(${from + pagesPerTransaction},0)`];
    deleted += await inTransactionOf(client, async () => {
      // An index on the tenant would be read from the beginning for each part.
      await client.query(byPages);
      if (deleteFirst !== undefined) {
        const parents = await client.query<{ id: string }>(
          `SELECT id FROM "${name}" WHERE tenant_id = $1 AND ctid >= $2::tid AND ctid < $3::tid`,
          part,
        );
        await client.query(byKeys);
        await deleteFirst(
          client,
          parents.rows.map(({ id }) => id),
        );
        await client.query(byPages);
      }
      const { rowCount } = await client.query(
        `DELETE FROM "${name}" WHERE tenant_id = $1 AND ctid >= $2::tid AND ctid < $3::tid`,
        part,
      );
      return rowCount ?? 0;
    });
  }
  return deleted;
}

const byPages =
  'SET LOCAL enable_indexscan = off; SET LOCAL enable_indexonlyscan = off; SET LOCAL enable_bitmapscan = off';
const byKeys = 'SET LOCAL enable_indexscan = on';

/** PostgreSQL's codes for a conflict with another transaction. */
const tryAgain: ReadonlySet<string | undefined> = new Set(['40P01', '40001', '55P03']);
const mostTries = 5;

/**
 * Runs work in a transaction of an open connection, and again after a deadlock: requests in flight when a tenant is
 * deleted lock in an order of their own.
 */
export async function inTransactionOf<T>(client: PoolClient, work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      await client.query('BEGIN');
      const result = await work();
      await client.query('COMMIT');
      return result;
    } catch (error) {
      await client.query('ROLLBACK');
      if (!(error instanceof DatabaseError && tryAgain.has(error.code)) || tries >= mostTries) throw error;
    }
  }
}
