import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { shareSlots, type LaneCandidate } from './share-slots.ts';

const plenty = { free: 100, freeForSlow: 100, freeForMore: 100, maxLanes: 200 };
const firstTurn = (): number => 0;

function lane(webhookKey: number, change: Partial<LaneCandidate> = {}): LaneCandidate {
  return { webhookKey, tenantId: 1, slots: 10, underWay: 0, isSlow: false, ...change };
}

describe('free slots', () => {
  it('are shared evenly among tenants, and then among the lanes of each', () => {
    const lanes = [lane(1), lane(2), lane(3, { tenantId: 2, slots: 100 })];
    expect(shareSlots(lanes, { ...plenty, free: 12 }, firstTurn)).toEqual([
      { webhookKey: 1, slots: 3 },
      { webhookKey: 3, slots: 6 },
      { webhookKey: 2, slots: 3 },
    ]);
  });

  it('go to the tenant that was served longest ago when there is not one for each', () => {
    const lanes = [lane(1), lane(2, { tenantId: 2 }), lane(3, { tenantId: 3 })];
    const servedAt = new Map([
      [1, 7],
      [2, 5],
      [3, 6],
    ]);
    const wanted = shareSlots(lanes, { ...plenty, free: 2 }, (tenantId) => servedAt.get(tenantId) ?? 0);
    expect(wanted.map(({ webhookKey }) => webhookKey)).toEqual([2, 3]);
  });

  it('are given to slow lanes only within the limit for slow ones', () => {
    const lanes = [lane(1, { isSlow: true }), lane(2, { isSlow: true }), lane(3)];
    expect(shareSlots(lanes, { ...plenty, freeForSlow: 12 }, firstTurn)).toEqual([
      { webhookKey: 1, slots: 10 },
      { webhookKey: 2, slots: 2 },
      { webhookKey: 3, slots: 10 },
    ]);
  });

  it('are given beyond first calls only within their limit, and then one to each lane without a call', () => {
    const lanes = [lane(1, { underWay: 3 }), lane(2), lane(3, { underWay: 1 }), lane(4)];
    expect(shareSlots(lanes, { ...plenty, freeForMore: 12 }, firstTurn)).toEqual([
      { webhookKey: 1, slots: 10 },
      { webhookKey: 2, slots: 3 },
      { webhookKey: 4, slots: 1 },
    ]);
  });

  it('are never more than there are, nor than a lane can use, and none is left while an ordinary lane needs its first', () => {
    const anyLane = fc.record({
      tenantId: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
      slots: fc.integer({ min: 1, max: 20 }),
      underWay: fc.nat(3),
      isSlow: fc.boolean(),
    });
    fc.assert(
      fc.property(
        fc.array(anyLane, { maxLength: 30 }),
        fc.nat(60),
        fc.nat(60),
        fc.nat(60),
        fc.integer({ min: 1, max: 10 }),
        (drawn, free, freeForSlow, freeForMore, maxLanes) => {
          const lanes = drawn.map((one, nth) => ({ ...one, webhookKey: nth + 1 }));
          const wanted = shareSlots(lanes, { free, freeForSlow, freeForMore, maxLanes }, firstTurn);
          const of = (webhookKey: number) => lanes.find((one) => one.webhookKey === webhookKey);
          const sum = (entries: typeof wanted) => entries.reduce((total, { slots }) => total + slots, 0);
          expect(sum(wanted)).toBeLessThanOrEqual(free);
          expect(sum(wanted.filter(({ webhookKey }) => of(webhookKey)?.isSlow))).toBeLessThanOrEqual(freeForSlow);
          expect(wanted.length).toBeLessThanOrEqual(maxLanes);
          expect(wanted.every(({ webhookKey, slots }) => slots >= 1 && slots <= (of(webhookKey)?.slots ?? 0))).toBe(
            true,
          );
          const served = new Set(wanted.map(({ webhookKey }) => webhookKey));
          const unserved = lanes.filter(({ webhookKey, isSlow }) => !isSlow && !served.has(webhookKey));
          if (unserved.length > 0 && wanted.length < maxLanes && sum(wanted) < free) {
            // Only lanes that have a call under way wait while there is a free slot.
            expect(sum(wanted)).toBeGreaterThanOrEqual(freeForMore);
            expect(unserved.every(({ underWay }) => underWay > 0)).toBe(true);
          }
        },
      ),
    );
  });
});
