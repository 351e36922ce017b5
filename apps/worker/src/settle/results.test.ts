import { describe, expect, it } from '@jest/globals';
import type { Settlement } from '@callout/core/settle';
import { createLogger } from '@callout/runtime/log';
import { createResults } from './results.ts';

const away = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
const refused = Object.assign(new Error('invalid byte sequence'), { code: '22021' });

function aResult(id: string): Settlement {
  return {
    callout: {
      id,
      tenantId: 1,
      webhookKey: 1,
      recordId: 1,
      sequenceNumber: 1,
      kind: 'event',
      isRedelivery: false,
      leaseOwner: 'lease',
    },
    attempt: {
      id,
      number: 1,
      startedAt: new Date(),
      durationMs: 1,
      url: 'https://hooks.example.com/in',
      requestHeaders: '{}',
      status: 200,
      responseHeaders: '{}',
      responseBody: null,
      failureReason: null,
      failure: null,
    },
    signal: 'delivered',
    problem: null,
    next: { kind: 'ended', state: 'delivered' },
  };
}

/** Results over a store that fails as it is told. */
function bench(failureOf: (ids: readonly string[]) => Error | undefined, gatherMs = 1, lateCalloutIds: string[] = []) {
  const stored: string[] = [];
  const told: string[] = [];
  const held: boolean[] = [];
  const clock = { nowMs: 0 };
  let tries = 0;
  const results = createResults({
    store: async (batch) => {
      tries += 1;
      const ids = batch.map(({ callout }) => callout.id);
      const failure = failureOf(ids);
      if (failure) throw failure;
      stored.push(...ids);
      return { lateCalloutIds, dueWebhookKeys: [], paused: 0 };
    },
    onSettled: ({ settlements }) => told.push(...settlements.map(({ callout }) => callout.id)),
    onKept: (areKept) => held.push(areKept),
    gatherMs,
    nowMs: () => clock.nowMs,
    log: createLogger({ service: 'test', level: 'silent' }),
  });
  return { results, stored, told, held, clock, tries: () => tries };
}

describe('results', () => {
  it('that cannot be stored for now are kept, with claims held, until they are', async () => {
    let failures = 3;
    const { results, stored, held } = bench(() => ((failures -= 1) >= 0 ? away : undefined));
    await Promise.all(['a', 'b'].map((id) => results.add(aResult(id), 1_000)));
    expect(stored.toSorted()).toEqual(['a', 'b']);
    expect(held).toEqual([true, false]);
  });

  it('are given up when their lease ends, and claims go on', async () => {
    const { results, held, clock, tries } = bench(() => {
      clock.nowMs += 400;
      return away;
    });
    await expect(results.add(aResult('a'), 1_000)).rejects.toBe(away);
    expect(held).toEqual([true, false]);
    // After those that end at 400 and 800 ms there is time for another, and after that none.
    expect(tries()).toBe(3);
  });

  it('of which one is refused for what it is are stored without it, and hold no claims', async () => {
    const { results, stored, held } = bench((ids) => (ids.includes('bad') ? refused : undefined));
    const added = ['a', 'bad', 'b'].map((id) => results.add(aResult(id), 1_000));
    const outcomes = await Promise.allSettled(added);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(stored).toEqual(['a', 'b']);
    expect(held).toEqual([]);
  });

  it('are told of as they are stored, except those whose lease had passed on', async () => {
    const { results, stored, told } = bench(() => undefined, 1, ['late']);
    await Promise.all(['a', 'late', 'b'].map((id) => results.add(aResult(id), 1_000)));
    expect(stored).toEqual(['a', 'late', 'b']);
    expect(told).toEqual(['a', 'b']);
  });

  it('are stored at once when something waits for one of them', async () => {
    const { results, tries } = bench(() => undefined, 3_600_000);
    const added = ['a', 'b'].map((id) => results.add(aResult(id), 1_000));
    results.hurry();
    await Promise.all(added);
    expect(tries()).toBe(1);
    // That was for those in hand.
    const later = results.add(aResult('c'), 1_000);
    results.hurry();
    await later;
    expect(tries()).toBe(2);
  });
});
