import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { percentiles } from './latency.ts';

describe('percentiles', () => {
  it.each([
    [
      [15, 20, 35, 40, 50],
      [5, 30, 40, 50, 100],
      [15, 20, 20, 35, 50],
    ],
    [[7], [0, 50, 99, 100], [7, 7, 7, 7]],
    [[10, 9, 1], [50], [9]],
    [Array.from({ length: 100 }, (_, i) => 100 - i), [50, 95, 99], [50, 95, 99]],
  ])('of %j at %j are %j', (values, ps, expected) => {
    expect(percentiles(values, ps)).toEqual(expected);
  });

  it('are NaN without values', () => {
    expect(percentiles([], [50])).toEqual([Number.NaN]);
  });

  it('are measured values with as many at or below them as the rank says, and the given values stay in their order', () => {
    const anyValues = fc.array(fc.double({ noNaN: true, min: -1e6, max: 1e6 }), { minLength: 1 });
    fc.assert(
      fc.property(anyValues, fc.integer({ min: 1, max: 100 }), (values, p) => {
        const given = [...values];
        const [found = Number.NaN] = percentiles(values, [p]);
        const rank = Math.ceil((p / 100) * values.length);
        expect(values).toEqual(given);
        expect(values).toContain(found);
        expect(values.filter((value) => value <= found).length).toBeGreaterThanOrEqual(rank);
        expect(values.filter((value) => value < found).length).toBeLessThan(rank);
      }),
    );
  });
});
