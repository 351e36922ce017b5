import { jsonArray } from './statement.ts';

/** A column of the rows in a set, and the source of the values. */
export type SetColumn<Row> = { column: string; from: keyof Row | ((row: Row) => unknown) } & (
  | {
      /** The type of one value: the parameter is an array, for `unnest`. */
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
  /** One parameter per column. */
  valuesOf(rows: readonly Row[]): unknown[];
}

/** Describes rows once, for their parameters and for the test that compares them with the statement. */
export function rowSet<Row>(columns: readonly SetColumn<Row>[]): RowSet<Row> {
  return {
    columns,
    valuesOf: (rows) =>
      columns.map((column) => {
        const { from } = column;
        const values = rows.map((row) => (typeof from === 'function' ? from(row) : row[from]));
        return 'documents' in column ? jsonArray(values as string[]) : values;
      }),
  };
}
