import { execFile } from 'node:child_process';
import { writeFile, mkdtemp, rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runCommand } from '../run-command.fixture.ts';
import { type Shell, shells } from './scripts.ts';

const run = promisify(execFile);
let directory: string;
const scripts = {} as Record<Shell, string>;

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'callout-completion-'));
  for (const shell of shells) {
    scripts[shell] = path.join(directory, shell);
    await writeFile(scripts[shell], (await runCommand(['completion', shell])).stdout);
  }
});
afterAll(() => rm(directory, { recursive: true }));

/** The suggestions of a shell for each line, whose last word is being typed. All in one process. */
async function offered(shell: Shell, lines: readonly string[]): Promise<string[][]> {
  const { stdout, stderr } = await run(shell, [
    ...{ bash: ['--norc'], zsh: ['-f'], fish: ['--no-config'] }[shell],
    '-c',
    { bash: askBash, zsh: askZsh, fish: askFish }[shell](lines),
  ]);
  expect([shell, stderr]).toEqual([shell, '']);
  return stdout.split('\n').map((line) => line.split(' ').filter((word) => word !== ''));
}

const wordsOf = (line: string) => (line.endsWith(' ') ? `${line}''` : line);

const askBash = (lines: readonly string[]) =>
  [
    `source ${scripts.bash}`,
    ...lines.map(
      (line) =>
        // Bash splits --state=fa into three words before it calls the function.
        `COMP_WORDS=(${wordsOf(line.replace('=', ' = '))}); COMP_CWORD=$((\${#COMP_WORDS[@]}-1)); _callout; echo "\${COMPREPLY[*]}"`,
    ),
  ].join('\n');

/** Without a terminal zsh has no completion, so the function that the script calls prints its arguments. */
const askZsh = (lines: readonly string[]) =>
  [
    'compdef() { :; }',
    'compset() { PREFIX=${PREFIX#*=}; }',
    '_message() { :; }',
    '_files() { print -r -- $PREFIX*; }',
    '_describe() { local all=(${(P)argv[-1]}); print -r -- ${(M)${all%%:*}:#$PREFIX*}; }',
    'compadd() { shift; print -r -- ${(M)@:#$PREFIX*}; }',
    `source ${scripts.zsh}`,
    ...lines.map((line) => `words=(${wordsOf(line)}); CURRENT=$#words; PREFIX=$words[-1]; print -r -- "$(_callout)"`),
  ].join('\n');

const askFish = (lines: readonly string[]) =>
  [
    `source ${scripts.fish}`,
    // After a tab, each word has its description; a value has its option before it.
    ...lines.map(
      (line) => `echo (complete -C '${line}' | string replace -r '\\t.*' '' | string replace -r '^--state=' '')`,
    ),
  ].join('\n');

/** The shells of this machine; bash in any case. */
async function installedShells(): Promise<Shell[]> {
  const found = await Promise.all(
    shells.map((shell) =>
      run(shell, ['-c', 'true']).then(
        () => [shell],
        (): Shell[] => [],
      ),
    ),
  );
  return found.flat();
}

describe('callout completion', () => {
  it('offers commands, options and their values in each shell that is installed', async () => {
    const installed = await installedShells();
    expect(installed).toContain('bash');
    for (const shell of installed) {
      const [top, sub, admin, nested, option, value, joined, file, free, named, chosen, last] = await offered(shell, [
        'callout web',
        'callout --json webhooks ',
        'callout admin ten',
        'callout admin tenants ',
        'callout deliveries list --st',
        'callout redeliver --state fa',
        'callout redeliver --state=fa',
        `callout trigger --file ${directory}/ba`,
        'callout webhooks create --name web',
        'callout --profile admin whoa',
        'callout completion z',
        'callout deliveries tail --state wa',
      ]);
      expect(top).toEqual(['webhooks']);
      expect(sub).toEqual(expect.arrayContaining(['list', 'create', 'rotate-secret']));
      expect(admin).toEqual(['tenants']);
      expect(nested).toEqual(expect.arrayContaining(['create', 'export']));
      expect(option).toEqual(['--state']);
      expect(value).toEqual(['failed']);
      expect(joined).toEqual(['failed']);
      expect(file).toEqual([`${directory}/bash`]);
      expect(free).toEqual([]);
      expect(named).toEqual(['whoami']);
      expect(chosen).toEqual(['zsh']);
      expect(last).toEqual(['waiting']);
    }
  });

  it('refuses another shell, and knows which there are', async () => {
    expect(await runCommand(['completion', 'tcsh'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('bash, zsh, fish'),
    });
  });
});
