// Holds what prose.mjs counts, package by package, and lists the files that need work.
import { holdBelow } from './bounds.mjs';
import { countProse, ratesOf } from './prose.mjs';
import { codeBelow, isTest, packageOf, packages, sources } from './sources.mjs';

/** Stand-ins in 100 words of comments, and mentions of bare names in 1,000 lines of code. */
const MOST = { standIns: 5.5, bareNames: 8 };
/** Packages above, with the figures that they may have until their comments and names are plain: only ever lowered. */
const ABOVE = {
  standIns: {
    'tools/bench': 10,
    'tools/e2e': 10.5,
    'tools/local': 10.5,
    'tools/testing': 10,
  },
  bareNames: {
    'tools/bench': 16,
    'tools/e2e': 29,
    'tools/local': 22,
    'tools/testing': 16,
  },
};

const rates = new Map(
  packages.map((name) => [name, ratesOf(countProse(sources.filter((file) => packageOf(file) === name)))]),
);

/** Columns of the printed table, by package and for everything together. */
export const proseColumns = new Map([...rates, ['all', ratesOf(countProse(sources))]]);

export function unclearProse() {
  const hold = (figure, what) =>
    holdBelow({
      figures: new Map([...rates].map(([name, rate]) => [name, rate[figure]])),
      most: MOST[figure],
      exceptions: ABOVE[figure],
      what,
      table: '.ci/structure/comments.mjs',
    });
  const held = [
    hold('standIns', 'stand-ins in 100 words of comments'),
    hold('bareNames', 'bare names in 1,000 lines of code'),
  ];
  return { problems: held.flatMap(({ problems }) => problems), notes: held.flatMap(({ notes }) => notes) };
}

/** Both figures of each file below some paths, as text: first the files with the most words and names to replace. */
export function listFiles(paths) {
  const rows = codeBelow(...paths)
    .filter((file) => !isTest(file))
    .map((file) => ({ name: file, counts: countProse([file]) }));
  const excess = ({ counts }) =>
    Math.max(0, counts.standIns - (MOST.standIns * counts.words) / 100) +
    Math.max(0, counts.bareNames - (MOST.bareNames * counts.codeLines) / 1000);
  const line = ({ name, counts }) => {
    const { standIns, bareNames } = ratesOf(counts);
    return [
      `${standIns.toFixed(1).padStart(5)} (${counts.standIns} of ${counts.words} words)`.padEnd(28),
      `${bareNames.toFixed(1).padStart(5)} (${counts.bareNames} in ${counts.codeLines} lines)`.padEnd(28),
      `${name}\n`,
    ].join('');
  };
  return [
    `${'stand-ins in 100 words'.padEnd(28)}${'bare names in 1,000 lines'.padEnd(28)}\n`,
    ...rows.toSorted((a, b) => excess(b) - excess(a)).map(line),
    line({ name: 'all', counts: countProse(rows.map(({ name }) => name)) }),
  ].join('');
}
