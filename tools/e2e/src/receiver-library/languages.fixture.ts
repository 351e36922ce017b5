import { execFile, spawnSync } from 'node:child_process';
import { copyFile, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { transform } from '@swc/core';
import type { ExampleCommand } from './example-program.fixture.ts';
import { heldWork } from './held-work.fixture.ts';

const root = path.resolve(import.meta.dirname, '../../../..');
const examples = path.join(root, 'examples');
const run = promisify(execFile);

/** An example in a language. */
export interface Language {
  readonly name: string;
  /** Fails where the language is not installed. */
  readonly probe: readonly [command: string, ...args: string[]];
  /** Its file in the folder of the examples. */
  readonly file: string;
  /** Prepares the example. @param directory a place for its build. @param file its path, or that of a changed copy. */
  prepare(directory: string, file: string): Promise<ExampleCommand>;
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
    file: 'python/receiver.py',
    prepare: async (_directory, file) => ({ command: 'python3', args: [file] }),
  },
  {
    name: 'Go',
    probe: ['go', 'version'],
    file: 'go/receiver.go',
    async prepare(directory, file) {
      const program = path.join(directory, 'receiver');
      await run('go', ['build', '-o', program, file]);
      return { command: program, args: [] };
    },
  },
  {
    name: 'Java',
    probe: ['javac', '-version'],
    file: 'java/Receiver.java',
    async prepare(directory, file) {
      await run('javac', ['-d', directory, file]);
      return { command: 'java', args: ['-XX:TieredStopAtLevel=1', '-cp', directory, 'Receiver'] };
    },
  },
  {
    name: 'C#',
    probe: ['dotnet', '--version'],
    file: 'csharp/Program.cs',
    async prepare(directory, file) {
      const project = path.join(directory, 'source');
      await mkdir(project);
      await copyFile(path.join(examples, 'csharp/receiver.csproj'), path.join(project, 'receiver.csproj'));
      await copyFile(file, path.join(project, 'Program.cs'));
      await run('dotnet', ['publish', project, '-o', directory]);
      return { command: 'dotnet', args: [path.join(directory, 'receiver.dll')] };
    },
  },
  {
    name: 'PHP',
    runsPerRequest: true,
    probe: ['php', '--version'],
    ed25519Probe: ['php', '-r', 'exit(extension_loaded("sodium") ? 0 : 1);'],
    file: 'php/receiver.php',
    // As without a php.ini: PHP itself then responds with 200 to a request whose program ends with a fatal error.
    prepare: async (_directory, file) => ({
      command: 'php',
      args: ['-d', 'display_errors=1', '-S', '127.0.0.1:PORT', file],
    }),
  },
  {
    name: 'Ruby',
    probe: ['ruby', '-e', 'require "webrick"'],
    file: 'ruby/receiver.rb',
    prepare: async (_directory, file) => ({ command: 'ruby', args: [file] }),
  },
];

/** The languages of the examples that fetch callouts. */
const consumers: readonly Language[] = [
  typescript('TypeScript', 'typescript-consumer/consumer.ts'),
  {
    name: 'Python',
    probe: ['python3', '--version'],
    ed25519Probe: ['python3', '-c', 'import cryptography'],
    file: 'python/consumer.py',
    prepare: async (_directory, file) => ({ command: 'python3', args: [file] }),
  },
];

/** The languages that this machine has. */
export const installedLanguages = languages.filter(isInstalled);
export const installedConsumers = consumers.filter(isInstalled);
/** Of the languages, those whose examples can be given a public key here. */
export const languagesWithEd25519 = installedLanguages.filter(canVerifyEd25519);

/** Prepares an example as it is. @param directory a place for its build. */
export async function prepareExample(language: Language, directory: string): Promise<ExampleCommand> {
  return language.prepare(directory, path.join(examples, language.file));
}

/**
 * Prepares an example whose work waits, once it has printed `begun`, for the file that GATE names: it fails where that file
 * says `fail`, and does what it always does otherwise.
 */
export async function prepareHeldExample(language: Language, directory: string): Promise<ExampleCommand> {
  const source = await readFile(path.join(examples, language.file), 'utf8');
  const { start, hold } = heldWork(language.name);
  if (!start.test(source)) throw new Error(`The work in ${language.file} was not found.`);
  const file = path.join(directory, path.basename(language.file));
  await writeFile(file, source.replace(start, hold));
  return language.prepare(directory, file);
}

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
    file,
    async prepare(directory, source) {
      const { code } = await transform(await readFile(source, 'utf8'), {
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
