import { describe, expect, it } from '@jest/globals';
import { CannotGoOn } from './cannot-go-on.ts';
import { runThenStop } from './run-then-stop.ts';
import { StopRequested } from './stop-request.ts';

function record() {
  const lines: string[] = [];
  return { lines, report: (line: string) => void lines.push(line) };
}

describe('runThenStop', () => {
  it('stops everything that was started, the last one first, for any outcome', async () => {
    for (const [outcome, error] of [
      ['done', undefined],
      ['stopped', new StopRequested('SIGINT')],
      ['failed', new CannotGoOn('the disk is full')],
    ] as const) {
      const { lines, report } = record();
      const end = runThenStop({ report }, true, async (stops) => {
        stops.add('first', async () => report('first stopped'));
        stops.add('second', async () => report('second stopped'));
        if (error) throw error;
      });
      await expect(end).resolves.toBe(outcome);
      const why = outcome === 'failed' ? ['the disk is full'] : [];
      expect(lines).toEqual([...why, 'second stopped', 'first stopped']);
    }
  });

  it('says what did not stop, and stops the rest', async () => {
    const { lines, report } = record();
    await runThenStop({ report }, false, async (stops) => {
      stops.add('Redis', async () => report('Redis stopped'));
      stops.add('the API', () => Promise.reject(new Error('it hangs')));
    });
    expect(lines).toEqual(['the API did not stop cleanly: it hangs', 'Redis stopped']);
  });

  it('shows where an unexpected error comes from', async () => {
    const { lines, report } = record();
    await runThenStop({ report }, false, () => Promise.reject(new TypeError('undefined is no function')));
    expect(lines[0]).toMatch(/TypeError: undefined is no function\n +at /);
  });
});
