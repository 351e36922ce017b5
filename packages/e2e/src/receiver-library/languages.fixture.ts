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
  /** Makes the example ready to run. @param directory a place for what is built. */
  prepare(directory: string): Promise<ExampleCommand>;
}

/** The languages in which examples/README.md says that examples are run. */
export const languages: readonly Language[] = [
  typescript('express'),
  typescript('fastify'),
  {
    name: 'Python',
    probe: ['python3', '--version'],
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
    probe: ['php', '--version'],
    prepare: async () => ({ command: 'php', args: ['-S', '127.0.0.1:PORT', path.join(examples, 'php/receiver.php')] }),
  },
  {
    name: 'Ruby',
    probe: ['ruby', '-e', 'require "webrick"'],
    prepare: async () => ({ command: 'ruby', args: [path.join(examples, 'ruby/receiver.rb')] }),
  },
];

/** Those that this machine has. */
export const installedLanguages = languages.filter(
  ({ probe: [command, ...args] }) => spawnSync(command, args).status === 0,
);

function typescript(framework: 'express' | 'fastify'): Language {
  return {
    name: `TypeScript, ${framework}`,
    probe: [process.execPath, '--version'],
    async prepare(directory) {
      const source = await readFile(path.join(examples, `typescript-${framework}/receiver.ts`), 'utf8');
      const { code } = await transform(source, {
        swcrc: false,
        jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
      });
      await mkdir(directory, { recursive: true });
      await symlink(path.join(root, 'node_modules'), path.join(directory, 'node_modules'));
      const file = path.join(directory, 'receiver.mjs');
      await writeFile(file, code);
      return { command: process.execPath, args: [file] };
    },
  };
}
