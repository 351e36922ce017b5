import type { Client } from '@callout/database/connection/database';
import type { Pool } from 'pg';

/** A row as PostgreSQL writes it: the text of every value, which is the same value again when it is read. */
export type TextRow = Record<string, string | null>;

/** A table as the catalogue has it. */
export interface TableShape {
  readonly table: string;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly primaryKey: readonly string[];
}

/** Reads the columns of a table. @throws Error without such a table. */
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

/** @param rest the SQL after `WHERE`; the table is `t`. */
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

/** Stores rows, and with `update` replaces those with the same key. @returns the number of written rows. */
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

/**
 * The same error logs with ids that no row of the target has. Ids come from the time and a number of the installation,
 * so two zones may have assigned the same one: then the next free id is used, and the order of the rows stays.
 */
export async function withFreeIds(target: Client, rows: readonly TextRow[]): Promise<readonly TextRow[]> {
  let made = rows;
  for (;;) {
    const taken = await takenIds(
      target,
      made.map(({ id }) => id ?? ''),
    );
    if (taken.size === 0) return made;
    const used = new Set([...made.map(({ id }) => id ?? ''), ...taken]);
    made = made.map((row) => (taken.has(row['id'] ?? '') ? { ...row, id: nextFree(row['id'] ?? '', used) } : row));
  }
}

function nextFree(id: string, used: Set<string>): string {
  let next = id;
  while (used.has(next)) next = String(BigInt(next) + 1n);
  used.add(next);
  return next;
}

async function takenIds(target: Client, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await target.query<{ id: string }>(
    'SELECT id::text FROM webhook_event_error_logs WHERE id = ANY($1::bigint[])',
    [ids],
  );
  return new Set(rows.map(({ id }) => id));
}

const idsPerRead = 5_000;

/** The number of a tenant's error logs with ids that are used in the target. */
export async function countTakenIds(source: Pool, target: Pool, tenantId: number): Promise<number> {
  let count = 0;
  for (let after = '-1'; ;) {
    const { rows } = await source.query<{ id: string }>(
      'SELECT l.id::text FROM webhook_event_error_logs l WHERE l.tenant_id = $1 AND l.id > $2 ORDER BY l.id LIMIT $3',
      [tenantId, after, idsPerRead],
    );
    const last = rows.at(-1);
    if (last === undefined) return count;
    const taken = await takenIds(
      target,
      rows.map(({ id }) => id),
    );
    count += taken.size;
    after = last.id;
  }
}
