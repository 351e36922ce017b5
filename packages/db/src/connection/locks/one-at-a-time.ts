import type { Pool, PoolClient } from 'pg';

/** Something that one process does at a time. */
export interface Exclusive {
  /** The number of its advisory lock. */
  lock: number;
  /** Settings of the connection meanwhile. */
  settings: Readonly<Record<string, string>>;
}

/**
 * Does work on its own connection, under a lock that the connection holds, and not in a transaction.
 * @returns null when another process is doing it.
 */
export async function oneAtATime<T>(
  pool: Pool,
  { lock, settings }: Exclusive,
  work: (client: PoolClient) => Promise<T>,
): Promise<T | null> {
  const client = await pool.connect();
  let broken: Error | undefined;
  let hasSettings = false;
  // A connection that breaks between two statements emits 'error', which ends the process when nothing listens.
  const onBroken = (error: Error): void => {
    broken = error;
  };
  client.on('error', onBroken);
  try {
    const { rows } = await client.query<{ locked: boolean }>(`SELECT pg_try_advisory_lock(${lock}) AS locked`);
    if (rows[0]?.locked !== true) return null;
    hasSettings = true;
    for (const [name, value] of Object.entries(settings)) await client.query(`SET ${name} = '${value}'`);
    try {
      return await work(client);
    } finally {
      // Unlocked at once: otherwise the next process waits until the server notices that the connection is closed.
      await client.query(`SELECT pg_advisory_unlock(${lock})`).catch(onBroken);
    }
  } finally {
    client.off('error', onBroken);
    // Its settings end with it: RESET would also undo those that every connection of the pool begins with.
    client.release(broken ?? hasSettings);
  }
}
