import type { ClientBase, Pool, PoolClient } from 'pg';
import { isLent, withLentSettings } from '../lent-client.ts';
import { beat, maxSilentMs, holdLentLock } from './lent-lock.ts';

/** Work of one process at a time. */
export interface Exclusive {
  /** The number of its advisory lock. */
  lock: number;
  /** Settings of the connection during the work. */
  settings: Readonly<Record<string, string>>;
}

type Work<T> = (client: PoolClient) => Promise<T>;

/**
 * Does work on a connection of its own, under a lock of the connection, and not in a transaction. Where sessions are
 * lent, a connection outside of the pool holds the lock: work that has a connection of a pool and waits for a second
 * connection could wait for work of the same kind.
 * @returns null when another process is doing it.
 */
export async function oneAtATime<T>(pool: Pool, exclusive: Exclusive, work: Work<T>): Promise<T | null> {
  const client = await pool.connect();
  const state: State = { broken: undefined, hasSettings: false };
  // A connection that breaks between two statements emits 'error', which ends the process without a listener.
  const onBroken = (error: Error): void => {
    state.broken = error;
  };
  client.on('error', onBroken);
  try {
    if (isLent(client)) return await inLentSessions(pool, client, exclusive, work);
    return await inOwnSession(client, exclusive, work, state);
  } finally {
    client.off('error', onBroken);
    // The settings end with the connection: RESET would also undo the first settings of the pool.
    client.release(state.broken ?? state.hasSettings);
  }
}

interface State {
  broken: Error | undefined;
  hasSettings: boolean;
}

async function inOwnSession<T>(
  client: PoolClient,
  { lock, settings }: Exclusive,
  work: Work<T>,
  state: State,
): Promise<T | null> {
  const { rows } = await client.query<{ locked: boolean }>(`SELECT pg_try_advisory_lock(${lock}) AS locked`);
  if (rows[0]?.locked !== true) return null;
  state.hasSettings = true;
  // The lock of a frozen process must not keep the others from the work for as long.
  const lockSettings = { idle_session_timeout: String(maxSilentMs), ...settings };
  for (const [name, value] of Object.entries(lockSettings)) await client.query(`SET ${name} = '${value}'`);
  const stopBeating = beat(client);
  try {
    return await work(client);
  } finally {
    stopBeating();
    // Unlocked at once: otherwise the next process waits until the server notices that the connection is closed.
    await client.query(`SELECT pg_advisory_unlock(${lock})`).catch((error: Error) => {
      state.broken = error;
    });
  }
}

async function inLentSessions<T>(
  pool: Pool,
  client: PoolClient,
  { lock, settings }: Exclusive,
  work: Work<T>,
): Promise<T | null> {
  const holder = new (pool as unknown as Connecting).Client(pool.options);
  const onBroken = (): void => {
    // Without the lock another process may begin, so the work must not continue.
    breakOff(client);
  };
  holder.on('error', onBroken);
  try {
    await holder.connect();
    const release = await holdLentLock(holder, lock, { isPatient: false });
    if (release === undefined) return null;
    try {
      return await withLentSettings(client, settings, () => work(client));
    } finally {
      await release().catch(onBroken);
    }
  } finally {
    holder.off('error', onBroken).on('error', () => undefined);
    await holder.end();
  }
}

/** The type of a pool's connections, which is missing in pg's types. */
interface Connecting {
  readonly Client: new (options: Pool['options']) => ClientBase & { end(): Promise<void> };
}

/** The socket of a client, which is missing in pg's types. */
interface Wired {
  readonly connection: { readonly stream: { destroy(): void } };
}

function breakOff(client: PoolClient): void {
  (client as unknown as Wired).connection.stream.destroy();
}
