import { describe, expect, it } from '@jest/globals';
import { CannotGoOn } from '../cannot-go-on.ts';
import { runThenStop } from './run-then-stop.ts';
import { StopRequested } from './stop-request.ts';

function record() {
  const told: string[] = [];
  return { told, tell: (line: string) => void told.push(line) };
}

describe('runThenStop', () => {
  it('stops everything that was started, the last one first, for any outcome', async () => {
    for (const [outcome, error] of [
      ['done', undefined],
      ['stopped', new StopRequested('SIGINT')],
      ['failed', new CannotGoOn('the disk is full')],
    ] as const) {
      const { told, tell } = record();
      const end = runThenStop({ tell }, true, async (stops) => {
        stops.add('first', async () => tell('first stopped'));
        stops.add('second', async () => tell('second stopped'));
        if (error) throw error;
      });
      await expect(end).resolves.toBe(outcome);
      const why = outcome === 'failed' ? ['the disk is full'] : [];
      expect(told).toEqual([...why, 'second stopped', 'first stopped']);
    }
  });

  it('says what did not stop, and stops the rest', async () => {
    const { told, tell } = record();
    await runThenStop({ tell }, false, async (stops) => {
      stops.add('Redis', async () => tell('Redis stopped'));
      stops.add('the API', () => Promise.reject(new Error('it hangs')));
    });
    expect(told).toEqual(['the API did not stop cleanly: it hangs', 'Redis stopped']);
  });

  it('shows where an unexpected error comes from', async () => {
    const { told, tell } = record();
    await runThenStop({ tell }, false, () => Promise.reject(new TypeError('undefined is no function')));
    expect(told[0]).toMatch(/TypeError: undefined is no function\n +at /);
  });
});
