import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { forecastThreshold } from './threshold.ts';

const now = new Date('2026-03-04T10:00:00.000Z');
const inMinutes = (minutes: number) => new Date(now.getTime() + minutes * 60_000);
/** The same number of attempts in each of the last minutes, and none before. */
const minutes = (count: number, each: number): number[] => Array.from({ length: count }, () => each);

describe('the forecast of a threshold', () => {
  it.each([
    ['there is none without a threshold', 0, minutes(60, 1_000), null],
    ['there is none without attempts', 100, [], null],
    ['it is reached now when it is used up', 100, [0, 0, 100], now],
    ['a rate that began ten minutes ago goes on', 200, minutes(10, 10), inMinutes(10)],
    ['a rate that the threshold allows never reaches it', 601, minutes(60, 10), null],
    ['a burst counts for the rate as a tenth of it', 150, [100], inMinutes(5)],
    ['attempts that are an hour old do not count', 120, [...minutes(10, 1), ...minutes(49, 0), 100], null],
  ])('%s', (_, limit, attempts, expected) => {
    expect(forecastThreshold(limit, attempts, now)).toEqual(expected);
  });

  it('is earlier, or the same, for a lower threshold', () => {
    const limits = fc.integer({ min: 1, max: 5_000 });
    fc.assert(
      fc.property(fc.array(fc.nat(100), { maxLength: 60 }), limits, limits, (attempts, one, other) => {
        const at = (limit: number) => forecastThreshold(limit, attempts, now)?.getTime() ?? Infinity;
        expect(at(Math.min(one, other))).toBeLessThanOrEqual(at(Math.max(one, other)));
      }),
    );
  });
});
