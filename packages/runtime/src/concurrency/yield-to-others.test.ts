import { expect, it } from '@jest/globals';
import { createYield } from './yield-to-others.ts';

it('lets others go first every ten milliseconds', async () => {
  let nowMs = 0;
  let runsOfOthers = 0;
  const yieldToOthers = createYield(() => nowMs);
  for (const [atMs, others] of [
    [0, 0],
    [9, 0],
    [10, 1],
    [19, 1],
    [25, 2],
  ] as const) {
    const other = setImmediate(() => (runsOfOthers += 1));
    nowMs = atMs;
    await yieldToOthers();
    expect(runsOfOthers).toBe(others);
    clearImmediate(other);
  }
});
