import { describe, expect, it } from '@jest/globals';
import type { Settlement } from './settlement.rules.ts';
import { createLogger } from '@callout/runtime/log/logger';
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

/** Results over a store that fails when the test says so. */
function bench(failureOf: (ids: readonly string[]) => Error | undefined, gatherMs = 1, lateCalloutIds: string[] = []) {
  const stored: string[] = [];
  const reported: string[] = [];
  const suspended: boolean[] = [];
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
    onSettled: ({ settlements }) => reported.push(...settlements.map(({ callout }) => callout.id)),
    onBuffering: (isBuffering) => suspended.push(isBuffering),
    gatherMs,
    nowMs: () => clock.nowMs,
    log: createLogger({ service: 'test', level: 'silent' }),
    metrics: { onSettled: () => undefined, onSettleFailed: () => undefined },
  });
  return { results, stored, reported, suspended, clock, tries: () => tries };
}

describe('results', () => {
  it('that cannot be stored now are buffered, with claims suspended, until they are stored', async () => {
    let failures = 3;
    const { results, stored, suspended } = bench(() => ((failures -= 1) >= 0 ? away : undefined));
    await Promise.all(['a', 'b'].map((id) => results.add(aResult(id), 1_000)));
    expect(stored.toSorted()).toEqual(['a', 'b']);
    expect(suspended).toEqual([true, false]);
  });

  it('are dropped when their lease ends, and claims continue', async () => {
    const { results, suspended, clock, tries } = bench(() => {
      clock.nowMs += 400;
      return away;
    });
    await expect(results.add(aResult('a'), 1_000)).rejects.toBe(away);
    expect(suspended).toEqual([true, false]);
    // After the retries that end at 400 and 800 ms there is time for another, and after that none.
    expect(tries()).toBe(3);
  });

  it('are stored without a result that the database refuses, and claims continue', async () => {
    const { results, stored, suspended } = bench((ids) => (ids.includes('bad') ? refused : undefined));
    const added = ['a', 'bad', 'b'].map((id) => results.add(aResult(id), 1_000));
    const outcomes = await Promise.allSettled(added);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(stored).toEqual(['a', 'b']);
    expect(suspended).toEqual([]);
  });

  it('are reported when they are stored, except those whose lease was lost', async () => {
    const { results, stored, reported } = bench(() => undefined, 1, ['late']);
    await Promise.all(['a', 'late', 'b'].map((id) => results.add(aResult(id), 1_000)));
    expect(stored).toEqual(['a', 'late', 'b']);
    expect(reported).toEqual(['a', 'b']);
  });

  it('are stored at once when something waits for one of them', async () => {
    const { results, tries } = bench(() => undefined, 3_600_000);
    const added = ['a', 'b'].map((id) => results.add(aResult(id), 1_000));
    results.hurry();
    await Promise.all(added);
    expect(tries()).toBe(1);
    // That applied to the results in the buffer.
    const later = results.add(aResult('c'), 1_000);
    results.hurry();
    await later;
    expect(tries()).toBe(2);
  });
});
