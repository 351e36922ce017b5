import { describe, expect, it } from '@jest/globals';
import { readableLog } from './log-tail.ts';

describe('readableLog', () => {
  it('shows log lines as one reads them, and everything else as it is', () => {
    const line = { level: 'fatal', time: '2026-03-01T10:20:30.456Z', service: 'api', msg: 'could not start' };
    const withError = { ...line, err: { type: 'Error', message: 'no disk', stack: 'Error: no disk\n at …' } };
    expect(readableLog(`${JSON.stringify(line)}\n${JSON.stringify(withError)}\nnode: bad option\n\n`)).toBe(
      ['  10:20:30 fatal: could not start', '  10:20:30 fatal: could not start (no disk)', '  node: bad option'].join(
        '\n',
      ),
    );
  });

  it('keeps to the end, and to lines that fit a screen', () => {
    const lines = Array.from({ length: 40 }, (_, i) => `line ${i}`);
    const shown = readableLog([...lines, 'x'.repeat(5000)].join('\n')).split('\n');
    expect(shown[0]).toBe('  line 26');
    expect(shown).toHaveLength(15);
    expect(shown.at(-1)?.length).toBeLessThan(600);
  });
});
