import type { Client } from '../connection/database.ts';
import { statementFrom } from '../connection/statement/statement.ts';

const head = `-- The tables that prisma/migrations make, as PostgreSQL has them; partitions of days are left out.
-- Written by "npm run schema", compared by a test: do not edit.
`;

interface Text {
  text: string;
}

interface Table {
  name: string;
  partitionedBy: string | null;
  settings: string | null;
  columns: string[];
  constraints: string[] | null;
  indexes: string[] | null;
}

const readTables = statementFrom<Table>('database:schema/schema_read_tables');

const readSequences = statementFrom<Text>('database:schema/schema_read_sequences');

/** Functions first: triggers name them. */
const readTriggers = statementFrom<Text>('database:schema/schema_read_triggers');

const readOthers = statementFrom<Text>('database:schema/schema_read_others');

/**
 * The schema of a migrated database, in SQL for people to read: the same text from every version of PostgreSQL and
 * under every collation.
 * @throws Error for anything that the text cannot show.
 */
export async function dumpSchema(client: Client): Promise<string> {
  const unknown = await readOthers(client, []);
  if (unknown.length > 0) throw new Error(`schema.sql would not show ${unknown.map(({ text }) => text).join(', ')}`);
  const numbers = await readSequences(client, []);
  const rows = await readTables(client, []);
  const rules = await readTriggers(client, []);
  const parts = [
    head,
    `${numbers.map(({ text }) => text).join('\n')}\n`,
    ...rows.map(tableText),
    ...(rules.length === 0 ? [] : [`${rules.map(({ text }) => text).join('\n')}\n`]),
  ];
  return parts.join('\n');
}

function tableText({ name, partitionedBy, settings, columns, constraints, indexes }: Table): string {
  const lines = [...columns, ...(constraints ?? [])].map((line) => `  ${line}`);
  const partitioned = partitionedBy === null ? '' : ` PARTITION BY ${partitionedBy}`;
  const stored = settings === null ? '' : ` WITH (${settings})`;
  const table = `CREATE TABLE ${name} (\n${lines.join(',\n')}\n)${partitioned}${stored};`;
  return [table, ...(indexes ?? []).map((index) => `${index};`), ''].join('\n');
}
