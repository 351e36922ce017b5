// A statement takes few parameters: rows are passed as one array of JSON or of a composite type.
import { holdBelow } from './bounds.mjs';
import { sources, textOf } from './sources.mjs';

const MOST_PARAMETERS = 12;
/** Statements with more, and how many they may have until they are changed: only ever lowered. */
const MORE = {
  'packages/pipeline/src/match/merge/sql/merge_store.sql': 25,
  'packages/pipeline/src/match/sql/match_store.sql': 28,
};

const figures = new Map(
  sources
    .filter((file) => file.endsWith('.sql'))
    .map((file) => [file, Math.max(0, ...[...textOf(file).matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)))]),
);

export const mostParameters = () => Math.max(...figures.values());
export const longStatements = () =>
  holdBelow({
    figures,
    most: MOST_PARAMETERS,
    exceptions: MORE,
    what: 'parameters',
    table: '.ci/structure/statements.mjs',
  });
