import { DatabaseError, type PoolClient } from 'pg';

/** PostgreSQL's codes for a conflict with another transaction. */
const tryAgain: ReadonlySet<string | undefined> = new Set(['40P01', '40001', '55P03']);
const mostTries = 5;

/**
 * Runs work in a transaction of a connection that is held anyway, and again when it met another one in a deadlock: what is
 * on its way when a tenant is deleted takes its locks in an order of its own.
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
