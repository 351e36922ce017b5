import { DatabaseError, Pool, type PoolClient, type QueryConfig, type QueryResult } from 'pg';
import { isConnectionInDoubt } from './database-away.ts';

/**
 * A pool that keeps a connection whose statement failed for its own reasons, such as a conflict. pg's pool closes a
 * connection after any error, so a burst of conflicts would cause a burst of new connections, each with a process of
 * the server, a login, and every statement to be planned again.
 */
export class KeepingPool extends Pool {
  /** As in pg, with promises changed only; the form with a callback is unchanged. */
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
