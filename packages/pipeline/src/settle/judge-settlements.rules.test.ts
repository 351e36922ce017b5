import { describe, expect, it } from '@jest/globals';
import type { ReceiverHealth } from './breaker.rules.ts';
import { judgeSettlements, type LockedForSettlement } from './judge-settlements.rules.ts';
import { settlementBatches, type Settlement } from './settlement.rules.ts';

const now = new Date('2025-09-15T12:00:00Z');
const rules = { deactivateAfter: 25, failingAfterMs: 300_000, random: () => 0.5 };
const failing: ReceiverHealth = {
  failedInRow: 24,
  downInRow: 0,
  failingSince: new Date('2025-09-15T11:00:00Z'),
  lastFailure: 'The receiver answered 400.',
  pausedUntil: null,
  pauses: 0,
  probeLease: null,
  probeAt: null,
  refusedNumber: null,
  isReported: false,
};

const delivered: Settlement['next'] = { kind: 'ended', state: 'delivered' };
const usedUp: Settlement['next'] = { kind: 'ended', state: 'failed', isGone: false };
const gone: Settlement['next'] = { kind: 'ended', state: 'failed', isGone: true };
const retry: Settlement['next'] = { kind: 'retry', waitMs: 5_000 };

/** A result of the callout with this id, which is also that of its record and lease. */
function aResult(id: string, next: Settlement['next'], change: Partial<Settlement['callout']> = {}): Settlement {
  const isDelivered = next === delivered;
  return {
    callout: {
      id,
      tenantId: 1,
      webhookKey: 7,
      recordId: Number(id),
      sequenceNumber: Number(id),
      kind: 'event',
      isRedelivery: false,
      leaseOwner: `lease ${id}`,
      ...change,
    },
    attempt: {
      id: `attempt ${id}`,
      number: 1,
      startedAt: now,
      durationMs: 1,
      url: 'https://example.com',
      requestHeaders: '{}',
      status: isDelivered ? 200 : 400,
      responseHeaders: '{}',
      responseBody: Buffer.from('no\r\nsuch order'),
      failureReason: null,
      failure: null,
    },
    signal: isDelivered ? 'delivered' : 'rejected',
    problem: isDelivered ? null : 'The receiver answered 400.',
    next,
  };
}

/** Locked rows for results that all have their leases, of an active webhook. */
function lockedFor(results: readonly Settlement[], change: Partial<LockedForSettlement> = {}): LockedForSettlement {
  return {
    leaseOwners: new Map(results.map(({ callout }) => [callout.id, callout.leaseOwner])),
    health: new Map([[7, failing]]),
    now,
    webhooks: new Map([[7, { isActive: true }]]),
    bodies: new Map(results.map(({ callout }) => [callout.id, '{"EventTime":"2025-09-15T10:00:00Z"}'])),
    ...change,
  };
}

const judge = (results: readonly Settlement[], change: Partial<LockedForSettlement> = {}) =>
  judgeSettlements(results, lockedFor(results, change), rules);

