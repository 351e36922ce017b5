import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { sharedPostgres } from './ask-services.ts';

export interface DisposableDatabase {
  url: string;
  name: string;
  /** Drops the database, whoever is still connected. */
  drop: () => Promise<void>;
}

export interface DisposableDatabaseOptions {
  /** Fills the template of the run (for example, applies the migrations); called once per run, whoever comes first. */
  prepare: (templateUrl: string) => Promise<unknown>;
}

/** Any constant: serialises the making of templates. Advisory locks count per database, so this one is ours alone. */
const TEMPLATE_LOCK = 4_127_001;

/**
 * A database of its own for a test file, named `callout_test_<random>`: a copy of the run's template, which costs some
 * 20 ms instead of all migrations.
 */
export async function createDisposableDatabase(options: DisposableDatabaseOptions): Promise<DisposableDatabase> {
  const { url, template } = await sharedPostgres();
  const name = `callout_test_${randomBytes(8).toString('hex')}`;
  await withClient(url, async (client) => {
    await ensureTemplate(client, url, template, options);
    await client.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
  });
  return { url: urlOf(url, name), name, drop: () => dropDatabases(url, [name]) };
}

/** Drops databases of these names, where they exist. */
export async function dropDatabases(url: string, names: readonly string[]): Promise<void> {
  await withClient(url, async (client) => {
    for (const name of names) await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  });
}

async function ensureTemplate(
  client: Client,
  url: string,
  template: string,
  { prepare }: DisposableDatabaseOptions,
): Promise<void> {
  await client.query('SELECT pg_advisory_lock($1)', [TEMPLATE_LOCK]);
  const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [template]);
  if (rowCount === 0) {
    // It gets its name when it is finished: one that a killed process left half-made is not taken for a template.
    const draft = `${template}_new`;
    await client.query(`DROP DATABASE IF EXISTS ${draft} WITH (FORCE)`);
    await client.query(`CREATE DATABASE ${draft}`);
    await prepare(urlOf(url, draft));
    await client.query(`ALTER DATABASE ${draft} RENAME TO ${template}`);
  }
  await client.query('SELECT pg_advisory_unlock($1)', [TEMPLATE_LOCK]);
}

async function withClient<T>(url: string, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

function urlOf(url: string, database: string): string {
  const other = new URL(url);
  other.pathname = `/${database}`;
  return other.href;
}
