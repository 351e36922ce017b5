import type { ClientBase } from 'pg';

/**
 * A process can stop in the middle of a transaction, with all locks: frozen, or with a machine that is paused or has
 * vanished. So PostgreSQL ends transactions that take too long, and the rest continues. A slow transaction is rolled
 * back then, and tried again as after any broken connection.
 *
 * Waiting transactions are ended later than the transactions in front, so that few have to start again. All bounds are
 * shorter than a lease, and than the time for which the client waits for a response.
 */
const bounds = {
  idle_in_transaction_session_timeout: '5s',
  lock_timeout: '8s',
};

/** For transactions on which others wait: each a few statements, and all of them fast. */
export const shortWork: Settings = { ...bounds, statement_timeout: '15s', transaction_timeout: '25s' };

/** For searches, exports and moves: statements without a time limit, which lock little. */
export const longWork: Settings = bounds;

/** A host that vanishes does not close its connections, which would stay, and count, for two hours. */
const vanishedHost: Settings = {
  tcp_keepalives_idle: '10s',
  tcp_keepalives_interval: '5s',
  tcp_keepalives_count: '3',
  tcp_user_timeout: '15s',
};

export type Settings = Readonly<Record<string, string>>;

/** Sets bounds on a connection with a session, in one round trip. Unknown settings are left out. */
export async function applyBounds(client: ClientBase, settings: Settings): Promise<void> {
  await client.query(
    `SELECT set_config(name, wanted.value, false)
     FROM pg_settings JOIN json_each_text($1) AS wanted (name, value) USING (name)`,
    [JSON.stringify({ ...settings, ...vanishedHost })],
  );
}

/** The settings that the server knows: `transaction_timeout` came with PostgreSQL 17. */
export async function knownBounds(client: ClientBase, settings: Settings): Promise<Settings> {
  const { rows } = await client.query<{ name: string }>('SELECT name FROM pg_settings WHERE name = ANY ($1)', [
    Object.keys(settings),
  ]);
  return Object.fromEntries(rows.map(({ name }) => [name, settings[name] ?? '']));
}
