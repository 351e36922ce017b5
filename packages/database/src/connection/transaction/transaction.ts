import type { ClientBase, Pool, PoolClient } from 'pg';
import { isConnectionInDoubt } from '../database-away.ts';
import { beginLockOrder, endLockOrder } from '../locks/lock-order.ts';
import { beginTransactionTrace, endTransactionTrace } from './transaction-trace.ts';
import type { Writable } from 'node:stream';

/**
 * Runs `work` in a transaction, on one connection.
 * @throws the error of `work`, after rolling back.
 */
export async function inTransaction<T>(pool: Pool, work: (transaction: ClientBase) => Promise<T>): Promise<T> {
  return inTransactionEndingWith(pool, async (transaction) => ({ result: await work(transaction), last: [] }));
}

/** Statements under way to the server, which the caller does not await one by one. */
export type Sent = readonly Promise<unknown>[];

/**
 * As `inTransaction`, for work whose last statements need no result: COMMIT follows at once, in the same write and
 * round trip. `last` must name every statement that is still under way.
 * @throws the error of `work`, or of the first of the last statements that failed, after rolling back.
 */
export async function inTransactionEndingWith<T>(
  pool: Pool,
  work: (transaction: ClientBase) => Promise<{ result: T; last: Sent }>,
): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  // A connection that breaks between two statements emits 'error', which ends the process without a listener. The next
  // statement fails in any case.
  const onBroken = (error: Error): void => {
    broken = error;
  };
  client.on('error', onBroken);
  beginLockOrder(client);
  beginTransactionTrace(client);
  let failure: unknown;
  try {
    gatherWrites(client);
    // Sent together with the first statement. After a failure, everything later on the connection fails too.
    const begun = client.query('BEGIN');
    begun.catch(() => undefined);
    const { result, last } = await work(client);
    gatherWrites(client);
    // In the order of their results: the first failure is the reason for the rest.
    const [{ command }] = await Promise.all([client.query('COMMIT'), begun, ...last]);
    if (command !== 'COMMIT') throw new Error('the transaction was rolled back: one of its statements had failed');
    return result;
  } catch (error) {
    failure = error;
    // Closing a connection rolls back as well. On a silent one a ROLLBACK would wait as long as the failed statement.
    if (isConnectionInDoubt(error)) broken ??= error as Error;
    else broken ??= await rollBack(client);
    throw error;
  } finally {
    endLockOrder(client);
    endTransactionTrace(client, failure);
    client.off('error', onBroken);
    client.release(broken);
  }
}

/** Resolves with the error that makes the connection unusable, if any. */
async function rollBack(client: PoolClient): Promise<Error | undefined> {
  try {
    await client.query('ROLLBACK');
  } catch (error) {
    return error as Error;
  }
  const isIdle = client.getTransactionStatus() === 'I';
  return isIdle ? undefined : new Error('a statement of a transaction was sent after its end');
}

const gathering = new WeakSet<Writable>();

/** Sends the statements of a turn of the event loop in one write. */
export function gatherWrites(client: ClientBase): void {
  // Not in pg's types, but part of its interface for extensions. Absent: one write for each statement.
  const stream = (client as { connection?: { stream?: Writable } }).connection?.stream;
  if (stream === undefined || gathering.has(stream)) return;
  gathering.add(stream);
  stream.cork();
  process.nextTick(() => {
    gathering.delete(stream);
    stream.uncork();
  });
}

/** A transaction has assumed something that has changed meanwhile: rolled back, the transaction can begin again. */
export class AssumptionFailed extends Error {}
