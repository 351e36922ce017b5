import { expect, it } from '@jest/globals';
import { keepFor } from './keep-for.ts';

it('keeps a response for a while, and no longer when the clock is set back', async () => {
  let [nowMs, asked] = [3_600_000, 0];
  const ask = keepFor(
    1_000,
    async () => (asked += 1),
    () => nowMs,
  );
  expect(await Promise.all([ask(), ask()])).toEqual([1, 1]);
  nowMs += 999;
  expect(await ask()).toBe(1);
  nowMs += 1;
  expect(await ask()).toBe(2);
  nowMs -= 3_600_000;
  expect([await ask(), await ask()]).toEqual([3, 3]);
});
