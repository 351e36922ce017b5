import { randomBytes } from 'node:crypto';
import { Client, DatabaseError } from 'pg';
import { withExactTls } from './exact-tls.ts';

/** Rounds until connections that a busy pooler hands out by turns have shown it: one is nearly always enough. */
const rounds = 4;
const patienceMs = 5_000;
const PROTOCOL_VIOLATION = '08P01';

/** Any name with a dot is taken as a setting, from every user, and means nothing to PostgreSQL. */
const marked = `SELECT current_setting('callout.session', true) AS mark`;

/**
 * Each connection to the database must be a session of its own from its first statement to its end: settings, prepared
 * statements and advisory locks are kept in it. A connection pooler that lends a session for one transaction (PgBouncer
 * with `pool_mode = transaction` or `statement`) breaks all three, and in part only under load.
 *
 * It is proved, not guessed by a name: with two connections open at the same time, either the second finds the mark that
 * the first left in its session, or the first loses its mark while the second is in a transaction. Neither can happen to
 * sessions of their own, so a direct connection, session pooling, and whatever pins sessions are never refused.
 * @throws Error with a sentence that says what is wrong and what to do.
 */
export async function checkOwnSessions(databaseUrl: string): Promise<void> {
  const [one, other] = [newClient(databaseUrl), newClient(databaseUrl)];
  try {
    await one.connect();
    // There may be no room for a second connection now; the code that needs one gets the error.
    const isThere = await other.connect().then(
      () => true,
      () => false,
    );
    if (isThere && (await areShared(one, other))) {
      throw new Error(
        'it is reached through a connection pooler that lends each connection for one transaction only (PgBouncer with pool_mode = transaction or statement). ' +
          'Callout keeps settings, prepared statements and locks in its connections: set pool_mode = session for it, or name PostgreSQL itself in DATABASE_URL',
      );
    }
  } finally {
    // A pooler that has no session left for the second connection makes it wait, even to disconnect.
    await Promise.all([one.end(), other.end()].map((ending) => ending.catch(() => undefined)));
  }
}

async function areShared(one: Client, other: Client): Promise<boolean> {
  for (let round = 1; round <= rounds; round += 1) {
    const mark = randomBytes(12).toString('hex');
    await one.query(`SELECT set_config('callout.session', '${mark}', false)`);
    const seen = await markOf(other, marked);
    // Nothing came in time: no session is free for a second connection, so the first keeps its own.
    if (seen === undefined) return false;
    if (seen === mark) {
      // What the pooler lends to others next is left as it was.
      await other.query(`RESET callout.session`);
      return true;
    }
    // A transaction keeps the session that it was lent, so the first connection may be lent another one now.
    if (!(await couldBegin(other))) return true;
    const kept = await markOf(one, marked);
    await other.query('ROLLBACK');
    if (kept !== undefined && kept !== mark) return true;
  }
  return false;
}

/** False: a pooler that lends sessions by the statement has refused the transaction; PostgreSQL itself never does. */
async function couldBegin(client: Client): Promise<boolean> {
  try {
    await client.query('BEGIN');
    return true;
  } catch (error) {
    if (error instanceof DatabaseError && error.code === PROTOCOL_VIOLATION) return false;
    throw error;
  }
}

async function markOf(client: Client, text: string): Promise<string | null | undefined> {
  try {
    const { rows } = await client.query<{ mark: string | null }>(text);
    return rows[0]?.mark ?? null;
  } catch (error) {
    if (error instanceof Error && error.message === 'Query read timeout') return undefined;
    throw error;
  }
}

function newClient(databaseUrl: string): Client {
  const limits = { connectionTimeoutMillis: patienceMs, query_timeout: patienceMs };
  const client = new Client({
    connectionString: withExactTls(databaseUrl),
    application_name: 'callout-start',
    ...limits,
  });
  // The next statement reports it.
  client.on('error', () => undefined);
  return client;
}
