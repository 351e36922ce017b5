// `npm run check:commits -- <range>`: checks subject, body and compilation of each commit of a range, such as
// `main..HEAD`, oldest first, in a worktree of its own. Ends with status 1 when a commit has a problem.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const SUBJECT_CHARACTERS = 72;
/** What is compiled with when a commit has the same of it as this checkout; otherwise it gets an install of its own. */
const LOCK = 'package-lock.json';
const SCHEMA = 'prisma/schema.prisma';
/** Makes the types of the client, which are not in git. */
const CLIENT_TYPES = 'packages/client/generate.mjs';

const [range] = process.argv.slice(2);
if (range === undefined || !range.includes('..')) {
  process.stderr.write('Usage: npm run check:commits -- <range>, such as main..HEAD\n');
  process.exit(2);
}

const root = git(process.cwd(), 'rev-parse', '--show-toplevel');
const commits = git(root, 'rev-list', '--reverse', '--no-merges', range).split('\n').filter(Boolean);
const tree = mkdtempSync(path.join(tmpdir(), 'callout-commits-'));
let compiledWith = { lock: '', schema: '' };
let faulty = 0;

process.on('exit', removeTree);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));
git(root, 'worktree', 'add', '--quiet', '--detach', '--no-checkout', tree);
for (const commit of commits) {
  const problems = [...messageProblems(commit), ...compileProblems(commit)];
  if (problems.length > 0) faulty += 1;
  const line = git(root, 'log', '-1', '--format=%h %s', commit);
  process.stdout.write(`${problems.length === 0 ? 'ok ' : 'BAD'} ${line}\n`);
  for (const problem of problems) process.stdout.write(`      ${problem.replaceAll('\n', '\n      ')}\n`);
}
process.stdout.write(`${commits.length} commits, ${faulty} with problems\n`);
process.exitCode = faulty > 0 ? 1 : 0;

/** @param {string} cwd @param {...string} args @returns {string} what git printed */
function git(cwd, ...args) {
  return execFileSync('git', args, { cwd, encoding: 'utf8' }).trim();
}

/** @param {string} commit @returns {string[]} */
function messageProblems(commit) {
  const subject = git(root, 'log', '-1', '--format=%s', commit);
  const body = git(root, 'log', '-1', '--format=%b', commit);
  return [
    ...(subject.length > SUBJECT_CHARACTERS ? [`the subject has ${subject.length} characters, 72 are allowed`] : []),
    ...(/^[^:\s][^:]*: \S/.test(subject) ? [] : ['the subject is not "place: imperative"']),
    ...(body === '' ? ['there is no body that says why'] : []),
  ];
}

/** @param {string} commit @returns {string[]} */
function compileProblems(commit) {
  git(tree, 'checkout', '--quiet', '--detach', '--force', commit);
  const [lock, schema] = [LOCK, SCHEMA].map((file) => blobOf(commit, file));
  if (lock !== compiledWith.lock) {
    rmSync(path.join(tree, 'node_modules'), { recursive: true, force: true });
    if (lock === git(root, 'hash-object', LOCK)) linkModules();
    else if (!run('npm', 'ci', '--no-audit', '--no-fund').ok) return ['npm ci fails'];
  }
  if (schema !== '' && (schema !== compiledWith.schema || lock !== compiledWith.lock)) {
    const generated = run(path.join(tree, 'node_modules/.bin/prisma'), 'generate');
    if (!generated.ok) return [`prisma generate fails:\n${generated.output}`];
  }
  compiledWith = { lock, schema };
  // The client's types are made from the API of each commit.
  if (blobOf(commit, CLIENT_TYPES) !== '') {
    const typed = run('npm', 'run', '--silent', 'api-types');
    if (!typed.ok) return [`npm run api-types fails:\n${typed.output}`];
  }
  const compiled = run(path.join(tree, 'node_modules/.bin/tsc'), '-b');
  return compiled.ok ? [] : [`it does not compile:\n${compiled.output}`];
}

/** @param {string} commit @param {string} file @returns {string} empty when the commit does not have it */
function blobOf(commit, file) {
  const { status, stdout } = spawnSync('git', ['rev-parse', '--quiet', '--verify', `${commit}:${file}`], { cwd: root });
  return status === 0 ? String(stdout).trim() : '';
}

/** Links each package; those of the workspace, and what is made from them, must come from the commit. */
function linkModules() {
  const [from, to] = [path.join(root, 'node_modules'), path.join(tree, 'node_modules')];
  mkdirSync(to);
  for (const name of readdirSync(from))
    if (name !== '@callout' && name !== '.cache') symlinkSync(path.join(from, name), path.join(to, name));
  mkdirSync(path.join(to, '@callout'));
  for (const part of ['apps', 'packages', 'tools']) {
    if (!existsSync(path.join(tree, part))) continue;
    for (const name of readdirSync(path.join(tree, part))) {
      symlinkSync(path.join(tree, part, name), path.join(to, '@callout', name));
      const own = path.join(root, part, name, 'node_modules');
      if (existsSync(own)) symlinkSync(own, path.join(tree, part, name, 'node_modules'));
    }
  }
}

/** @param {string} command @param {...string} args @returns {{ ok: boolean, output: string }} */
function run(command, ...args) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: tree, encoding: 'utf8' });
  return { ok: status === 0, output: `${stdout}${stderr}`.trim().split('\n').slice(0, 20).join('\n') };
}

function removeTree() {
  spawnSync('git', ['worktree', 'remove', '--force', tree], { cwd: root });
  rmSync(tree, { recursive: true, force: true });
}
