import { DatabaseError, Pool, type PoolClient, type QueryConfig, type QueryResult } from 'pg';
import { isConnectionInDoubt } from './database-away.ts';

/**
 * A pool that keeps the connection of a statement that failed for its own reasons, such as a conflict with another
 * one. pg's own closes it after any error, so that a burst of conflicts would cause a burst of new connections, each
 * with a process of the server, a login, and every statement to be planned again.
 */
export class KeepingPool extends Pool {
  /** As pg's own, in its forms that return a promise; with a callback it is pg's own. */
  // oxlint-disable-next-line typescript/no-explicit-any -- pg has ten overloads of it
  override query(statement: string | QueryConfig, ...rest: any[]): any {
    if (rest.some((one) => typeof one === 'function')) return super.query(statement, ...rest);
    // Not of `this`, which may return a connection that is in a transaction.
    return runAlone(super.connect(), statement, rest[0]);
  }
}

async function runAlone(
  connected: Promise<PoolClient>,
  statement: string | QueryConfig,
  values: unknown[] | undefined,
): Promise<QueryResult> {
  const client = await connected;
  let broken: Error | undefined;
  try {
    return await client.query(statement, values);
  } catch (error) {
    if (!(error instanceof DatabaseError) || isConnectionInDoubt(error)) broken = error as Error;
    throw error;
  } finally {
    client.release(broken);
  }
}
