import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { answerTimeAt, answerTimeBoundsMs } from './answer-times.rules.ts';

const none = () => Array<number>(answerTimeBoundsMs.length + 1).fill(0);

/** Counts as the database does. */
function counted(timesMs: readonly number[]): number[] {
  const counts = none();
  for (const time of timesMs) {
    const bucket = answerTimeBoundsMs.filter((bound) => bound <= time).length;
    counts[bucket] = (counts[bucket] ?? 0) + 1;
  }
  return counts;
}

describe('response times', () => {
  it('have no median without responses', () => {
    expect(answerTimeAt(none(), 0.5)).toBeNull();
  });

  it('are within the bounds of their bucket', () => {
    expect(answerTimeAt(counted([12]), 0.5)).toBe(13);
    expect(answerTimeAt(counted([1, 1, 1, 1, 2_500]), 0.5)).toBe(3);
    expect(answerTimeAt(counted([90_000]), 0.95)).toBe(60_000);
  });

  it('differ from the exact value by no more than its bucket', () => {
    const times = fc.array(fc.integer({ min: 0, max: 60_000 }), { minLength: 1 });
    fc.assert(
      fc.property(times, fc.constantFrom(0.5, 0.95), (timesMs, share) => {
        const sorted = timesMs.toSorted((a, b) => a - b);
        const exact = sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
        const below = answerTimeBoundsMs.findLast((bound) => bound <= exact) ?? 0;
        const above = answerTimeBoundsMs.find((bound) => bound > exact) ?? 60_000;
        const found = answerTimeAt(counted(timesMs), share) ?? -1;
        expect(found).toBeGreaterThanOrEqual(below);
        expect(found).toBeLessThanOrEqual(above);
      }),
    );
  });
});
