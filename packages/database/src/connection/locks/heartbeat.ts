import type { ClientBase } from 'pg';

/**
 * A connection with a lock that is silent for this long counts as frozen or gone: PostgreSQL ends it, and others
 * continue.
 */
export const maxSilentMs = 10_000;

/**
 * Sends regular signs of life to PostgreSQL on a connection that holds a lock, until the returned function is called or
 * it ends.
 */
export function beat(client: ClientBase): () => void {
  // A failure shows that the connection is gone, which its owner notices, or that a transaction has failed.
  const timer = setInterval(() => void client.query('SELECT 1').catch(() => undefined), maxSilentMs / 4);
  timer.unref();
  const stop = (): void => clearInterval(timer);
  client.once('end', stop);
  return () => {
    stop();
    client.off('end', stop);
  };
}