describe('judgeSettlements', () => {
  it('settles delivered callouts of a healthy receiver and writes nothing else', () => {
    const results = [aResult('1', delivered), aResult('2', delivered)];
    expect(judge(results, { health: new Map(), now: null, webhooks: new Map() })).toEqual({
      settled: results,
      late: [],
      health: [],
      errorLogs: [],
      notifications: [],
      occurrences: [],
      deactivate: { gone: [], repeatedFailure: [] },
    });
  });

  it('ignores results without a lease, also for health and deactivation', () => {
    const [late, other] = [aResult('1', usedUp), aResult('2', usedUp)];
    for (const leaseOwners of [new Map([['1', 'another']]), new Map([['1', null]]), new Map()]) {
      const decision = judge([late], { leaseOwners });
      expect(decision).toMatchObject({ settled: [], late: [late], health: [], errorLogs: [], notifications: [] });
      expect(decision.deactivate).toEqual({ gone: [], repeatedFailure: [] });
    }
    const decision = judge([late, other], { leaseOwners: new Map([['2', 'lease 2']]) });
    expect(decision.health).toMatchObject([{ webhookKey: 7, health: { failedInRow: 25 } }]);
  });

  it('deactivates by the failure that reaches the limit, and by none before it, of a redelivery or of another webhook', () => {
    expect(judge([aResult('1', usedUp)]).deactivate).toEqual({ gone: [], repeatedFailure: [7] });
    const health = new Map([[7, { ...failing, failedInRow: 23 }]]);
    expect(judge([aResult('1', usedUp)], { health }).deactivate.repeatedFailure).toEqual([]);
    expect(judge([aResult('1', usedUp), aResult('2', usedUp)], { health }).deactivate.repeatedFailure).toEqual([7]);
    expect(judge([aResult('1', usedUp, { isRedelivery: true })]).deactivate.repeatedFailure).toEqual([]);
    const decision = judgeSettlements([aResult('1', usedUp)], lockedFor([aResult('1', usedUp)]), {
      ...rules,
      deactivateAfter: 0,
    });
    expect(decision.deactivate.repeatedFailure).toEqual([]);
  });

  it('deactivates at once on 410, without a mail about the callout', () => {
    const decision = judge([aResult('1', gone)]);
    expect(decision.deactivate).toEqual({ gone: [7], repeatedFailure: [] });
    expect(decision.notifications).toEqual([]);
    expect(decision.errorLogs).toHaveLength(1);
    expect(judge([aResult('1', gone, { kind: 'deactivation' })]).deactivate.gone).toEqual([]);
  });

  it('cancels a failed callout of a webhook that was deactivated meanwhile, without counting it', () => {
    const decision = judge([aResult('1', usedUp)], { webhooks: new Map([[7, { isActive: false }]]) });
    expect(decision.settled).toMatchObject([{ next: { kind: 'ended', state: 'cancelled' } }]);
    expect(decision).toMatchObject({ health: [], errorLogs: [], notifications: [] });
  });

  it('puts the response and the time of the change into the error log and the mail', () => {
    const { errorLogs, notifications } = judge([aResult('1', usedUp)]);
    expect(errorLogs[0]?.errorMessage).toBe(
      'Attempt 1 failed: The receiver answered 400. The answer begins: no such order',
    );
    expect(notifications[0]).toMatchObject({
      occasion: 'attempt 1',
      content: { failedInRow: 25, deactivateAfter: 25, eventTime: '2025-09-15T10:00:00Z' },
    });
  });

  it('creates no health where none is locked, and ends a pause with a success', () => {
    expect(judge([aResult('1', retry)], { health: new Map(), now: null }).health).toEqual([]);
    const health = new Map([[7, { ...failing, pauses: 2, pausedUntil: now }]]);
    expect(judge([aResult('1', delivered)], { health }).health).toEqual([
      { tenantId: 1, webhookKey: 7, health: null, pause: 'resumed', isRecovery: true, isOver: true },
    ]);
  });

  it('ends what was reported of a webhook with a recovery, and with a success after a callout that failed', () => {
    const ends = (before: Partial<ReceiverHealth>) =>
      judge([aResult('1', delivered)], { health: new Map([[7, { ...failing, ...before }]]) }).health.map(
        ({ isOver }) => isOver,
      );
    expect(ends({ pauses: 1 })).toEqual([true]);
    expect(ends({ pauses: 0, failingSince: now, failedInRow: 1 })).toEqual([true]);
    expect(ends({ pauses: 0, failingSince: now, failedInRow: 0 })).toEqual([false]);
  });

  it('treats a success as a recovery where the webhook was paused or failing, not after a single failure', () => {
    const recovers = (before: Partial<ReceiverHealth>, kind: 'event' | 'test' = 'event') =>
      judge([aResult('1', delivered, { kind })], { health: new Map([[7, { ...failing, ...before }]]) }).health.map(
        ({ isRecovery }) => isRecovery,
      );
    const ago = (ms: number) => new Date(now.getTime() - ms);
    expect(recovers({ pauses: 0, failingSince: ago(rules.failingAfterMs - 1) })).toEqual([false]);
    expect(recovers({ pauses: 0, failingSince: ago(rules.failingAfterMs) })).toEqual([true]);
    expect(recovers({ pauses: 1, failingSince: ago(1) }, 'test')).toEqual([true]);
    // Its people were notified already, who are to know of its end.
    expect(recovers({ pauses: 0, failingSince: ago(1), isReported: true })).toEqual([true]);
    const refused = aResult('1', usedUp, { kind: 'test' });
    expect(judge([{ ...refused, signal: 'down' }], { health: new Map([[7, failing]]) }).health).toEqual([]);
  });
});

describe('settlementBatches', () => {
  it('separates results of failed callouts, and results of one record', () => {
    const [first, second] = [aResult('1', delivered), aResult('2', delivered, { recordId: 1 })];
    const [third, test] = [aResult('3', usedUp), aResult('4', usedUp, { kind: 'test' })];
    expect(settlementBatches([third, first, second, test])).toEqual([[first, test], [second], [third]]);
    expect(settlementBatches([])).toEqual([]);
  });
});
