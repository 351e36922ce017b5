import { execFile, spawnSync } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { transform } from '@swc/core';
import type { ExampleCommand } from './example-program.fixture.ts';

const root = path.resolve(import.meta.dirname, '../../../..');
const examples = path.join(root, 'examples');
const run = promisify(execFile);

/** An example in a language. */
export interface Language {
  readonly name: string;
  /** Fails where the language is not installed. */
  readonly probe: readonly [command: string, ...args: string[]];
  /** Prepares the example. @param directory a place for its build. */
  prepare(directory: string): Promise<ExampleCommand>;
  /** Fails where the language lacks what its example needs for public keys; absent: it needs nothing more. */
  readonly ed25519Probe?: readonly [command: string, ...args: string[]];
  /** Set where the program is run for each request, by a server that reads HTTP for it and begins without it. */
  readonly runsPerRequest?: true;
}

/** The languages of the examples according to examples/README.md. */
export const languages: readonly Language[] = [
  typescript('TypeScript, Express', 'typescript-express/receiver.ts'),
  typescript('TypeScript, Fastify', 'typescript-fastify/receiver.ts'),
  {
    name: 'Python',
    probe: ['python3', '--version'],
    ed25519Probe: ['python3', '-c', 'import cryptography'],
    prepare: async () => ({ command: 'python3', args: [path.join(examples, 'python/receiver.py')] }),
  },
  {
    name: 'Go',
    probe: ['go', 'version'],
    async prepare(directory) {
      const program = path.join(directory, 'receiver');
      await run('go', ['build', '-o', program, path.join(examples, 'go/receiver.go')]);
      return { command: program, args: [] };
    },
  },
  {
    name: 'Java',
    probe: ['javac', '-version'],
    async prepare(directory) {
      await run('javac', ['-d', directory, path.join(examples, 'java/Receiver.java')]);
      return { command: 'java', args: ['-XX:TieredStopAtLevel=1', '-cp', directory, 'Receiver'] };
    },
  },
  {
    name: 'C#',
    probe: ['dotnet', '--version'],
    async prepare(directory) {
      await run('dotnet', ['publish', path.join(examples, 'csharp'), '-o', directory]);
      return { command: 'dotnet', args: [path.join(directory, 'receiver.dll')] };
    },
  },
  {
    name: 'PHP',
    runsPerRequest: true,
    probe: ['php', '--version'],
    ed25519Probe: ['php', '-r', 'exit(extension_loaded("sodium") ? 0 : 1);'],
    prepare: async () => ({ command: 'php', args: ['-S', '127.0.0.1:PORT', path.join(examples, 'php/receiver.php')] }),
  },
  {
    name: 'Ruby',
    probe: ['ruby', '-e', 'require "webrick"'],
    prepare: async () => ({ command: 'ruby', args: [path.join(examples, 'ruby/receiver.rb')] }),
  },
];

/** The languages of the examples that fetch callouts. */
const consumers: readonly Language[] = [
  typescript('TypeScript', 'typescript-consumer/consumer.ts'),
  {
    name: 'Python',
    probe: ['python3', '--version'],
    ed25519Probe: ['python3', '-c', 'import cryptography'],
    prepare: async () => ({ command: 'python3', args: [path.join(examples, 'python/consumer.py')] }),
  },
];

/** The languages that this machine has. */
export const installedLanguages = languages.filter(isInstalled);
export const installedConsumers = consumers.filter(isInstalled);
/** Of the languages, those whose examples can be given a public key here. */
export const languagesWithEd25519 = installedLanguages.filter(canVerifyEd25519);

/** Whether this machine has what an example needs for public keys. */
export function canVerifyEd25519({ ed25519Probe }: Language): boolean {
  if (ed25519Probe === undefined) return true;
  const [command, ...args] = ed25519Probe;
  return spawnSync(command, args).status === 0;
}

function isInstalled({ probe: [command, ...args] }: Language): boolean {
  return spawnSync(command, args).status === 0;
}

/** @param file in the folder of the examples. */
function typescript(name: string, file: string): Language {
  return {
    name,
    probe: [process.execPath, '--version'],
    async prepare(directory) {
      const source = await readFile(path.join(examples, file), 'utf8');
      const { code } = await transform(source, {
        swcrc: false,
        jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
      });
      await mkdir(directory, { recursive: true });
      await symlink(path.join(root, 'node_modules'), path.join(directory, 'node_modules'));
      const program = path.join(directory, 'program.mjs');
      await writeFile(program, code);
      return { command: process.execPath, args: [program] };
    },
  };
}
