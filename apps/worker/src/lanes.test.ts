import { describe, expect, it } from '@jest/globals';
import type { ClaimedCallout, FreePlaces } from '@callout/db';
import { createLanes, type LanesDeps } from './lanes.ts';

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Due callouts per webhook as PostgreSQL would have them, and calls that end when they are told to. */
function bench(due: Record<number, number>, limits: Partial<LanesDeps> = {}, keepResults = false) {
  const claims: FreePlaces[][] = [];
  const calls: { webhookKey: number; end: () => void }[] = [];
  const errors: unknown[] = [];
  const results: (() => void)[] = [];
  const storeResults = () => {
    for (const stored of results.splice(0)) stored();
  };
  let next = 0;
  const lanes = createLanes({
    maxInFlight: 10,
    maxInFlightPerWebhook: 4,
    gatherMs: 1,
    onError: (error) => errors.push(error),
    claim: async (wanted) => {
      claims.push([...wanted]);
      return wanted.flatMap(({ webhookKey, places }) => {
        const count = Math.min(places, due[webhookKey] ?? 0);
        due[webhookKey] = (due[webhookKey] ?? 0) - count;
        return Array.from({ length: count }, (): ClaimedCallout => aCallout(webhookKey, (next += 1)));
      });
    },
    deliver: ({ webhookKey }, answered) =>
      new Promise((resolve) => {
        const end = () => {
          calls.splice(calls.indexOf(call), 1);
          answered();
          results.push(resolve);
          if (!keepResults) storeResults();
        };
        const call = { webhookKey, end };
        calls.push(call);
      }),
    ...limits,
  });
  const underWay = (webhookKey: number) => calls.filter((call) => call.webhookKey === webhookKey).length;
  return { lanes, claims, calls, errors, due, underWay, storeResults };
}

function aCallout(webhookKey: number, n: number): ClaimedCallout {
  return {
    id: `${n}`,
    tenantId: 1,
    webhookKey,
    webhookVersion: 1,
    recordId: n,
    sequenceNumber: n,
    action: 'Update',
    eventId: null,
    attemptsMade: 0,
    leaseOwner: 'lease',
    body: '{}',
  };
}

describe('lanes', () => {
  it('send no more of one webhook at once than they may, and all of it in the end', async () => {
    const { lanes, calls, due, underWay } = bench({ 1: 9 });
    lanes.wake([1]);
    await settled();
    expect(underWay(1)).toBe(4);
    let most = 0;
    while (calls.length > 0 || due[1] !== 0) {
      most = Math.max(most, calls.length);
      calls[0]?.end();
      await settled();
    }
    expect(most).toBe(4);
    expect(lanes.inFlight()).toBe(0);
  });

  it('a receiver that hangs holds its own places and nobody else is kept waiting', async () => {
    const { lanes, calls, underWay, due } = bench({ 1: 100, 2: 6 });
    lanes.wake([1]);
    await settled();
    expect(underWay(1)).toBe(4);
    lanes.wake([2]);
    while (due[2] !== 0 || underWay(2) > 0) {
      calls.find((call) => call.webhookKey === 2)?.end();
      await settled();
    }
    expect(underWay(1)).toBe(4);
    expect(due[1]).toBe(96);
  });

  it('free a place of the webhook when its receiver is done, and one of the process when the result is stored', async () => {
    const { lanes, calls, underWay, storeResults } = bench({ 1: 100 }, { maxInFlight: 6 }, true);
    lanes.wake([1]);
    await settled();
    for (const call of [...calls]) call.end();
    await settled();
    expect([underWay(1), lanes.inFlight()]).toEqual([2, 6]);
    storeResults();
    while (underWay(1) < 4) await settled();
    expect(lanes.inFlight()).toBe(4);
  });

  it('share the places of the process among all that want some', async () => {
    const { lanes, underWay } = bench({ 1: 100, 2: 100, 3: 100, 4: 100, 5: 100 });
    lanes.wake([1, 2, 3, 4, 5]);
    await settled();
    expect([1, 2, 3, 4, 5].map(underWay)).toEqual([2, 2, 2, 2, 2]);
  });

  it('do not forget a wake-up call that comes while they claim', async () => {
    const due: Record<number, number> = { 1: 0 };
    let waken = false;
    const { lanes, underWay } = bench(due, {
      claim: async (wanted) => {
        if (!waken) {
          waken = true;
          // It becomes due after this claim has looked and before it ends.
          lanes.wake([1]);
          return [];
        }
        return wanted.map(({ webhookKey }) => aCallout(webhookKey, 1));
      },
    });
    lanes.wake([1]);
    await settled();
    await settled();
    expect(underWay(1)).toBeGreaterThan(0);
  });

  it('go on after a claim that failed', async () => {
    const due = { 1: 1 };
    let failures = 1;
    const { lanes, errors, underWay } = bench(due, {
      claim: async (wanted) => {
        if (failures > 0) {
          failures -= 1;
          throw new Error('away');
        }
        return wanted.map(({ webhookKey }) => aCallout(webhookKey, 1));
      },
    });
    lanes.wake([1]);
    await settled();
    expect(errors).toHaveLength(1);
    lanes.wake([1]);
    await settled();
    expect(underWay(1)).toBe(1);
  });

  it('claim nothing more once they drain, and wait for what is under way', async () => {
    const { lanes, calls, claims, due } = bench({ 1: 100 });
    lanes.wake([1]);
    await settled();
    let drained = false;
    const draining = lanes.drain().then(() => (drained = true));
    const claimsBefore = claims.length;
    while (calls.length > 0) {
      expect(drained).toBe(false);
      calls[0]?.end();
      await settled();
    }
    await draining;
    expect(claims).toHaveLength(claimsBefore);
    expect(due[1]).toBe(96);
  });
});
