// `npm run structure`: prints the lines of each package, and holds the structure that ARCHITECTURE.md promises: folders of
// at most 16 source files, no circle between folders, few barrels, and one vocabulary. Ends with status 1 when something
// does not hold. The console has no check of circles here: its imports are JSX, which oxlint reads.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

const MOST_FILES = 16;
const MOST_BARRELS = 25;
/** Lines of source, without tests: of what is shipped, and of everything. */
const MOST_LINES = { shipped: 95_000, all: 107_000 };
/** Words that the code has given up, with the word that it uses. */
const GIVEN_UP = [
  [/\brepeat keys?\b/i, 'idempotency key'],
  [/\bfollowers\b/i, 'successors'],
  [/\bunsound\b/i, 'invalid'],
  [/\bwhoever\b/i, 'a plain subject'],
  [/\bintake_[a-z]/, 'ingest'],
  [/\bstale_sign_in\b/, 'stale_authentication'],
  [/\bwhat came of\b/i, 'result'],
  [/\bbell\b/i, 'notice'],
  [/\bnone of those that\b/i, 'a plain subject'],
  [/\b(re|un)?sealed/i, 'encrypted or decrypted'],
  [/\btold\b/i, 'reported, notified or distinguished'],
  [/\b(un)?said\b/i, 'reported, stated or sent'],
  [/\bas far as\b/i, 'a plain condition'],
  [/\bwhat became of\b/i, 'result'],
  [/\b(takes?|took) leave\b/i, 'close or end'],
  [/\bgives? back\b/i, 'release or return'],
];

const root = execFileSync('git', ['rev-parse', '--show-toplevel'], { encoding: 'utf8' }).trim();
const files = execFileSync('git', ['ls-files', 'apps/*/src/**', 'packages/*/src/**', 'tools/*/src/**'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => /\.(ts|tsx|sql|css|js|cjs)$/.test(file) && !file.includes('/generated/'));
const isTest = (file) => /\.(test|fixture|suite|bench|drill)\.tsx?$|\/(fixtures|test)\//.test(file);
const packageOf = (file) => file.split('/').slice(0, 2).join('/');
const text = new Map(files.map((file) => [file, readFileSync(path.join(root, file), 'utf8')]));
const sources = files.filter((file) => !isTest(file));

const problems = [...tooManyLines(), ...fullFolders(), ...tooManyBarrels(), ...circles(), ...wordsGivenUp()];
for (const problem of problems) process.stderr.write(`${problem}\n`);
process.exitCode = problems.length > 0 ? 1 : 0;

function tooManyLines() {
  const names = [...new Set(files.map(packageOf))].toSorted((one, other) => one.localeCompare(other));
  const lines = (some) => some.reduce((sum, file) => sum + text.get(file).split('\n').length - 1, 0);
  const rows = names.map((name) => {
    const own = files.filter((file) => packageOf(file) === name);
    return { name, source: lines(own.filter((file) => !isTest(file))), tests: lines(own.filter(isTest)) };
  });
  const sum = (some) => ({
    source: some.reduce((total, { source }) => total + source, 0),
    tests: some.reduce((total, { tests }) => total + tests, 0),
  });
  const shipped = sum(rows.filter(({ name }) => !name.startsWith('tools/')));
  const all = sum(rows);
  for (const { name, source, tests } of [
    { name: 'lines of', source: 'source', tests: 'tests' },
    ...rows,
    { name: 'shipped', ...shipped },
    { name: 'all', ...all },
  ]) {
    process.stdout.write(`${name.padEnd(20)}${String(source).padStart(8)}${String(tests).padStart(8)}\n`);
  }
  return [
    ...(shipped.source > MOST_LINES.shipped ? [`what is shipped has more than ${MOST_LINES.shipped} lines`] : []),
    ...(all.source > MOST_LINES.all ? [`all sources have more than ${MOST_LINES.all} lines`] : []),
  ];
}

function fullFolders() {
  const counts = new Map();
  for (const file of sources) {
    if (!file.endsWith('.sql')) counts.set(path.dirname(file), (counts.get(path.dirname(file)) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > MOST_FILES)
    .map(
      ([folder, count]) => `${folder} has ${count} source files: at most ${MOST_FILES} are easy to find one's way in`,
    );
}

function tooManyBarrels() {
  const barrels = sources.filter((file) => /\/index\.ts$/.test(file));
  return barrels.length > MOST_BARRELS ? [`${barrels.length} barrels: name files by their paths instead`] : [];
}

/** The subject that a file belongs to: the folder below `src`, or below `rest`. Null: it puts subjects together. */
function subjectOf(file) {
  return /^(?:apps|packages)\/[^/]+\/src\/(?:rest\/)?[^/]+(?=\/)/.exec(file)?.[0] ?? null;
}

/** Subjects that import each other, directly or by way of others. */
function circles() {
  const arrows = new Map();
  for (const file of sources.filter((one) => one.endsWith('.ts') && !one.startsWith('apps/console/'))) {
    for (const [, target] of text.get(file).matchAll(/^(?:import|export)\b[^;]*?from '(\.[^']+)'/gm)) {
      const [from, to] = [subjectOf(file), subjectOf(path.join(path.dirname(file), target))];
      if (from !== to && from !== null && to !== null)
        arrows.set(from, (arrows.get(from) ?? new Map()).set(to, `${file} → ${target}`));
    }
  }
  const found = new Map();
  const done = new Set();
  const visit = (subject, way) => {
    const at = way.indexOf(subject);
    if (at >= 0) {
      const circle = way.slice(at);
      const first = circle.indexOf(circle.toSorted()[0]);
      const steps = [...circle.slice(first), ...circle.slice(0, first)];
      const files = steps.map((one, index) => `  ${arrows.get(one).get(steps[(index + 1) % steps.length])}`);
      found.set(steps.join(' → '), files.join('\n'));
    } else if (!done.has(subject)) {
      for (const next of arrows.get(subject)?.keys() ?? []) visit(next, [...way, subject]);
      done.add(subject);
    }
  };
  for (const subject of arrows.keys()) visit(subject, []);
  return [...found].map(([circle, files]) => `a circle: ${circle}\n${files}`);
}

function wordsGivenUp() {
  return files.flatMap((file) =>
    text
      .get(file)
      .split('\n')
      .flatMap((line, index) =>
        GIVEN_UP.filter(([pattern]) => pattern.test(line)).map(
          ([pattern, word]) => `${file}:${index + 1}: ${pattern.exec(line)[0]}: say ${word}`,
        ),
      ),
  );
}
