import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { goesOn, nextReleaseAfter, roomToSpread, type SpreadWindow } from './spread.rules.ts';

const at = (seconds: number) => new Date(1_800_000_000_000 + seconds * 1_000);
const window = (change: Partial<SpreadWindow> = {}): SpreadWindow => ({
  limit: 100,
  used: 75,
  meanAgeS: 100,
  nextReleaseAt: null,
  now: at(0),
  ...change,
});

describe('the last quarter of a threshold', () => {
  it.each([
    ['is not touched before three quarters are used', { used: 70 }, 6],
    ['lets one go out at once', {}, 1],
    ['lets none go out before the time of the next', { nextReleaseAt: at(1) }, 0],
    ['has nothing left at the limit', { used: 100 }, 0],
    ['has nothing left above the limit, which may have been lowered', { used: 400 }, 0],
    ['is all of a threshold of one', { limit: 1, used: 0 }, 1],
  ])('%s', (_, change, room) => {
    expect(roomToSpread(window(change))).toBe(room);
  });

  it('is spread evenly over the rest of the hour', () => {
    const next = nextReleaseAfter(window(), 1);
    // 25 in 3,500 s.
    expect(next).toEqual(at(140));
    expect(nextReleaseAfter(window({ used: 76, nextReleaseAt: next, now: next, meanAgeS: 240 }), 1)).toEqual(at(280));
    // What is free has no pace.
    expect(nextReleaseAfter(window({ used: 70, nextReleaseAt: at(9) }), 5)).toEqual(at(9));
  });

  it('never lets more go out than the limit, and some at any time, after a burst that used three quarters', () => {
    fc.assert(
      fc.property(fc.integer({ min: 8, max: 5_000 }), fc.integer({ min: 1, max: 5 }), (limit, everyS) => {
        const free = Math.floor(limit * 0.75);
        let [used, nextReleaseAt]: [number, Date | null] = [free, null];
        const halves = [0, 0];
        // The burst leaves after an hour; what is released meanwhile makes the mean age lower.
        let ageSum = 0;
        for (let s = 0; s < 3_600; s += everyS) {
          const one = window({ limit, used, meanAgeS: ageSum / used, nextReleaseAt, now: at(s) });
          const room = roomToSpread(one);
          if (room > 0) nextReleaseAt = nextReleaseAfter(one, room);
          used += room;
          ageSum += used * everyS;
          halves[s < 1_800 ? 0 : 1] = (halves[s < 1_800 ? 0 : 1] ?? 0) + room;
        }
        expect(used).toBeLessThanOrEqual(limit);
        const rest = limit - free;
        expect(halves[0]).toBeGreaterThanOrEqual(Math.floor(rest / 4));
        expect(halves[0]).toBeLessThanOrEqual(Math.ceil((rest * 3) / 4) + 1);
      }),
      { numRuns: 50 },
    );
  });

  it('is the matter of one episode until less than half of the threshold is used', () => {
    expect([goesOn({ limit: 100, used: 50 }), goesOn({ limit: 100, used: 49 })]).toEqual([true, false]);
  });
});
