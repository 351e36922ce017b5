// SQL has two homes: Prisma's models for one row at a time, and files `sql/*.sql` for sets. Text of a statement in
// TypeScript is counted here, package by package. Three kinds are not counted: queries that SqlValues composes from a
// request, statements of the connection and the schema themselves, which run before any other, and commands such as
// BEGIN and SET, which are not statements on rows.
import { Visitor } from 'rolldown/utils';
import { holdBelow } from './bounds.mjs';
import { isTypeScript, packageOf, parse, sources, textOf } from './sources.mjs';

const BEGINS = /^\s*(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|WITH(?: RECURSIVE)? \w+.* AS)\b/;
const NOT_COUNTED = /^packages\/database\/src\/(?:connection|schema)\//;
const COMPOSER = /\bSqlValues\b/;
/** Packages with statements in TypeScript, and how many they may have: only ever lowered. */
const MORE = {
  'packages/pipeline': 14,
  // A list that Prisma's connections read, since the connections of the pool plan for keys.
  'packages/tenancy': 1,
  // One text for many tables: the name of the table is a part of the text.
  'packages/transfer': 14,
};

function countIn(file) {
  let count = 0;
  const isComposing = COMPOSER.test(textOf(file));
  new Visitor({
    Literal: ({ value }) => {
      if (typeof value === 'string' && BEGINS.test(value)) count += 1;
    },
    TemplateLiteral: ({ quasis: [first], expressions }) => {
      const isComposed = isComposing && expressions.length > 0;
      if (!isComposed && BEGINS.test(first.value.raw)) count += 1;
    },
  }).visit(parse(file).program);
  return count;
}

const figures = new Map();
for (const file of sources) {
  if (!isTypeScript(file) || !file.startsWith('packages/') || NOT_COUNTED.test(file)) continue;
  const count = countIn(file);
  if (count > 0) figures.set(packageOf(file), (figures.get(packageOf(file)) ?? 0) + count);
}

export const inlineStatements = () => [...figures.values()].reduce((sum, count) => sum + count, 0);
export const tooMuchInlineSql = () =>
  holdBelow({
    figures,
    most: 0,
    exceptions: MORE,
    what: 'statements in TypeScript: move them into files (packages/pipeline/STATEMENTS.md)',
    table: '.ci/structure/inline-sql.mjs',
  });
