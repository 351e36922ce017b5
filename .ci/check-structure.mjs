// `npm run structure`: prints figures of each package, and holds the structure that ARCHITECTURE.md promises, a file of
// .ci/structure for each check. Ends with status 1 when something does not hold.
// `node .ci/check-structure.mjs --comments <folder or file>…` prints figures of comments and names file by file.
import { circles } from './structure/circles.mjs';
import { listFiles, proseColumns, unclearProse } from './structure/comments.mjs';
import { fullFolders, tooManyBarrels } from './structure/folders.mjs';
import { longFunctions, longestFunction } from './structure/functions.mjs';
import { inlineStatements, tooMuchInlineSql } from './structure/inline-sql.mjs';
import { lineColumns, tooManyLines } from './structure/lines.mjs';
import { filesOfSettings, scatteredSettings } from './structure/settings.mjs';
import { longStatements, mostParameters } from './structure/statements.mjs';
import { publicModules, unusedModules, wideSurfaces } from './structure/surfaces.mjs';
import { oldWords } from './structure/words.mjs';

const [option, ...paths] = process.argv.slice(2);
if (option === '--comments') process.stdout.write(listFiles(paths));
else checkAll();

function checkAll() {
  printTable();
  const withExceptions = [
    longFunctions(),
    longStatements(),
    tooMuchInlineSql(),
    wideSurfaces(),
    scatteredSettings(),
    unclearProse(),
  ];
  const problems = [
    ...tooManyLines(),
    ...fullFolders(),
    ...tooManyBarrels(),
    ...circles(),
    ...unusedModules(),
    ...oldWords(),
    ...withExceptions.flatMap((check) => check.problems),
  ];
  for (const note of withExceptions.flatMap((check) => check.notes)) process.stdout.write(`${note}\n`);
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  process.exitCode = problems.length > 0 ? 1 : 0;
}

function printTable() {
  const print = (name, cells) =>
    process.stdout.write(`${name.padEnd(20)}${cells.map((cell) => String(cell).padStart(12)).join('')}\n`);
  print('', ['source', 'tests', 'public', 'stand-ins', 'bare names']);
  for (const [name, { source, tests }] of lineColumns) {
    const { standIns, bareNames } = proseColumns.get(name) ?? {};
    print(name, [
      source,
      tests,
      publicModules.get(name) ?? '',
      standIns?.toFixed(1) ?? '',
      bareNames?.toFixed(1) ?? '',
    ]);
  }
  process.stdout.write(`longest function: ${longestFunction()} lines\n`);
  process.stdout.write(`most parameters of a statement: ${mostParameters()}\n`);
  process.stdout.write(`statements in TypeScript: ${inlineStatements()}\n`);
  const scattered = [...filesOfSettings].toSorted(([, one], [, other]) => other - one);
  process.stdout.write(`files that name a setting: ${scattered.map((one) => one.join(' ')).join(', ')}\n`);
}
