import { expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import { eventSet, recordSet } from '@callout/pipeline/ingest/store';
import { calloutSet } from '@callout/pipeline/match/store';
import { mergedSet } from '@callout/pipeline/match/merge/merge';
import { lateSet, settlementSet } from '@callout/pipeline/settle/store';
import { useDatabase } from '../../fixtures/own-database.ts';
import { rowSet, type SetColumn } from './row-set.ts';
import { readSqlFile } from './sql-file.ts';

const database = useDatabase(createDisposableDatabase);

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

it('a row set is passed as a JSON array of objects, with the values that parameters would have', async () => {
  const values = { number: 1.5, flag: true, none: null, text: 'a "\\" \ud83d\n', names: ['a,b', '"'] };
  const moment = new Date('2026-11-28T12:00:00.123Z');
  const set = rowSet<{ moment: Date; bytes: Buffer } & typeof values>([
    { column: 'number', type: 'numeric', from: 'number' },
    { column: 'flag', type: 'bool', from: 'flag' },
    { column: 'none', type: 'text', from: 'none' },
    { column: 'text', type: 'text', from: 'text' },
    { column: 'names', type: 'text[]', from: 'names' },
    { column: 'moment', type: 'timestamptz', from: 'moment' },
    { column: 'bytes', type: 'bytea', from: 'bytes' },
    { column: 'json', type: 'json', from: () => '{"a": [1, null]}' },
    { column: 'body', documents: 'json', from: () => '{"b":  2}' },
  ]);
  const [objects, documents] = set.jsonOf([{ ...values, moment, bytes: Buffer.from([0, 255, 10]) }]);
  expect(documents).toBe('[{"b":  2}]');
  const { rows } = await database.pool.query(
    `SELECT * FROM json_to_recordset($1::json) AS r (number float8, flag bool, none text, text text, names text[],
       moment timestamptz, bytes bytea, json json)`,
    [objects],
  );
  const text = values.text.replace('\ud83d', '\ufffd');
  expect(rows).toEqual([{ ...values, text, moment, bytes: Buffer.from([0, 255, 10]), json: { a: [1, null] } }]);
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
  ['match/match_store', calloutSet.columns],
  ['match/merge/merge_store', mergedSet.columns],
])('%s has the described rows as parameters', (file, columns) => {
  expect(setIn(file, columns[0]?.column ?? '', columns.length)).toEqual(shapeOf(columns));
});

it.each([
  ['ingest/ingest_store', 1, recordSet.columns],
  ['ingest/ingest_store', 4, eventSet.columns],
  ['settle/settle_store', 1, settlementSet.columns],
  ['settle/settle_late', 1, lateSet.columns],
])('%s has the described rows as objects from parameter %s on', (file, first, columns: readonly SetColumn<never>[]) => {
  const text = readSqlFile(file).text.replaceAll(/\s+/g, ' ');
  const plain = columns.flatMap((one) => ('documents' in one ? [] : [`${one.column} ${one.type}`]));
  const documents = columns.flatMap((one) => ('documents' in one ? [one.documents] : []));
  const elements = documents.map((type, nth) => `, ${type}_array_elements($${first + nth + 1}::${type})`).join('');
  const aliases = elements === '' ? '' : ` ) AS r (${columns.map(({ column }) => column).join(', ')})`;
  const recordset = `json_to_recordset($${first}::json) AS ${elements === '' ? 's ' : ''}(${plain.join(', ')})`;
  expect(text.replace(') AS e (', ') AS r (')).toContain(`${recordset}${elements}${aliases}`);
});
