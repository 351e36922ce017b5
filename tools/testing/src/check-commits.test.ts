import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
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

async function commit(source: string, ...paragraphs: string[]): Promise<void> {
  await writeFile(path.join(repository, 'one.ts'), source);
  const author = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', '-c', 'commit.gpgSign=false'];
  await run('git', 'add', '--all');
  await run('git', ...author, 'commit', ...paragraphs.flatMap((paragraph) => ['-m', paragraph]));
}

beforeAll(async () => {
  repository = await mkdtemp(path.join(tmpdir(), 'callout-check-commits-'));
  await run('git', 'init', '--initial-branch', 'main');
  await writeFile(path.join(repository, '.gitignore'), 'node_modules\ndist\n');
  await writeFile(path.join(repository, 'package-lock.json'), '{}');
  const compilerOptions = { composite: true, outDir: 'dist', types: [] };
  await writeFile(path.join(repository, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['one.ts'] }));
  await symlink(path.join(ROOT, 'node_modules'), path.join(repository, 'node_modules'));
  await commit('export const one = 0;', 'all: begin', 'Not in the range.');
});

afterAll(() => rm(repository, { recursive: true }));

const check = (range: string) => run(process.execPath, path.join(ROOT, '.ci/check-commits.mjs'), range);

it('says for each commit of the range what is wrong with it, and leaves nothing behind', async () => {
  await commit('export const one = 1;', 'one: be 1', 'It was 0, which is none.');
  await commit("export const one: number = '1';", `one: be ${'a text '.repeat(12)}`.trim());
  await commit('export const one = 2;', 'Be 2', 'More is better.');
  const { status, output } = await check('HEAD~3..HEAD');
  expect(output.replaceAll(/(ok |BAD) [0-9a-f]{7,}/g, '$1')).toBe(
    [
      'ok  one: be 1',
      `BAD one: be ${'a text '.repeat(12).trim()}`,
      '      the subject has 91 characters, 72 are allowed',
      '      there is no body that says why',
      '      it does not compile:',
      "      one.ts(1,14): error TS2322: Type 'string' is not assignable to type 'number'.",
      'BAD Be 2',
      '      the subject is not "place: imperative"',
      '3 commits, 2 with problems',
      '',
    ].join('\n'),
  );
  expect(status).toBe(1);
  expect((await run('git', 'worktree', 'list')).output.trim().split('\n')).toHaveLength(1);
});

it('is content with a range without problems, and needs one', async () => {
  await commit('export const one = 3;', 'one: be 3', 'More is better.');
  expect(await check('HEAD~1..HEAD')).toMatchObject({ status: 0 });
  expect(await check('HEAD')).toEqual({ status: 2, output: expect.stringContaining('Usage:') });
});
