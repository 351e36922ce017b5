import { describe, expect, it } from '@jest/globals';
import { optionsOf, testDeps } from '../small-run.fixture.ts';
import { runIsolationBench } from './isolation-bench.ts';

describe('runIsolationBench', () => {
  it('makes receivers hang, fail and be slow over the real processes, and loses nothing', async () => {
    const { result } = await runIsolationBench(
      optionsOf('--isolation'),
      await testDeps({ CALLOUT_TIMEOUT_MS: '2500' }),
      { webhooks: 10, eventsPerS: 20, eventsPerRound: 4, cycles: 1 },
    );
    expect(result).toMatchObject({ owed: 280, lost: 0, unowed: 0, outOfOrder: 0 });
    expect(result.troubles.map(({ trouble, owedToBad }) => [trouble, owedToBad])).toEqual([
      ['prompt', 0],
      ['hanging', 4],
      ['failing', 4],
      ['slow', 4],
    ]);
    for (const { trouble, requestsAtBad } of result.troubles) {
      expect(requestsAtBad.every((requests) => requests > 0)).toBe(trouble !== 'prompt');
    }
  });
});
