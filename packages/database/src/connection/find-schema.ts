import { type Client, escapeIdentifier } from 'pg';
import type { Settings } from './time-bounds.ts';

/** The schema of Callout's tables. */
export interface Schema {
  readonly name: string;
  /** Settings of a connection, so that statements find the tables. */
  readonly settings: Settings;
}

/**
 * Where a session makes tables, where Callout's tables are when visible, and whether the wanted schema can be used.
 */
const readSchemas = `SELECT current_schema() AS current, current_setting('search_path') AS path, current_user AS role,
  (SELECT n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
   WHERE c.oid = to_regclass('open_callouts')) AS made,
  EXISTS (SELECT FROM pg_namespace WHERE nspname = $1 AND has_schema_privilege(oid, 'USAGE')) AS "isThere"`;

interface Answer {
  readonly current: string | null;
  readonly path: string;
  readonly role: string;
  readonly made: string | null;
  readonly isThere: boolean;
}

/**
 * The schema named by `schema` in the URL, as for Prisma, or else the first existing schema of the server's
 * `search_path`. Models name the schema in each statement, and named statements rely on `search_path`: both must mean
 * one schema.
 * @throws Error with a sentence about what is wrong and what to do.
 */
export async function findSchema(
  client: Client,
  { databaseUrl, areOwn }: { readonly databaseUrl: string; readonly areOwn: boolean },
): Promise<Schema> {
  const wanted = schemaIn(databaseUrl);
  const { rows } = await client.query<Answer>(readSchemas, [wanted ?? '']);
  const [answer] = rows as [Answer];
  if (wanted !== undefined) return wantedSchema(wanted, answer, areOwn);
  const { current, path, role, made: tablesSchema } = answer;
  if (current === null) {
    throw new Error(
      `no schema of its search_path (${path}) exists for the role ${role}: run CREATE SCHEMA ${escapeIdentifier(role)} AUTHORIZATION ${escapeIdentifier(role)}, or name a schema with ?schema= in DATABASE_URL`,
    );
  }
  if (tablesSchema !== null && tablesSchema !== current) {
    throw new Error(
      `its tables are in the schema ${tablesSchema}, and search_path (${path}) makes new ones in ${current}: add ?schema=${encodeURIComponent(tablesSchema)} to DATABASE_URL to go on with them, or ?schema=${encodeURIComponent(current)} to begin afresh`,
    );
  }
  return { name: current, settings: {} };
}

function wantedSchema(wanted: string, { current, role, isThere }: Answer, areOwn: boolean): Schema {
  if (!isThere) {
    throw new Error(
      `it has no schema ${wanted} that the role ${role} may use: run CREATE SCHEMA ${escapeIdentifier(wanted)} AUTHORIZATION ${escapeIdentifier(role)}, or correct ?schema= in DATABASE_URL`,
    );
  }
  if (wanted === current) return { name: wanted, settings: {} };
  if (!areOwn) {
    throw new Error(
      `a connection pooler lends its sessions, which do not begin in the schema ${wanted}: run ALTER ROLE ${escapeIdentifier(role)} SET search_path = ${escapeIdentifier(wanted)}, and connect again`,
    );
  }
  return { name: wanted, settings: { search_path: escapeIdentifier(wanted) } };
}

/** The option of Prisma's URLs; pg knows none. An empty option counts as absent. */
function schemaIn(databaseUrl: string): string | undefined {
  const [, query = ''] = databaseUrl.split('?', 2);
  return new URLSearchParams(query).get('schema') || undefined;
}
