import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { quoted } from './curl-files.ts';
import { createOutput, type TextStream } from './output.ts';

function stream(isTTY: boolean): TextStream & { written: string } {
  const made = { written: '', isTTY, write: (text: string) => (made.written += text), on: () => undefined };
  return made;
}

describe('createOutput', () => {
  it.each([
    ['a terminal', true, {}, true],
    ['a pipe', false, {}, false],
    ['a terminal whose user wants no colours', true, { NO_COLOR: '1' }, false],
    ['a terminal that has none', true, { TERM: 'dumb' }, false],
  ])('colours for %s: %#', (_what, isTTY, env, isColoured) => {
    const stdout = stream(isTTY);
    const out = createOutput({ stdout, stderr: stream(isTTY), env });
    out.print(out.bold('Callout'));
    expect(stdout.written).toBe(isColoured ? '\u001B[1mCallout\u001B[22m\n' : 'Callout\n');
  });
});

describe('quoted', () => {
  it.each(['plain/path', "it's", 'a b', '$HOME', '"x"', '\\', '`id`', '{"a":"b\'c"}', 'é'])(
    'makes one word of %s for a shell',
    async (word) => {
      const { stdout } = await promisify(execFile)('/bin/sh', ['-c', `printf %s ${quoted(word)}`]);
      expect(stdout).toBe(word);
    },
  );
});
