import { expect, it } from '@jest/globals';
import { createTurns } from './turns.ts';

it('lets others go first every ten milliseconds', async () => {
  let nowMs = 0;
  let turnsOfOthers = 0;
  const takeTurns = createTurns(() => nowMs);
  for (const [atMs, others] of [
    [0, 0],
    [9, 0],
    [10, 1],
    [19, 1],
    [25, 2],
  ] as const) {
    const other = setImmediate(() => (turnsOfOthers += 1));
    nowMs = atMs;
    await takeTurns();
    expect(turnsOfOthers).toBe(others);
    clearImmediate(other);
  }
});
