import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { callsAllowed, keptAllowanceMs, nextCallAfter } from './rate.rules.ts';

const at = (ms: number) => new Date(1_800_000_000_000 + ms);
const perSecond = fc.double({ min: 0.1, max: 1_000, noNaN: true });

describe('the rate of a webhook', () => {
  it.each([
    ['one call is allowed to begin with', 10, 0, 1],
    ['none before the time of the next', 10, -1, 0],
    ['what half a second left unused is made up for', 10, 500, 6],
    ['no more than that, however long it was quiet', 10, 3_600_000, 6],
    ['a rate below one never allows two at once', 0.1, 3_600_000, 1],
  ])('%s', (_, rate, sinceMs, calls) => {
    const limits = { perSecond: rate, atOnce: null };
    expect(callsAllowed(limits, { nextCallAt: at(0), underWay: 0 }, at(sinceMs), 100)).toBe(calls);
  });

  it('in no second do more calls begin than the rate and half of it, however they are asked for', () => {
    const asks = fc.array(fc.record({ afterMs: fc.nat(400), slots: fc.integer({ min: 1, max: 200 }) }), {
      minLength: 1,
      maxLength: 60,
    });
    fc.assert(
      fc.property(perSecond, asks, (rate, asked) => {
        const limits = { perSecond: rate, atOnce: null };
        const begun: { ms: number; calls: number }[] = [];
        let nextCallAt = at(0);
        let ms = 0;
        for (const { afterMs, slots } of asked) {
          ms += afterMs;
          const calls = callsAllowed(limits, { nextCallAt, underWay: 0 }, at(ms), slots);
          if (calls > 0) nextCallAt = nextCallAfter(limits, nextCallAt, at(ms), calls);
          begun.push({ ms, calls });
        }
        for (const first of begun) {
          const within = begun.filter((one) => one.ms >= first.ms && one.ms < first.ms + 1_000);
          const total = within.reduce((sum, { calls }) => sum + calls, 0);
          // A date has whole milliseconds, which make up to one call more at 1,000 per second for each look.
          const rounding = within.length * (rate / 1_000);
          expect(total).toBeLessThanOrEqual(rate * (1 + keptAllowanceMs / 1_000) + 1 + rounding);
        }
      }),
    );
  });

  it('is met by a worker that asks twice in half a second and has slots', () => {
    fc.assert(
      fc.property(perSecond, (rate) => {
        const limits = { perSecond: rate, atOnce: null };
        let nextCallAt = at(0);
        let total = 0;
        for (let ms = 0; ms <= 100_000; ms += 250) {
          const calls = callsAllowed(limits, { nextCallAt, underWay: 0 }, at(ms), 1_000);
          if (calls > 0) nextCallAt = nextCallAfter(limits, nextCallAt, at(ms), calls);
          total += calls;
        }
        // Dates have whole milliseconds: each look loses less than one.
        expect(total).toBeGreaterThanOrEqual(Math.floor(rate * 99));
      }),
      { numRuns: 50 },
    );
  });
});

describe('the places of a webhook', () => {
  it.each([
    ['as many calls as there are free places', 5, 3, 2],
    ['none when all are occupied', 5, 5, 0],
    ['none when the limit was lowered meanwhile', 2, 5, 0],
  ])('allow %s', (_, atOnce, underWay, calls) => {
    expect(callsAllowed({ perSecond: null, atOnce }, { nextCallAt: at(0), underWay }, at(0), 100)).toBe(calls);
  });

  it('limit calls beside the rate and the slots of the worker: the smallest counts', () => {
    const limits = { perSecond: 10, atOnce: 4 };
    expect(callsAllowed(limits, { nextCallAt: at(0), underWay: 0 }, at(500), 100)).toBe(4);
    expect(callsAllowed(limits, { nextCallAt: at(0), underWay: 0 }, at(500), 3)).toBe(3);
    expect(callsAllowed(limits, { nextCallAt: at(0), underWay: 0 }, at(100), 100)).toBe(2);
  });
});
