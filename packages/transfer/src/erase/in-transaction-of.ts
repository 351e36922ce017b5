import { DatabaseError, type PoolClient } from 'pg';

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
