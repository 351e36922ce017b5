import { randomBytes } from 'node:crypto';
import { Client } from 'pg';

export interface OwnDatabase {
  url: string;
  name: string;
  /** Drops the database, even while there are connections to it. */
  drop: () => Promise<void>;
}

/**
 * Makes an empty database `<prefix>_<random>` on a server that may be shared: everything happens in that database and
 * goes with it.
 *
 * @param serverUrl of any database there; its user may create databases.
 * @param prefix lower-case letters, digits and `_`.
 */
export async function createOwnDatabase(serverUrl: string, prefix: string): Promise<OwnDatabase> {
  const name = `${prefix}_${randomBytes(8).toString('hex')}`;
  await withClient(serverUrl, (client) => client.query(`CREATE DATABASE ${name}`));
  return ownDatabase(serverUrl, name);
}

/** A database that exists, with a function that drops it. */
export function ownDatabase(serverUrl: string, name: string): OwnDatabase {
  return {
    url: urlOf(serverUrl, name),
    name,
    drop: () => withClient(serverUrl, (client) => dropDatabase(client, name)),
  };
}

export async function dropDatabase(client: Client, name: string): Promise<void> {
  await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
}

export async function withClient<T>(url: string, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

/** The same server, another database. */
export function urlOf(url: string, database: string): string {
  const other = new URL(url);
  other.pathname = `/${database}`;
  return other.href;
}
