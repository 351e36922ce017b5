import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runCommand } from './run-command.fixture.ts';
import { type Shell, shells } from './completion-scripts.ts';

const run = promisify(execFile);

/** The words that are suggested for a line, whose last word is being typed. */
async function suggested(line: string, shell: Shell = 'bash'): Promise<string[]> {
  const { status, stdout } = await runCommand(['completion', shell, '--', ...line.split(' ').slice(1)]);
  expect(status).toBe(0);
  return stdout.split('\n').filter((word) => word !== '');
}

describe('callout completion', () => {
  it.each([
    ['callout web', ['webhooks']],
    ['callout admin ten', ['tenants']],
    ['callout admin tenants c', ['create']],
    ['callout --json webhooks ro', ['rotate-secret']],
    ['callout --profile admin whoa', ['whoami']],
    ['callout deliveries list --st', ['--state']],
    ['callout admin deliveries list --js', ['--json']],
    ['callout redeliver --state fa', ['failed']],
    ['callout redeliver --state = fa', ['failed']],
    ['callout redeliver --state=fa', ['--state=failed']],
    ['callout failed list --reason status5', ['status5xx']],
    ['callout admin credentials create --role int', ['integrator']],
    ['callout deliveries tail --state wa', ['waiting']],
    ['callout completion z', ['zsh']],
    ['callout trigger --file ba', [':files']],
    ['callout webhooks create --name web', []],
    ['callout nonsense --nothing x', []],
  ])('completes %j', async (line, words) => {
    expect(await suggested(line)).toEqual(words);
  });

  it('offers everything that may follow where nothing is typed yet', async () => {
    expect(await suggested('callout webhooks ')).toEqual(expect.arrayContaining(['list', 'create', 'test']));
    expect(await suggested('callout redeliver --state =')).toEqual(expect.arrayContaining(['failed', 'due']));
    expect(await suggested('callout whoami --')).toEqual(['--json', '--profile', '--help']);
  });

  it('describes words where the shell shows that', async () => {
    for (const shell of ['zsh', 'fish'] as const) {
      expect(await suggested('callout who', shell)).toEqual([expect.stringMatching(/^whoami:\w.+/u)]);
    }
  });

  it('refuses another shell, and knows which there are', async () => {
    expect(await runCommand(['completion', 'tcsh'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('bash, zsh, fish'),
    });
  });
});

describe('the script of a shell', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'callout-completion-'));
    for (const shell of shells) {
      await writeFile(path.join(directory, shell), (await runCommand(['completion', shell])).stdout);
    }
  });
  afterAll(() => rm(directory, { recursive: true }));

  /** Completes the last of some words in a shell, where the program writes what it was given, or `answer`. */
  async function completed(shell: Shell, words: readonly string[], answer?: string): Promise<string[]> {
    const given = words.map((word) => `'${word}'`).join(' ');
    const script = path.join(directory, shell);
    const prints = answer === undefined ? `printf '%s ' "$@"` : `echo '${answer}'`;
    const body = {
      bash: `callout() { ${prints}; }; source ${script}
        COMP_WORDS=(${given}); COMP_CWORD=$((\${#COMP_WORDS[@]}-1)); _callout; printf '%s\\n' "\${COMPREPLY[@]}"`,
      // Without a terminal zsh has no completion, so the functions that the script calls print their arguments.
      zsh: `callout() { ${prints}; }; compdef() { :; }; compset() { PREFIX=\${PREFIX#*=}; }
        _files() { print -rl -- $PREFIX*; }; _describe() { print -rl -- \${(P)argv[-1]}; }; source ${script}
        words=(${given}); CURRENT=$#words; PREFIX=$words[-1]; _callout`,
      fish: `function callout; ${prints.replace('"$@"', '$argv')}; end; source ${script}; complete -C '${words.join(' ')}'`,
    }[shell];
    const flags = { bash: ['--norc'], zsh: ['-f'], fish: ['--no-config'] }[shell];
    const { stdout, stderr } = await run(shell, [...flags, '-c', body]);
    expect([shell, stderr]).toEqual([shell, '']);
    return stdout.split('\n').filter((word) => word !== '');
  }

  /** The shells of this machine; bash in any case. */
  const installed = async () => {
    const isThere = await Promise.all(
      shells.map((shell) =>
        run(shell, ['-c', 'true']).then(
          () => true,
          () => false,
        ),
      ),
    );
    return shells.filter((_shell, at) => isThere[at] === true);
  };

  it('asks the program with the words before the cursor, and lets the shell complete files', async () => {
    const found = await installed();
    expect(found).toContain('bash');
    for (const shell of found) {
      // Fish shows only what begins as the typed word does.
      expect(await completed(shell, ['callout', 'webhooks', 'com'])).toEqual([`completion ${shell} -- webhooks com `]);
      expect(await completed(shell, ['callout', ''], 'webhooks')).toEqual(['webhooks']);
      expect(await completed(shell, ['callout', 'trigger', '--file', `${directory}/ba`], ':files')).toEqual([
        `${directory}/bash`,
      ]);
    }
  });
});
