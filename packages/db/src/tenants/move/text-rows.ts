import type { Client } from '../../connection/database.ts';

/** A row as PostgreSQL writes it: the text of every value, which is the same value again when it is read. */
export type TextRow = Record<string, string | null>;

/** A table as the catalogue has it. */
export interface TableShape {
  readonly table: string;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly primaryKey: readonly string[];
}

/** Reads what a table looks like. @throws Error without such a table. */
export async function readShape(client: Client, table: string): Promise<TableShape> {
  const { rows: columns } = await client.query<{ name: string; type: string; isKey: boolean }>(
    `SELECT a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type,
       coalesce(a.attnum = ANY(i.indkey), false) AS "isKey"
     FROM pg_attribute a LEFT JOIN pg_index i ON i.indrelid = a.attrelid AND i.indisprimary
     WHERE a.attrelid = to_regclass($1) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`,
    [table],
  );
  if (columns.length === 0) throw new Error(`there is no table ${table}`);
  return { table, columns, primaryKey: columns.filter(({ isKey }) => isKey).map(({ name }) => name) };
}

/** @param rest what follows `WHERE`; the table is `t`. */
export async function readRows(
  client: Client,
  shape: TableShape,
  rest: string,
  values: readonly unknown[],
): Promise<TextRow[]> {
  const { rows } = await client.query<TextRow>(selectText(shape, rest), [...values]);
  return rows;
}

/** The statement of `readRows`, for a cursor. */
export function selectText({ table, columns }: TableShape, rest: string): string {
  return `SELECT ${columns.map(({ name }) => `t."${name}"::text`).join(', ')} FROM "${table}" AS t WHERE ${rest}`;
}

/**
 * Stores rows, and with `update` lays them over those with the same key.
 * @returns how many rows were written.
 */
export async function writeRows(
  client: Client,
  { table, columns, primaryKey }: TableShape,
  rows: readonly TextRow[],
  onConflict: 'nothing' | 'update',
): Promise<number> {
  if (rows.length === 0) return 0;
  const names = columns.map(({ name }) => `"${name}"`);
  const others = columns.filter(({ name }) => !primaryKey.includes(name)).map(({ name }) => `"${name}"`);
  const key = primaryKey.map((name) => `"${name}"`).join(', ');
  const conflict =
    onConflict === 'update' && others.length > 0
      ? `(${key}) DO UPDATE SET ${others.map((name) => `${name} = excluded.${name}`).join(', ')}`
      : 'DO NOTHING';
  const { rowCount } = await client.query(
    `INSERT INTO "${table}" (${names.join(', ')})
     SELECT ${columns.map(({ name, type }) => `u."${name}"::${type}`).join(', ')}
     FROM unnest(${columns.map((_, at) => `$${at + 1}::text[]`).join(', ')}) AS u (${names.join(', ')})
     ON CONFLICT ${conflict}`,
    columns.map(({ name }) => rows.map((row) => row[name] ?? null)),
  );
  return rowCount ?? 0;
}
