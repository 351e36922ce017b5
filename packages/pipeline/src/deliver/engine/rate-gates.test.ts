import { describe, expect, it } from '@jest/globals';
import { createLogger } from '@callout/runtime/log/logger';
import { eventually } from '@callout/testing';
import type { FreeSlots, RateGate } from '../claim.ts';
import { RateGates, type RateGatesDeps } from './rate-gates.ts';

/** Gates of one worker, over a PostgreSQL that says what the test has it say. */
function someGates(change: Partial<RateGatesDeps> = {}) {
  const seen = {
    claims: [] as number[][],
    alarms: [] as [number, number][],
    enqueued: [] as number[],
    over: [] as string[],
  };
  const clock = { nowMs: 0 };
  let says: readonly RateGate[] = [];
  const gates = new RateGates({
    async endCalls(calls) {
      seen.over.push(...calls.map(({ id }) => id));
    },
    due: {
      add: (keys) => seen.enqueued.push(...keys),
      addLater: (key, waitMs) => seen.alarms.push([key, waitMs]),
    },
    nowMs: () => clock.nowMs,
    log: createLogger({ service: 'test', level: 'silent' }),
    ...change,
  });
  const claim = (...keys: number[]): void => {
    const open = gates.openAmong(keys.map((webhookKey): FreeSlots => ({ webhookKey, slots: 1 })));
    if (open.length === 0) return;
    seen.claims.push(open.map(({ webhookKey }) => webhookKey));
    gates.onFound(says);
  };
  return { gates, seen, clock, claim, say: (...now: RateGate[]) => (says = now) };
}

const callout = (id: string, holdsPlace: boolean) => ({ id, webhookKey: 7, leaseOwner: 'l', holdsPlace });

describe('the rate gates of a worker', () => {
  it('claim nothing for a webhook whose rate is closed, until it opens, and others meanwhile', () => {
    const { seen, clock, claim, say } = someGates();
    say({ webhookKey: 1, gate: 'closed', opensInMs: 300 });
    claim(1, 2);
    say();
    claim(1, 2);
    claim(1);
    clock.nowMs = 300;
    claim(1);
    expect(seen.claims).toEqual([[1, 2], [2], [1]]);
  });

  it('look again after a second at the latest, since the owner may have raised the rate', () => {
    const { seen, clock, claim, say } = someGates();
    say({ webhookKey: 1, gate: 'closed', opensInMs: 10_000 });
    claim(1);
    clock.nowMs = 999;
    claim(1);
    clock.nowMs = 1_000;
    claim(1);
    expect(seen.claims).toHaveLength(2);
  });

  it('have an alarm for the next call where this worker began the last one, and else none', () => {
    const { seen, claim, say } = someGates();
    say(
      { webhookKey: 1, gate: 'taken', opensInMs: 300 },
      { webhookKey: 2, gate: 'closed', opensInMs: 300 },
      { webhookKey: 3, gate: 'open', opensInMs: -5 },
      { webhookKey: 4, gate: 'taken', opensInMs: -5 },
      { webhookKey: 5, gate: 'locked', opensInMs: -5 },
    );
    claim(1, 2, 3, 4, 5);
    expect(seen.alarms).toEqual([
      [1, 300],
      [5, 100],
    ]);
  });

  it('store that calls are over, and then look at their webhooks again', async () => {
    const { gates, seen } = someGates();
    gates.onCallOver(callout('a', true));
    gates.onCallOver(callout('b', false));
    gates.onCallOver(callout('c', true));
    await gates.drain();
    expect(seen.over.toSorted()).toEqual(['a', 'c']);
    await eventually(() => seen.enqueued.includes(7));
  });

  it('go on when that cannot be stored: the lease ends', async () => {
    const { gates, seen } = someGates({ endCalls: () => Promise.reject(new Error('PostgreSQL is away')) });
    gates.onCallOver(callout('a', true));
    await gates.drain();
    expect(seen.enqueued).toEqual([]);
  });
});
