import { describe, expect, it } from '@jest/globals';
import { nextHealth, type AttemptSignal, type ReceiverHealth } from './breaker.rules.ts';
import { signalOf } from './settlement.rules.ts';
import type { AttemptOutcome } from '@callout/domain/outcome/outcome';

const now = new Date('2026-01-02T03:04:05Z');
const half = (): number => 0.5;
const [down, delivered, rejected] = (['down', 'delivered', 'rejected'] as const).map((kind): AttemptSignal => ({
  kind,
  leaseOwner: 'a lease',
  durationMs: 8_000,
  failure: kind === 'delivered' ? null : kind,
  countsAsFailed: false,
})) as [AttemptSignal, AttemptSignal, AttemptSignal];

const times = (count: number, signal: AttemptSignal): AttemptSignal[] => Array.from({ length: count }, () => signal);
const after = (known: ReceiverHealth | null, ...signals: AttemptSignal[]): ReceiverHealth | null =>
  nextHealth(known, signals, now, half);

function answered(status: number): AttemptOutcome {
  return { kind: 'answered', status, headers: {}, body: Buffer.alloc(0), bodyCut: null, durationMs: 1 };
}

describe('a receiver', () => {
  it.each([
    [200, 'delivered'],
    [299, 'delivered'],
    [300, 'rejected'],
    [400, 'rejected'],
    [404, 'rejected'],
    [408, 'down'],
    [410, 'rejected'],
    [429, 'down'],
    [500, 'down'],
    [503, 'down'],
  ] as const)('that answers %d: %s', (status, signal) => {
    expect(signalOf(answered(status))).toBe(signal);
  });

  it('that does not answer is down', () => {
    expect(signalOf({ kind: 'failed', reason: 'timeout', message: 'no answer', durationMs: 1 })).toBe('down');
  });
});

describe('the breaker', () => {
  it('stores nothing about a healthy receiver', () => {
    expect(after(null)).toBeNull();
    expect(after(null, delivered)).toBeNull();
    expect(after(null, down, delivered)).toBeNull();
  });

  it('pauses for 5 s after ten failures in a row, and not after nine', () => {
    expect(after(null, ...times(9, down))).toMatchObject({ pauses: 0, pausedUntil: null, downInRow: 9 });
    expect(after(null, ...times(10, down))).toMatchObject({ pauses: 1, pausedUntil: new Date(now.getTime() + 5_000) });
    expect(after(null, ...times(9, down), delivered, ...times(9, down))).toMatchObject({ pauses: 0 });
    expect(after(null, ...times(9, down), rejected, ...times(9, down))).toMatchObject({ pauses: 0 });
  });

  it('ignores calls that were under way when the pause began', () => {
    const paused = after(null, ...times(10, down));
    expect(after(paused, ...times(20, down))).toMatchObject({ pauses: 1, pausedUntil: paused?.pausedUntil });
  });

  it('doubles the pause with every probe that fails, up to a minute', () => {
    const lengths: number[] = [];
    let health = after(null, ...times(10, down));
    for (let probe = 0; probe < 6; probe += 1) {
      if (health === null) throw new Error('it is paused');
      const probing = { ...health, probeLease: 'probe' };
      health = after(probing, { ...down, leaseOwner: 'probe' });
      lengths.push((health?.pausedUntil?.getTime() ?? 0) - now.getTime());
      expect(health?.probeLease).toBeNull();
    }
    expect(lengths).toEqual([10_000, 20_000, 40_000, 60_000, 60_000, 60_000]);
  });

  it('varies a pause by a fifth', () => {
    const lengths = [0, 0.999_999].map((value) => {
      const health = nextHealth(null, times(10, down), now, () => value);
      return (health?.pausedUntil?.getTime() ?? 0) - now.getTime();
    });
    expect(lengths).toEqual([4_000, 6_000]);
  });

  it.each([
    ['delivers', delivered],
    ['is rejected, since the receiver answers', rejected],
  ])('ends the pause when a call %s', (_, signal) => {
    expect(after(after(null, ...times(10, down)), signal)?.pauses ?? 0).toBe(0);
  });

  it('counts callouts that used up their attempts until one is delivered', () => {
    const failed = { ...rejected, countsAsFailed: true };
    expect(after(null, failed, down, failed)).toMatchObject({
      failedInRow: 2,
      // When the first of these attempts began.
      failingSince: new Date(now.getTime() - failed.durationMs),
      lastFailure: 'rejected',
    });
    expect(after(null, failed, delivered, failed)).toMatchObject({ failedInRow: 1 });
  });
});

describe('the next probe of a failing receiver', () => {
  const minute = 60_000;
  const waitAfter = (failingMs: number, change: Partial<AttemptSignal> = {}, random = 0): number => {
    const known = after(null, down);
    if (known === null) throw new Error('it is failing');
    const failingSince = new Date(now.getTime() - failingMs);
    const health = nextHealth({ ...known, failingSince }, [{ ...down, ...change }], now, () => random);
    return (health?.probeAt?.getTime() ?? 0) - now.getTime();
  };

  it.each([
    [0, 1],
    [10, 1],
    [30, 3],
    [100, 10],
    [6_000, 10],
  ])('after %d minutes of failing is %d minutes away', (failing, wait) => {
    expect(waitAfter(failing * minute)).toBe(wait * minute);
  });

  it('is sooner by a fifth at most, and never within a wait that was asked for', () => {
    expect(waitAfter(0, {}, 0.999_999)).toBe(48_000);
    expect(waitAfter(0, { askedWaitMs: 30 * minute })).toBe(30 * minute);
    expect(waitAfter(0, { askedWaitMs: 5_000 })).toBe(minute);
  });

  it('is gone with the first success', () => {
    expect(after(after(null, down), delivered)).toBeNull();
  });
});
