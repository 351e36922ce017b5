// How many lines of source and of tests each package has, and the most that all of them may have together.
import { files, isTest, packageOf, packages, textOf } from './sources.mjs';

/** Lines of source, without tests: of what is shipped, and of everything. */
const MOST_LINES = { shipped: 94_007, all: 105_449 };

const lines = (some) => some.reduce((sum, file) => sum + textOf(file).split('\n').length - 1, 0);
const linesOf = (some) => ({
  source: lines(some.filter((file) => !isTest(file))),
  tests: lines(some.filter((file) => isTest(file))),
});
const shipped = linesOf(files.filter((file) => !file.startsWith('tools/')));
const all = linesOf(files);

/** Columns of the printed table: by package, and for everything together. */
export const lineColumns = new Map([
  ...packages.map((name) => [name, linesOf(files.filter((file) => packageOf(file) === name))]),
  ['shipped', shipped],
  ['all', all],
]);

export function tooManyLines() {
  return [
    ...(shipped.source > MOST_LINES.shipped ? [`what is shipped has more than ${MOST_LINES.shipped} lines`] : []),
    ...(all.source > MOST_LINES.all ? [`all sources have more than ${MOST_LINES.all} lines`] : []),
  ];
}
