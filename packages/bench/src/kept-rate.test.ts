import { describe, expect, it } from '@jest/globals';
import { judgeRate } from './kept-rate.ts';

/** So many calls, at a steady pace. */
const steady = (count: number, everyMs: number, fromMs = 5_000) =>
  Array.from({ length: count }, (_, nth) => fromMs + nth * everyMs);

describe('judgeRate', () => {
  it('finds a steady rate met and never exceeded by more than the call itself', () => {
    expect(judgeRate(steady(400, 100), 10, 30)).toEqual({ calls: 300, share: 1, mostInSecond: 10, mostBeyond: 1 });
  });

  it('finds a burst, wherever it is', () => {
    const times = [...steady(100, 200), ...steady(8, 0, 25_000), ...steady(100, 100, 25_100)];
    const { mostInSecond, mostBeyond } = judgeRate(times, 10, 30);
    expect(mostInSecond).toBe(17);
    expect(mostBeyond).toBeCloseTo(8);
  });

  it('finds a rate that is not met', () => {
    expect(judgeRate(steady(400, 200), 10, 30)).toMatchObject({ calls: 150, share: 0.5 });
  });
});
