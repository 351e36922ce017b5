import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { mkdtemp, rm } from 'node:fs/promises';
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

/** What bash offers for each line, whose last word is being typed. All in one process. */
async function offered(...lines: string[]): Promise<string[][]> {
  const asked = lines.map(
    (line) =>
      `COMP_WORDS=(${line.endsWith(' ') ? `${line}''` : line}); COMP_CWORD=$((\${#COMP_WORDS[@]}-1)); _callout; echo "\${COMPREPLY[*]}"`,
  );
  const { stdout } = await run('bash', ['--norc', '-c', [`source ${scripts.bash}`, ...asked].join('\n')]);
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split(' ').filter((word) => word !== ''));
}

describe('callout completion', () => {
  it('offers commands, options and their values in bash', async () => {
    const [top, sub, admin, nested, option, value, file, free] = await offered(
      'callout web',
      'callout --json webhooks ',
      'callout admin ten',
      'callout admin tenants ',
      'callout deliveries list --st',
      'callout redeliver --state fa',
      `callout trigger --file ${directory}/ba`,
      'callout webhooks create --name web',
    );
    expect(top).toEqual(['webhooks']);
    expect(sub).toEqual(expect.arrayContaining(['list', 'create', 'rotate-secret']));
    expect(admin).toEqual(['tenants']);
    expect(nested).toEqual(expect.arrayContaining(['create', 'export']));
    expect(option).toEqual(['--state']);
    expect(value).toEqual(['failed']);
    expect(file).toEqual([`${directory}/bash`]);
    expect(free ?? []).toEqual([]);
  });

  it('is read without complaint by each shell that is installed', async () => {
    const checked: Shell[] = [];
    for (const shell of shells) {
      const ran = await run(shell, ['-n', scripts[shell]]).catch((error: unknown) => error as NodeJS.ErrnoException);
      if ('code' in ran && ran.code === 'ENOENT') continue;
      expect([shell, ran]).toEqual([shell, { stdout: '', stderr: '' }]);
      checked.push(shell);
    }
    expect(checked).toContain('bash');
  });

  it('refuses another shell, and knows which there are', async () => {
    expect(await runCommand(['completion', 'tcsh'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('bash, zsh, fish'),
    });
  });
});
