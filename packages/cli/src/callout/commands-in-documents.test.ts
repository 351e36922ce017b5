import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it } from '@jest/globals';
import { createOutput } from '../output.ts';
import { createProgram } from './program.ts';

const root = path.resolve(import.meta.dirname, '../../../..');
const places = ['README.md', 'docs', 'docker', 'deploy', 'apps', 'packages', 'tools', 'examples'];
const isRead = /\.(md|txt|tsx?|ya?ml|json|sh)$|Dockerfile$/u;
const isOther = /(^|\/)(node_modules|dist|generated|fixtures)(\/|$)|\.(test|fixture)\.tsx?$/u;

async function* filesIn(place: string): AsyncGenerator<string> {
  for (const entry of await readdir(path.join(root, place), { withFileTypes: true, recursive: true })) {
    const file = path.relative(root, path.join(entry.parentPath, entry.name));
    if (entry.isFile() && isRead.test(file) && !isOther.test(file)) yield file;
  }
}

async function everyFile(): Promise<string[]> {
  const files: string[] = [];
  for (const place of places) {
    if (isRead.test(place)) files.push(place);
    else for await (const file of filesIn(place)) files.push(file);
  }
  return files;
}

/** The text after `npx callout`, `$ callout`, `` `callout `` or `-- callout` to the end of the command, as words. */
function commandLines(text: string): string[][] {
  const lines = text.replaceAll(/ \\+\n\s*/gu, ' ').replaceAll('\\`', '`');
  const begun =
    /(?:npx callout|\$ callout|`callout|'callout(?= admin)|(?:-- |exec api |run callout )callout) ([a-z][^\n`"'<>#;&…$]*)/gu;
  return [...lines.matchAll(begun)].map(([, words = '']) => words.trim().split(/\s+/u));
}

function problemOf(program: Command, words: readonly string[]): string | undefined {
  let command = program;
  const options = [...program.options];
  let isValue = false;
  for (const word of words) {
    if (word.startsWith('-')) {
      const [name = ''] = word.split(/[=,.)]/u);
      const known = options.find((option) => option.long === name || option.short === name);
      if (name !== '--help' && known === undefined) return `${command.name()} has no option ${name}`;
      isValue = known?.required === true;
      continue;
    }
    // A command with others below it may have options of its own.
    if (isValue) {
      isValue = false;
      continue;
    }
    // `list|show|create` in prose names several at once.
    const names = word
      .replaceAll('\\', '')
      .replace(/[.,:)*]+$/u, '')
      .split('|');
    const found = names.map((name) =>
      command.commands.find((one) => one.name() === name || one.aliases().includes(name)),
    );
    if (command.commands.length === 0) continue;
    if (found.includes(undefined)) return `${command.name()} has no command ${word}`;
    if (names.length > 1) return undefined;
    command = found[0] as Command;
    options.push(...command.options);
  }
  return undefined;
}

describe('callout', () => {
  it('has every command and option that documents, messages and mails name', async () => {
    const nothing = () => undefined;
    const program = createProgram({
      version: '0',
      env: {},
      out: createOutput({ stdout: { write: nothing, on: nothing }, stderr: { write: nothing, on: nothing }, env: {} }),
      stdin: (async function* () {})(),
      stopSignal: () => new AbortController().signal,
      fail: nothing,
      write: nothing,
      writeProblem: nothing,
    });
    const wrong: string[] = [];
    let count = 0;
    for (const file of await everyFile()) {
      for (const words of commandLines(await readFile(path.join(root, file), 'utf8'))) {
        count += 1;
        const problem = problemOf(program, words);
        if (problem !== undefined) wrong.push(`${file}: callout ${words.join(' ')}: ${problem}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(count).toBeGreaterThan(60);
  });
});
