import type { ClientBase } from 'pg';

/**
 * Takes an advisory lock on a connection whose session is lent for a transaction, and holds it by leaving the transaction
 * open. It has neither a snapshot nor a transaction id, so that it keeps nothing from being vacuumed.
 * @param lock conflicts with a lock of a session of the same number.
 * @returns how to release it; undefined when another connection holds it and `isPatient` is false.
 */
export async function holdLentLock(
  client: ClientBase,
  lock: number,
  { isPatient }: { isPatient: boolean },
): Promise<(() => Promise<void>) | undefined> {
  // It is idle on purpose.
  await client.query('BEGIN');
  await client.query('SET LOCAL idle_in_transaction_session_timeout = 0');
  const release = async (): Promise<void> => void (await client.query('COMMIT'));
  if (isPatient) {
    await client.query(`SELECT pg_advisory_xact_lock(${lock})`);
    return release;
  }
  const { rows } = await client.query<{ isLocked: boolean }>(`SELECT pg_try_advisory_xact_lock(${lock}) AS "isLocked"`);
  if (rows[0]?.isLocked === true) return release;
  await release();
  return undefined;
}
