import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';

const ROOT = path.resolve(import.meta.dirname, '../../..');
let repository: string;

/** Runs a program in the repository. @returns its status and its output, both streams. */
async function run(program: string, ...args: string[]): Promise<{ status: number; output: string }> {
  return new Promise((resolve) => {
    execFile(program, args, { cwd: repository }, (error, stdout, stderr) => {
      resolve({ status: Number(error?.code ?? 0), output: stdout + stderr });
    });
  });
}

const check = (...args: string[]) => run(process.execPath, path.join(ROOT, '.ci/check-structure.mjs'), ...args);

async function write(file: string, ...lines: string[]): Promise<void> {
  await mkdir(path.dirname(path.join(repository, file)), { recursive: true });
  await writeFile(path.join(repository, file), `${lines.join('\n')}\n`);
}

beforeAll(async () => {
  repository = await mkdtemp(path.join(tmpdir(), 'callout-check-structure-'));
  await run('git', 'init', '--initial-branch', 'main');
  await symlink(path.join(ROOT, 'node_modules'), path.join(repository, 'node_modules'));
  for (const name of ['plain', 'riddle', 'long']) await write(`packages/${name}/package.json`, '{}');
});

afterAll(() => rm(repository, { recursive: true }));

it('counts stand-ins in comments and bare names in code, file by file, and not in strings, tests or code in comments', async () => {
  await write(
    'packages/plain/src/plain.ts',
    '/** Sends `this` callout to the receiver. */',
    "export const url = '// it';",
  );
  await write(
    'packages/riddle/src/riddle.ts',
    '// None of those: it is known.',
    'export function tell(known: number[], { found }: { found: number }) {',
    '  const call = { open: `it ${known.length} // those`, left: 1 };',
    '  return call.left + found; // so',
    '}',
  );
  await write('packages/riddle/src/riddle.sql', '-- $1 uuid  its key; it is one of these', 'SELECT $1 AS those');
  await write('packages/riddle/src/riddle.test.ts', '// it', 'const held = 1;');
  const { output, status } = await check('--comments', 'packages');
  const rows = output.split('\n').map((line) => line.trim().split(/ {2,}/));
  expect(rows.slice(1, -1)).toEqual([
    ['57.1 (4 of 7 words)', '1250.0 (5 in 4 lines)', 'packages/riddle/src/riddle.ts'],
    ['50.0 (4 of 8 words)', '0.0 (0 in 1 lines)', 'packages/riddle/src/riddle.sql'],
    ['0.0 (0 of 5 words)', '0.0 (0 in 1 lines)', 'packages/plain/src/plain.ts'],
    ['40.0 (8 of 20 words)', '833.3 (5 in 6 lines)', 'all'],
  ]);
  expect(status).toBe(0);
});

it('refuses long functions, statements with many parameters, and packages above the bounds', async () => {
  const body = Array.from({ length: 79 }, (_, index) => `  // line ${index}`);
  await write(
    'packages/long/src/long.ts',
    'export function fits() {',
    ...body.slice(1),
    '}',
    'export const long = () => {',
    ...body,
    '};',
  );
  await write('packages/long/src/sql/long.sql', 'SELECT $12, $1;');
  await write('packages/long/src/sql/longer.sql', 'SELECT $13, $1;');
  const { output, status } = await check();
  const problems = output
    .split('\n')
    .filter((line) => line.includes('at most') && !line.includes('take the exception'));
  expect(problems).toEqual([
    'packages/long/src/long.ts#long has 81 lines, at most 80',
    'packages/long/src/sql/longer.sql has 13 parameters, at most 12',
    'packages/riddle has 53.3 stand-ins in 100 words of comments, at most 5.5',
    'packages/riddle has 1000 bare names in 1,000 lines of code, at most 8',
  ]);
  expect(status).toBe(1);
});

it('refuses wide surfaces, and public modules that no other package imports', async () => {
  const files = Array.from({ length: 13 }, (_, index) => `module-${index}`);
  for (const file of files) await write(`packages/wide/src/${file}.ts`, 'export const text = 1;');
  await write('packages/wide/package.json', JSON.stringify({ exports: { './*': './src/*.ts' } }));
  await write('packages/narrow/src/used.ts', 'export const used = 1;');
  const exports = { './used': './src/used.ts', './unused': './src/unused.ts', './fixtures/*': './src/fixtures/*.ts' };
  await write('packages/narrow/package.json', JSON.stringify({ exports }));
  await write('packages/plain/src/plain.ts', "import '@callout/narrow/used';");
  const { output } = await check();
  expect(output).toContain('packages/wide has 13 public modules, at most 12\n');
  expect(output).toContain('packages/narrow exports ./unused, which nothing else imports\n');
  expect(output).not.toContain('packages/narrow exports ./used');
  expect(output).toMatch(/^packages\/narrow +1 +0 +2 /m);
});
