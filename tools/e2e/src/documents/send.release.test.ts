import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { eventually, useCallout } from '@callout/testing';
import { transform } from '@swc/core';
import { codeBlocks, root } from './pages.fixture.ts';
import { runExample, type ExampleCommand } from '../receiver-library/example-program.fixture.ts';

// Runs the programs of docs/send.md whose language is installed.
const callout = useCallout();

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'callout-send-'));
});
afterAll(() => rm(directory, { recursive: true }));

interface SendingLanguage {
  /** After the fence of its block. */
  readonly language: string;
  /** Fails where the language is not installed. */
  readonly probe: readonly [command: string, ...args: string[]];
  readonly file: string;
  readonly run: (file: string) => ExampleCommand;
}

const sendingLanguages: readonly SendingLanguage[] = [
  {
    language: 'ts',
    probe: ['node', '--version'],
    file: 'send.mjs',
    run: (file) => ({ command: 'node', args: [file] }),
  },
  {
    language: 'python',
    probe: ['python3', '--version'],
    file: 'send.py',
    run: (file) => ({ command: 'python3', args: [file] }),
  },
  {
    language: 'go',
    probe: ['go', 'version'],
    file: 'send.go',
    run: (file) => ({ command: 'go', args: ['run', file] }),
  },
  {
    language: 'java',
    probe: ['javac', '-version'],
    file: 'Send.java',
    run: (file) => ({ command: 'java', args: ['-XX:TieredStopAtLevel=1', file] }),
  },
  { language: 'php', probe: ['php', '--version'], file: 'send.php', run: (file) => ({ command: 'php', args: [file] }) },
  {
    language: 'ruby',
    probe: ['ruby', '--version'],
    file: 'send.rb',
    run: (file) => ({ command: 'ruby', args: [file] }),
  },
];

const installed = sendingLanguages.filter(({ probe: [command, ...args] }) => spawnSync(command, args).status === 0);

async function programOf(language: string): Promise<string> {
  const blocks = codeBlocks(await readFile(path.join(root, 'docs/send.md'), 'utf8'));
  const block = blocks.find(({ info }) => info.split(' ')[0] === language);
  if (block === undefined) throw new Error(`docs/send.md has no program in ${language}`);
  if (language !== 'ts') return block.code;
  const { code } = await transform(block.code, { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' } });
  return code;
}

it.each(installed)('sends an event in $language', async ({ language, file, run }) => {
  const tenant = await callout.tenant();
  await callout.send(tenant, { entityType: 'Account', action: 'Create', id: 1, fields: { phone: '555-0100' } });
  const webhook = await callout.webhook(tenant, {
    fields: [{ fieldID: 16, isSubscribedField: true, isDisplayAlwaysField: false }],
  });
  const program = path.join(directory, file);
  await writeFile(program, await programOf(language));
  const { userName, secret, apiIntegrationCode } = tenant.source;
  const { ended, lines, errors } = runExample({
    ...run(program),
    env: {
      CALLOUT_URL: `${callout.url}/atservicesrest/v1.0`,
      CALLOUT_USER: userName,
      CALLOUT_SECRET: secret,
      CALLOUT_INTEGRATION_CODE: apiIntegrationCode,
    },
  });
  expect([await ended, errors]).toEqual([0, []]);
  expect(lines.join('')).toContain('"status":"accepted"');
  await eventually(() => expect(webhook.requests()).toHaveLength(1));
  const [request] = webhook.requests();
  expect(JSON.parse(String(request?.body))).toMatchObject({ Action: 'Update', Fields: { Phone: '555-0142' } });
});
