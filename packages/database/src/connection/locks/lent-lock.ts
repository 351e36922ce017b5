import type { ClientBase } from 'pg';
import { knownBounds } from '../time-bounds.ts';

/**
 * Acquires an advisory lock on a connection whose session is lent for a transaction, and holds it by leaving the
 * transaction open. The transaction has neither a snapshot nor a transaction id, so vacuum is not delayed. The lock
 * ends when the process freezes or vanishes, since the connection becomes silent.
 * @param lock conflicts with a lock of a session of the same number.
 * @returns the function that releases the lock; undefined when another connection holds the lock and `isPatient` is
 * false.
 */
export async function holdLentLock(
  client: ClientBase,
  lock: number,
  { isPatient }: { isPatient: boolean },
): Promise<(() => Promise<void>) | undefined> {
  await client.query('BEGIN');
  // The transaction lasts as long as the work, and may wait as long as another process works.
  const unbounded = { statement_timeout: '0', lock_timeout: '0', transaction_timeout: '0' };
  const settings = {
    ...(await knownBounds(client, unbounded)),
    idle_in_transaction_session_timeout: String(maxSilentMs),
  };
  for (const [name, value] of Object.entries(settings)) await client.query(`SET LOCAL ${name} = '${value}'`);
  const stopBeating = beat(client);
  const release = async (): Promise<void> => {
    stopBeating();
    await client.query('COMMIT');
  };
  try {
    if (isPatient) {
      await client.query(`SELECT pg_advisory_xact_lock(${lock})`);
      return release;
    }
    const { rows } = await client.query<{ isLocked: boolean }>(
      `SELECT pg_try_advisory_xact_lock(${lock}) AS "isLocked"`,
    );
    if (rows[0]?.isLocked === true) return release;
  } catch (error) {
    stopBeating();
    throw error;
  }
  await release();
  return undefined;
}

/**
 * A connection with a lock, silent for so long, counts as frozen or gone: PostgreSQL ends the connection, and others
 * continue.
 */
export const maxSilentMs = 10_000;

/**
 * Sends regular signs of life to PostgreSQL on a connection with a lock, until the returned function is called or the
 * connection ends.
 */
export function beat(client: ClientBase): () => void {
  // After a failure the connection is gone, which the owner notices, or a transaction has failed.
  const timer = setInterval(() => void client.query('SELECT 1').catch(() => undefined), maxSilentMs / 4);
  timer.unref();
  const stop = (): void => clearInterval(timer);
  client.once('end', stop);
  return () => {
    stop();
    client.off('end', stop);
  };
}
