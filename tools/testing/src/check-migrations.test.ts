import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';

const SCRIPT = path.resolve(import.meta.dirname, '../../../.ci/check-migrations.mjs');
let repository: string;

/** Runs a program in the repository. @returns its status and its output, both streams. */
async function run(program: string, ...args: string[]): Promise<{ status: number; output: string }> {
  return new Promise((resolve) => {
    execFile(program, args, { cwd: repository }, (error, stdout, stderr) => {
      resolve({ status: Number(error?.code ?? 0), output: stderr + stdout });
    });
  });
}

const check = () => run(process.execPath, SCRIPT);
const fileOf = (name: string) => path.join(repository, 'prisma/migrations', name, 'migration.sql');

async function write(name: string, text: string): Promise<void> {
  await mkdir(path.dirname(fileOf(name)), { recursive: true });
  await writeFile(fileOf(name), text);
}

beforeAll(async () => {
  repository = await mkdtemp(path.join(tmpdir(), 'callout-check-migrations-'));
  await run('git', 'init', '--initial-branch', 'main');
  await write('1_init', 'CREATE TABLE one ();');
  await write('2_two', 'CREATE TABLE two ();');
  await run('git', 'add', '--all');
  const author = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', '-c', 'commit.gpgSign=false'];
  await run('git', ...author, 'commit', '-m', 'all: begin');
});
afterAll(() => rm(repository, { recursive: true }));

/** The steps of a release: see CONTRIBUTING.md. */
const list = () => run('/bin/sh', '-c', 'cd prisma/migrations && sha256sum */migration.sql > released.sha256');

async function linesOfCheck(): Promise<[number, string[]]> {
  const { status, output } = await check();
  return [status, output.trimEnd().split('\n')];
}

it('lets migrations change until a release has them, and only be added to from then on', async () => {
  expect(await linesOfCheck()).toEqual([0, ['migrations: no release is known here']]);
  await list();
  await write('3_three', 'CREATE TABLE three ();');
  expect(await linesOfCheck()).toEqual([0, ['migrations: compared with 2 of released.sha256']]);
  await write('1_init', 'CREATE TABLE another ();');
  await rm(fileOf('2_two'));
  expect(await linesOfCheck()).toEqual([
    1,
    [
      'prisma/migrations/1_init/migration.sql was released and is edited: put the change into a migration of its own',
      'prisma/migrations/2_two/migration.sql is missing: it was released',
      'migrations: compared with 2 of released.sha256',
    ],
  ]);
});

it('compares with the tags of releases, too, so that editing the list hides nothing', async () => {
  await run('git', 'checkout', '--', '.');
  await list();
  await run('git', 'tag', 'v0.4.0');
  await write('1_init', 'CREATE TABLE another ();');
  await list();
  expect(await linesOfCheck()).toEqual([
    1,
    [
      'prisma/migrations/1_init/migration.sql differs from v0.4.0: put the change into a migration of its own',
      'migrations: compared with 3 of released.sha256, v0.4.0',
    ],
  ]);
});

it('wants every migration of a tag in the list', async () => {
  await run('git', 'checkout', '--', '.');
  await rm(path.join(repository, 'prisma/migrations/released.sha256'));
  const [status, lines] = await linesOfCheck();
  expect(status).toBe(1);
  expect(lines).toContain('prisma/migrations/released.sha256 lacks prisma/migrations/2_two/migration.sql of v0.4.0');
});
