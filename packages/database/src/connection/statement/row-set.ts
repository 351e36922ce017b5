import { jsonArray } from './statement.ts';

/** A column of the rows in a set, and the source of the values. */
export type SetColumn<Row> = { column: string; from: keyof Row | ((row: Row) => unknown) } & (
  | {
      /** The type of one value. Values of `json` and `jsonb` are JSON in text. */
      type: string;
    }
  | {
      /** JSON in text: the parameter is one JSON array, for `json_array_elements`, which keeps the text. */
      documents: 'json' | 'jsonb';
    }
);

/** Rows of one shape as the parameters of a statement. */
export interface RowSet<Row> {
  /** In the order of the parameters. */
  columns: readonly SetColumn<Row>[];
  /** One parameter per column: arrays for `unnest`. */
  valuesOf(rows: readonly Row[]): unknown[];
  /** One JSON array of objects, for `json_to_recordset`, and one parameter per column of documents. */
  jsonOf(rows: readonly Row[]): string[];
}

/** Describes rows once, for their parameters and for the test that compares them with the statement. */
export function rowSet<Row>(columns: readonly SetColumn<Row>[]): RowSet<Row> {
  const valueOf = ({ from }: SetColumn<Row>, row: Row) => (typeof from === 'function' ? from(row) : row[from]);
  const documentsOf = (column: SetColumn<Row>, rows: readonly Row[]) =>
    jsonArray(rows.map((row) => valueOf(column, row) as string));
  const plain = columns.flatMap((column) => ('documents' in column ? [] : [column]));
  const documents = columns.filter((column) => 'documents' in column);
  const objectOf = (row: Row) =>
    `{${plain.map((column) => `"${column.column}":${jsonValue(valueOf(column, row), column.type)}`).join(',')}}`;
  return {
    columns,
    valuesOf: (rows) =>
      columns.map((column) =>
        'documents' in column ? documentsOf(column, rows) : rows.map((row) => valueOf(column, row)),
      ),
    jsonOf: (rows) => [jsonArray(rows.map(objectOf)), ...documents.map((column) => documentsOf(column, rows))],
  };
}

/** A value as JSON from which `json_to_recordset` makes a value of the type. */
function jsonValue(value: unknown, type: string): string {
  if (value === null) return 'null';
  if (type === 'json' || type === 'jsonb') return value as string;
  // Half a surrogate pair becomes U+FFFD, as in a parameter of its own: JSON would keep it, and PostgreSQL refuse it.
  if (typeof value === 'string') return JSON.stringify(value.toWellFormed());
  if (Buffer.isBuffer(value)) return `"\\\\x${value.toString('hex')}"`;
  return JSON.stringify(value);
}
