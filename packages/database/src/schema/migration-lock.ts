import type { Client } from 'pg';
import { advisoryLocks } from '../connection/locks/advisory-locks.ts';
import { holdLentLock } from '../connection/locks/lent-lock.ts';

interface LockOptions {
  /** Receives each warning, one line each. */
  readonly log?: (line: string) => void;
  /** Opens another connection to the same database, for sessions that are lent. */
  readonly connect: () => Promise<Client>;
  /** Whether the connection has its own session. */
  readonly isOwn: boolean;
}

/**
 * Waits until no other process migrates the database, and excludes others until it is released. A process that waits
 * here does not even respond to probes yet, so it logs the reason.
 * @returns the function that releases it.
 */
export async function lockMigrations(
  client: Client,
  { log, connect, isOwn }: LockOptions,
): Promise<() => Promise<void>> {
  const logWaiting = () => log?.('another process is migrating this database: waiting until it is done');
  if (isOwn) {
    const { rows } = await client.query<{ isLocked: boolean }>(
      `SELECT pg_try_advisory_lock(${advisoryLocks.migrate}) AS "isLocked"`,
    );
    if (rows[0]?.isLocked !== true) {
      logWaiting();
      await client.query(`SELECT pg_advisory_lock(${advisoryLocks.migrate})`);
    }
    // It ends with the connection.
    return async () => undefined;
  }
  const holder = await connect();
  try {
    if ((await holdLentLock(holder, advisoryLocks.migrate, { isPatient: false })) === undefined) {
      logWaiting();
      await holdLentLock(holder, advisoryLocks.migrate, { isPatient: true });
    }
  } catch (error) {
    await holder.end();
    throw error;
  }
  // Closing it rolls back the transaction with the lock.
  return () => holder.end();
}
