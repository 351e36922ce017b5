import { createHash } from 'node:crypto';
import type { Client } from 'pg';
import type { LargeWebhook } from '../log/fill-history.ts';
import { createBenchDatabase, type BenchDatabase, withClient } from '../services/bench-database.ts';

/** What a run must know of a database that another one has filled. */
export interface SeededFacts {
  /** That were made, and that were asked for. */
  readonly attempts: number;
  readonly asked: number;
  readonly endMs: number;
  readonly tenantId: number;
  readonly large: LargeWebhook;
  readonly seedS: number;
}

export interface SeededDatabase {
  readonly database: BenchDatabase;
  /** Undefined: it is empty. */
  readonly facts: SeededFacts | undefined;
}

/** A history is of the days before it was made: an older one would be dropped by retention. */
const KEPT_MS = 12 * 3_600_000;

/** The database with a history of so many attempts that an earlier run has kept, or a new one. */
export async function seededDatabase(serverUrl: string, attempts: number): Promise<SeededDatabase> {
  const name = `callout_history_${attempts}`;
  const known = await withClient(serverUrl, (client) => factsOf(client, name));
  if (known.isThere && !isUsable(known.facts)) await dropDatabase(serverUrl, name);
  const isThere = known.isThere && isUsable(known.facts);
  const database = await createBenchDatabase(serverUrl, name, { isThere });
  return { database, facts: isThere ? known.facts : undefined };
}

/** For the next run, which takes the database as it is. */
export async function keepFacts(serverUrl: string, facts: SeededFacts): Promise<void> {
  const text = JSON.stringify(facts).replaceAll("'", "''");
  await withClient(serverUrl, (client) =>
    client.query(`COMMENT ON DATABASE callout_history_${facts.asked} IS '${text}'`),
  );
}

/** SECRET_KEYS of all runs with one history. It protects nothing: the secrets are those of the benchmark. */
export function secretKeysOf(attempts: number): string {
  return `bench:${createHash('sha256').update(`callout_history_${attempts}`).digest('base64')}`;
}

function isUsable(facts: SeededFacts | undefined): facts is SeededFacts {
  return facts !== undefined && Date.now() - facts.endMs < KEPT_MS;
}

async function factsOf(client: Client, name: string): Promise<{ isThere: boolean; facts: SeededFacts | undefined }> {
  const { rows } = await client.query<{ said: string | null }>(
    "SELECT shobj_description(oid, 'pg_database') AS said FROM pg_database WHERE datname = $1",
    [name],
  );
  const [row] = rows;
  const facts = row === undefined || row.said === null ? undefined : (JSON.parse(row.said) as SeededFacts);
  return { isThere: row !== undefined, facts };
}

async function dropDatabase(serverUrl: string, name: string): Promise<void> {
  await withClient(serverUrl, async (client) => void (await client.query(`DROP DATABASE ${name} WITH (FORCE)`)));
}
