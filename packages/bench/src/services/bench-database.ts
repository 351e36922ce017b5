import { Client } from 'pg';
import { parentOf } from '../measure/process-table.ts';

export interface BenchDatabase {
  readonly url: string;
  /** PostgreSQL's postmaster; undefined when it does not run on this machine. */
  readonly serverPid: number | undefined;
  readonly version: string;
  /** What decides how durable a commit is, in words such as `fsync=on, …`. */
  readonly settings: string;
  drop(): Promise<void>;
}

const SHOWN_SETTINGS = ['fsync', 'synchronous_commit', 'full_page_writes', 'wal_sync_method', 'shared_buffers'];

/** Makes a database on a server, or takes the one that there is. `name` needs no quoting. */
export async function createBenchDatabase(
  serverUrl: string,
  name: string,
  { isThere = false } = {},
): Promise<BenchDatabase> {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return withClient(serverUrl, async (client) => {
    if (!isThere) await client.query(`CREATE DATABASE ${name}`);
    const { rows } = await client.query<{ name: string; setting: string }>(
      `SELECT name, current_setting(name) AS setting FROM unnest($1::text[]) WITH ORDINALITY AS s (name, position) ORDER BY position`,
      [SHOWN_SETTINGS],
    );
    return {
      url: url.href,
      serverPid: await serverPid(client),
      version: await serverVersion(client),
      settings: rows.map((row) => `${row.name}=${row.setting}`).join(', '),
      drop: () =>
        withClient(serverUrl, async (client) => void (await client.query(`DROP DATABASE ${name} WITH (FORCE)`))),
    };
  });
}

async function serverVersion(client: Client): Promise<string> {
  const { rows } = await client.query<{ version: string }>("SELECT current_setting('server_version') AS version");
  return rows[0]?.version.split(' ')[0] ?? '?';
}

/** The parent of the process that serves us, provided that a process with that id here is a PostgreSQL. */
async function serverPid(client: Client): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number; is_local: boolean }>(
    'SELECT pg_backend_pid() AS pid, coalesce(inet_server_addr() = inet_client_addr(), true) AS is_local',
  );
  const [backend] = rows;
  if (backend?.is_local !== true) return undefined;
  return parentOf(backend.pid, 'postgres');
}

export async function withClient<T>(url: string, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url, application_name: 'callout-bench' });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}
