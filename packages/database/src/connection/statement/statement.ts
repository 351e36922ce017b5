import { type ClientBase, Pool, type QueryResultRow } from 'pg';
import { isTraced, timed } from '../transaction/transaction-trace.ts';
import { gatherWrites } from '../transaction/transaction.ts';
import { isLockOrderChecked, noteLocks, type LockRank, type LockStep } from '../locks/lock-order.ts';
import { readSqlFile, type SqlFile } from './sql-file.ts';

/** A statement that PostgreSQL parses once per connection. Returns its rows. */
export type Statement<Row> = (client: Pool | ClientBase, values: readonly unknown[]) => Promise<Row[]>;

const texts = new Map<string, string>();

/** The statements of all modules that were loaded, by their names. */
export const statements: ReadonlyMap<string, string> = texts;

/**
 * Names a statement, which each connection then prepares once. For the top level of a module.
 * @param locks the locked rows, where the transaction locks further rows.
 * @throws Error when another statement has the name: a connection would prepare the first statement and refuse the
 * second.
 */
export function statement<Row extends QueryResultRow>(
  name: string,
  text: string,
  ...locks: readonly LockRank[]
): Statement<Row> {
  return prepared(
    name,
    text,
    locks.map((rank) => ({ rank, unlessHeld: false })),
  );
}

const files = new Map<string, SqlFile>();

/** The files that were read, by the names for `statementFrom`. */
export const sqlFiles: ReadonlyMap<string, SqlFile> = files;

/**
 * The statement of a file in the folder `sql` beside the caller, prepared under the name of the file. For the top level
 * of a module.
 * @param file `<stage>/<name>` in the pipeline, `<package>:<folder>/<name>` in other packages: see `readSqlFile`.
 * @throws Error when the file does not exist, the header is incomplete, or another statement has the name.
 */
export function statementFrom<Row extends QueryResultRow>(file: string): Statement<Row> {
  const read = readSqlFile(file);
  files.set(file, read);
  return prepared(read.name, read.text, read.locks);
}

function prepared<Row extends QueryResultRow>(name: string, text: string, locks: readonly LockStep[]): Statement<Row> {
  if (texts.has(name)) throw new Error(`there are two statements ${name}`);
  texts.set(name, text);
  return async (client, values) => {
    if (isLockOrderChecked) noteLocks(client, name, locks);
    if (!(client instanceof Pool)) gatherWrites(client);
    const answer = client.query<Row>({ name, text, values: [...values] });
    return (await (isTraced(client) ? timed(client, name, answer) : answer)).rows;
  };
}

/** Turns rows into columns, the form of a set for `unnest`. */
export function columns<Row>(rows: readonly Row[], keys: readonly (keyof Row)[]): unknown[][] {
  return keys.map((key) => rows.map((row) => row[key]));
}

/** Documents as one JSON array, the form of a set of them for `json_array_elements`, which keeps their text. */
export function jsonArray(documents: readonly string[]): string {
  return `[${documents.join(',')}]`;
}
