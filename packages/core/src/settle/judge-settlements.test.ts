import { describe, expect, it } from '@jest/globals';
import type { ReceiverHealth } from '../deliver/breaker.ts';
import { judgeSettlements, presumeSettlements, type LockedForSettlement } from './judge-settlements.ts';
import { settlementBatches, type Settlement } from './settlement.ts';

const now = new Date('2025-09-15T12:00:00Z');
const rules = { deactivateAfter: 25, random: () => 0.5 };
const failing: ReceiverHealth = {
  failedInRow: 24,
  downInRow: 0,
  failingSince: new Date('2025-09-15T11:00:00Z'),
  lastFailure: 'The receiver answered 400.',
  pausedUntil: null,
  pauses: 0,
  probeLease: null,
};

const delivered: Settlement['next'] = { kind: 'ended', state: 'delivered' };
const usedUp: Settlement['next'] = { kind: 'ended', state: 'failed', isGone: false };
const gone: Settlement['next'] = { kind: 'ended', state: 'failed', isGone: true };
const retry: Settlement['next'] = { kind: 'retry', waitMs: 5_000 };

/** A result of the callout with this id, which is also the record's and the lease's. */
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

/** What is locked for results that all hold their leases, of a webhook that is active. */
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
  it('of delivered callouts of a receiver that is well settles them and writes nothing else', () => {
    const results = [aResult('1', delivered), aResult('2', delivered)];
    expect(judge(results, { health: new Map(), now: null, webhooks: new Map() })).toEqual({
      settled: results,
      late: [],
      health: [],
      errorLogs: [],
      notifications: [],
      deactivate: { gone: [], repeatedFailure: [] },
    });
  });

  it('leaves out results of leases that have passed on, also from health and deactivation', () => {
    const [late, other] = [aResult('1', usedUp), aResult('2', usedUp)];
    for (const leaseOwners of [new Map([['1', 'another']]), new Map([['1', null]]), new Map()]) {
      const decision = judge([late], { leaseOwners });
      expect(decision).toMatchObject({ settled: [], late: [late], health: [], errorLogs: [], notifications: [] });
      expect(decision.deactivate).toEqual({ gone: [], repeatedFailure: [] });
    }
    const decision = judge([late, other], { leaseOwners: new Map([['2', 'lease 2']]) });
    expect(decision.health).toMatchObject([{ webhookKey: 7, health: { failedInRow: 25 } }]);
  });

  it('deactivates by the failure that fills the row, and by none before it, of a redelivery or of another webhook', () => {
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

  it('deactivates at once for a receiver that is gone, with no mail about the callout', () => {
    const decision = judge([aResult('1', gone)]);
    expect(decision.deactivate).toEqual({ gone: [7], repeatedFailure: [] });
    expect(decision.notifications).toEqual([]);
    expect(decision.errorLogs).toHaveLength(1);
    expect(judge([aResult('1', gone, { kind: 'deactivation' })]).deactivate.gone).toEqual([]);
  });

  it('cancels what is given up of a webhook that was deactivated meanwhile: it counts for nothing', () => {
    const decision = judge([aResult('1', usedUp)], { webhooks: new Map([[7, { isActive: false }]]) });
    expect(decision.settled).toMatchObject([{ next: { kind: 'ended', state: 'cancelled' } }]);
    expect(decision).toMatchObject({ health: [], errorLogs: [], notifications: [] });
  });

  it('tells in the error log and the mail what was answered and when the change happened', () => {
    const { errorLogs, notifications } = judge([aResult('1', usedUp)]);
    expect(errorLogs[0]?.errorMessage).toBe(
      'Attempt 1 failed: The receiver answered 400. The answer begins: no such order',
    );
    expect(notifications[0]).toMatchObject({
      occasion: 'attempt 1',
      content: { failedInRow: 25, deactivateAfter: 25, eventTime: '2025-09-15T10:00:00Z' },
    });
  });

  it('begins no health where none is locked, and ends a pause with a success', () => {
    expect(judge([aResult('1', retry)], { health: new Map(), now: null }).health).toEqual([]);
    const health = new Map([[7, { ...failing, pauses: 2, pausedUntil: now }]]);
    expect(judge([aResult('1', delivered)], { health }).health).toEqual([
      { tenantId: 1, webhookKey: 7, health: null, pause: 'resumed' },
    ]);
  });
});

describe('presumeSettlements', () => {
  it('decides what the locks of a receiver that is well lead to, where all were delivered', () => {
    const results = [aResult('1', delivered), aResult('2', delivered)];
    const change = { health: new Map(), now: null, webhooks: new Map() };
    expect(presumeSettlements(results, rules)).toEqual(judge(results, change));
  });

  it('decides nothing where one was not', () => {
    for (const next of [retry, usedUp, gone]) {
      expect(presumeSettlements([aResult('1', delivered), aResult('2', next)], rules)).toBeNull();
    }
  });
});

describe('settlementBatches', () => {
  it('keeps results apart that give up, and two of one record', () => {
    const [first, second] = [aResult('1', delivered), aResult('2', delivered, { recordId: 1 })];
    const [third, test] = [aResult('3', usedUp), aResult('4', usedUp, { kind: 'test' })];
    expect(settlementBatches([third, first, second, test])).toEqual([[first, test], [second], [third]]);
    expect(settlementBatches([])).toEqual([]);
  });
});
