import { randomBytes } from 'node:crypto';
import { type Client, DatabaseError } from 'pg';
import { DatabaseClient } from './database-client.ts';
import { findSchema, type Schema } from './find-schema.ts';

/** Rounds in which a busy pooler that lends sessions is recognised: the first is nearly always enough. */
const rounds = 4;
const patienceMs = 5_000;
const PROTOCOL_VIOLATION = '08P01';

/** Any name with a dot is accepted as a setting, from every user, and means nothing to PostgreSQL. */
const marked = `SELECT current_setting('callout.session', true) AS mark`;

/** How the connections of Callout use sessions of PostgreSQL. */
export interface Sessions {
  /** Each connection has a session from its first statement to its end. Otherwise only a transaction has a session. */
  readonly areOwn: boolean;
  /** A statement that was prepared under a name is available in every later transaction of the connection. */
  readonly keepStatements: boolean;
}

/** The sessions that a database lends, and the schema of Callout's tables. */
interface Found extends Sessions {
  readonly schema: Schema;
}

const ownSessions: Sessions = { areOwn: true, keepStatements: true };

/** The result for each database of the process, by URL. */
const sessionsByUrl = new Map<string, Found>();

/** The result of `findSessions`; without one, connections are assumed to have their own sessions. */
export function sessionsOf(databaseUrl: string): Sessions {
  return sessionsByUrl.get(databaseUrl) ?? ownSessions;
}

/** The schema that `findSessions` found; without a result, the schema of a new database. */
export function schemaOf(databaseUrl: string): Schema {
  return sessionsByUrl.get(databaseUrl)?.schema ?? { name: 'public', settings: {} };
}

/**
 * Finds out whether a connection pooler lends sessions for one transaction (PgBouncer with `pool_mode = transaction`),
 * and which schema has Callout's tables; stores both for `openDatabase`. With lent sessions, settings and locks of a
 * session cannot be used, and names of prepared statements only where the pooler carries them from session to session
 * (PgBouncer 1.21).
 *
 * The test does not rely on a name: with two connections open at the same time, either the second finds the mark that
 * the first left in the session, or the first loses its mark while the second is in a transaction. Neither can happen
 * to connections with a session each, so direct connections, session pooling, and everything that pins sessions are
 * recognised correctly.
 * @throws Error with a sentence about the problem and what to do, when sessions are lent for one statement, or the
 * schema cannot be used.
 */
export async function findSessions(databaseUrl: string): Promise<Found> {
  const sessions = await askForSessions(databaseUrl);
  sessionsByUrl.set(databaseUrl, sessions);
  return sessions;
}

async function askForSessions(databaseUrl: string): Promise<Found> {
  const [one, other] = [newClient(databaseUrl), newClient(databaseUrl)];
  try {
    await one.connect();
    // A second connection may be unavailable now; the code that needs a connection gets the error.
    const isThere = await other.connect().then(
      () => true,
      () => false,
    );
    const areOwn = !isThere || !(await areShared(one, other));
    const schema = await findSchema(one, { databaseUrl, areOwn });
    if (areOwn) return { ...ownSessions, schema };
    await begin(other);
    return { areOwn, keepStatements: await isRenamed(other), schema };
  } finally {
    // A pooler without a free session for the second connection makes it wait, even to disconnect.
    await Promise.all([one.end(), other.end()].map((ending) => ending.catch(() => undefined)));
  }
}

/**
 * Whether the pooler renames prepared statements, to keep several clients apart in one session. Ends the
 * transaction of the connection.
 */
async function isRenamed(client: Client): Promise<boolean> {
  const name = `callout_${randomBytes(12).toString('hex')}`;
  await client.query({ name, text: 'SELECT 1' });
  const { rows } = await client.query('SELECT FROM pg_prepared_statements WHERE name = $1', [name]);
  // The session that the pooler lends to others next is left unchanged.
  if (rows.length > 0) await client.query(`DEALLOCATE ${name}`);
  await client.query('ROLLBACK');
  return rows.length === 0;
}

async function areShared(one: Client, other: Client): Promise<boolean> {
  for (let round = 1; round <= rounds; round += 1) {
    const mark = randomBytes(12).toString('hex');
    await one.query(`SELECT set_config('callout.session', '${mark}', false)`);
    const seen = await markOf(other, marked);
    // No result in time: no session is free for a second connection, so the first keeps its session.
    if (seen === undefined) return false;
    if (seen === mark) {
      // The session that the pooler lends to others next is left unchanged.
      await other.query(`RESET callout.session`);
      return true;
    }
    // A transaction keeps the session that was lent, so the first connection may be lent another session now.
    await begin(other);
    const kept = await markOf(one, marked);
    await other.query('ROLLBACK');
    if (kept !== undefined && kept !== mark) return true;
  }
  return false;
}

/**
 * @throws Error for people when a pooler that lends sessions by the statement refuses; PostgreSQL itself never does.
 */
async function begin(client: Client): Promise<void> {
  try {
    await client.query('BEGIN');
  } catch (error) {
    if (!(error instanceof DatabaseError && error.code === PROTOCOL_VIOLATION)) throw error;
    // Without the cause, whose code also stands for a pooler that cannot reach PostgreSQL now, where waiting helps.
    // oxlint-disable-next-line preserve-caught-error
    throw new Error(
      'it is reached through a connection pooler that lends each connection for one statement only (PgBouncer with pool_mode = statement). ' +
        'Callout needs transactions: set pool_mode = transaction or session for it, or name PostgreSQL itself in DATABASE_URL',
    );
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
  const client = new DatabaseClient({
    connectionString: databaseUrl,
    application_name: 'callout-start',
    ...limits,
  });
  // The next statement reports it.
  client.on('error', () => undefined);
  return client;
}
