import { describe, expect, it } from '@jest/globals';
import { createOutput } from '../output.ts';
import { wrappedHelp } from './help-text.ts';
import { createProgram } from './program.ts';

describe('help', () => {
  it('fits 80 columns, whichever command it is of', () => {
    let written = '';
    const stream = { write: () => undefined, on: () => undefined };
    const program = createProgram({
      version: '0',
      env: {},
      out: createOutput({ stdout: stream, stderr: stream, env: {} }),
      stdin: (async function* () {})(),
      stopSignal: () => new AbortController().signal,
      fail: () => undefined,
      write: (text) => (written += text),
      writeProblem: () => undefined,
    });
    const commands = [program];
    for (const command of commands) {
      commands.push(...command.commands);
      command.outputHelp();
    }
    expect(commands.length).toBeGreaterThan(40);
    expect(written.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  it('keeps sentences that end a line, and what is indented, as they are', () => {
    const text = 'One.\nTwo that\ngoes on:\n\n  a table   stays\n  $ npx callout x --a 1 \\\n      --b 2';
    expect(wrappedHelp(text, 12)).toBe(
      'One.\nTwo that\ngoes on:\n\n  a table   stays\n  $ npx callout x \\\n      --a 1 \\\n      --b 2',
    );
    expect(wrappedHelp(text, 80)).toContain('Two that goes on:\n\n  a table   stays\n  $ npx callout x --a 1 --b 2');
  });
});
