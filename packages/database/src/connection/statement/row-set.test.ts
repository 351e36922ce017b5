import { expect, it } from '@jest/globals';
import { eventSet, recordSet } from '@callout/pipeline/ingest/rows';
import { calloutSet } from '@callout/pipeline/match/store';
import { mergedSet } from '@callout/pipeline/match/merge/merge';
import { attemptSet } from '@callout/pipeline/settle/settle';
import { rowSet, type SetColumn } from './row-set.ts';
import { readSqlFile } from './sql-file.ts';

it('a row set is passed as arrays for unnest, and documents as one JSON array', () => {
  const set = rowSet<{ id: number; json: string }>([
    { column: 'id', type: 'int', from: 'id' },
    { column: 'twice', type: 'int', from: ({ id }) => 2 * id },
    { column: 'body', documents: 'json', from: 'json' },
  ]);
  const rows = [
    { id: 1, json: '{"a": 1}' },
    { id: 2, json: '{}' },
  ];
  expect(set.valuesOf(rows)).toEqual([[1, 2], [2, 4], '[{"a": 1},{}]']);
});

/** The parameters of the set of a statement that has these columns, in order, and the columns that they become. */
function setIn(file: string, first: string, count: number): { parameters: string[]; columns: string[] } {
  const text = readSqlFile(file).text.replaceAll(/\s+/g, ' ');
  const [set] = [
    ...text.matchAll(/FROM (?:ROWS FROM )?\(? ?((?:unnest|jsonb?_array_elements)\([^;]*?)\) AS \w+ \(([^)]*)\)/g),
  ]
    .map(([, parameters = '', columns = '']) => ({ parameters, columns: columns.trim().split(/, ?/) }))
    .filter((one) => one.columns[0] === first && one.columns.length === count);
  if (set === undefined) throw new Error(`${file} has no set of ${count} columns that begins with ${first}`);
  const found = [...set.parameters.matchAll(/\$(\d+)::(\w+(?:\[\])?)/g)];
  const numbers = found.map(([, number]) => Number(number));
  expect(numbers).toEqual(numbers.map((_number, index) => (numbers[0] ?? 0) + index));
  return { parameters: found.map(([, , type = '']) => type), columns: set.columns };
}

function shapeOf(columns: readonly SetColumn<never>[]): { parameters: string[]; columns: string[] } {
  return {
    parameters: columns.map((one) => ('documents' in one ? one.documents : `${one.type}[]`)),
    columns: columns.map(({ column }) => column),
  };
}

it.each([
  ['ingest/ingest_store', eventSet.columns],
  ['ingest/ingest_store', recordSet.columns],
  ['match/match_store', calloutSet.columns],
  ['match/merge/merge_store', mergedSet.columns],
  ['settle/delivery_settle', attemptSet.columns],
  ['settle/delivery_log_attempts', attemptSet.columns],
])('%s has the described rows as parameters', (file, columns) => {
  expect(setIn(file, columns[0]?.column ?? '', columns.length)).toEqual(shapeOf(columns));
});
