import type { QueryResultRow } from 'pg';
import type { Client } from './database.ts';

/** A statement that PostgreSQL parses once per connection. Returns its rows. */
export type Statement<Row> = (client: Client, values: readonly unknown[]) => Promise<Row[]>;

/** Names a statement, so that each connection prepares it once. The name must be unique in this package. */
export function statement<Row extends QueryResultRow>(name: string, text: string): Statement<Row> {
  return async (client, values) => (await client.query<Row>({ name, text, values: [...values] })).rows;
}

/** Turns rows into columns, the form in which a set goes into `unnest`. */
export function columns<Row>(rows: readonly Row[], keys: readonly (keyof Row)[]): unknown[][] {
  return keys.map((key) => rows.map((row) => row[key]));
}

/** Documents as one JSON array, the form in which a set of them goes into `json_array_elements`, which keeps their text. */
export function jsonArray(documents: readonly string[]): string {
  return `[${documents.join(',')}]`;
}
