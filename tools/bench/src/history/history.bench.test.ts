import { describe, expect, it } from '@jest/globals';
import { optionsOf, testDeps } from '../small-run.fixture.ts';
import { renderHistory, runHistoryBench } from './history-bench.ts';

const load = { name: 'some', events: 40, batch: 4, fanout: 1, rate: 0, connections: 2, warmup: 100 };

describe('runHistoryBench', () => {
  it('compares a load on a history and on none', async () => {
    const options = optionsOf('--history', '3000');
    const result = await runHistoryBench(options, await testDeps(), [load]);
    expect(result.attempts).toBeGreaterThan(2900);
    expect(result.isWhole).toBe(true);
    expect(result.loads).toMatchObject([{ empty: [{ delivered: 40 }, {}, {}], history: [{ delivered: 40 }, {}, {}] }]);
    expect(renderHistory(result)).toMatch(
      /\n\| bytes of write-ahead log per event +\| +[\d,]+ \| +[\d,]+ \| +[\d.]+ \|\n/,
    );
  });
});
