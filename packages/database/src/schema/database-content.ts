import type { Client } from '../connection/database.ts';

/** What decides whether Callout may use a database. */
export type DatabaseContent =
  | { kind: 'empty' }
  | { kind: 'callout'; tenants: number }
  /** Tables of another program. */
  | { kind: 'foreign'; tables: string[] };

/** Two tables of Callout that hardly any other program has together. */
const typicalTables = ['tenants', 'open_callouts'];
/** Other programs with Prisma have the table too, which therefore proves nothing. */
const migrationsTable = '_prisma_migrations';

/** Looks at the tables of a database and changes nothing. Works before the first migration. */
export async function describeDatabase(client: Client): Promise<DatabaseContent> {
  const { rows } = await client.query<{ name: string }>(
    'SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema() ORDER BY tablename',
  );
  const tables = rows.map((row) => row.name).filter((name) => name !== migrationsTable);
  if (tables.length === 0) return { kind: 'empty' };
  if (!typicalTables.every((name) => tables.includes(name))) return { kind: 'foreign', tables };
  const counted = await client.query<{ tenants: number }>('SELECT count(*)::int AS tenants FROM tenants');
  return { kind: 'callout', tenants: counted.rows[0]?.tenants ?? 0 };
}
