import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { quoted } from './tenant/curl-files.ts';
import { createOutput, type TextStream } from './output.ts';
import { jsonLine, printable, shortened, widthOf } from './printable.ts';

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

describe('what others wrote', () => {
  // ESC sequences, the one-character CSI, a title, a line of its own, text backwards.
  const hostile = 'a\u001B[2J\u001B]0;title\u0007\u009B31mb\r\nGrüße 日本\u202Ecba\u2028';

  it('steers no terminal, through whichever way it is written', async () => {
    const [stdout, stderr] = [stream(true), stream(true)];
    const out = createOutput({ stdout, stderr, env: {} });
    out.print(out.green(hostile));
    out.report(hostile);
    await out.pour(hostile);
    // oxlint-disable-next-line no-control-regex
    expect(stdout.written + stderr.written).not.toMatch(/\u001B(?!\[(?:32|39)m)|[\u0007\u009B\r\u202E\u2028]/u);
    expect(stdout.written).toContain('Grüße 日本');
  });

  it('is one line in a table, and the same value in JSON without what steers', () => {
    expect(printable(hostile)).toBe('a·[2J·]0;title··31mb··Grüße 日本·cba·');
    expect(jsonLine({ hostile })).toMatch(/^[\u0020-\u007Eßü日本]+$/u);
    expect(JSON.parse(jsonLine({ hostile }))).toEqual({ hostile });
  });

  it('is cut to columns, wide characters counted twice', () => {
    expect(shortened('日本語のテキスト', 7)).toBe('日本語…');
    expect(widthOf('日本語…')).toBe(7);
    expect(shortened('plain', 5)).toBe('plain');
  });
});

describe('quoted', () => {
  it.each(['plain/path', "it's", 'a b', '$HOME', '"x"', '\\', '`id`', '{"a":"b\'c"}', 'é'])(
    'quotes %s as one word for a shell',
    async (word) => {
      const { stdout } = await promisify(execFile)('/bin/sh', ['-c', `printf %s ${quoted(word)}`]);
      expect(stdout).toBe(word);
    },
  );
});
