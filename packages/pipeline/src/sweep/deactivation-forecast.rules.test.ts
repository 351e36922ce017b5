import { describe, expect, it } from '@jest/globals';
import { forecastDeactivation, type FailingWebhook } from './deactivation-forecast.rules.ts';
import { retrySchedules } from '../settle/retry.rules.ts';

const now = new Date('2026-11-20T12:00:00Z');
const minute = 60_000;
const schedule = { waitsMs: [minute, 10 * minute], jitter: 0.2 };
const after = (minutes: number) => new Date(now.getTime() + minutes * minute);
const untouched = { dueAt: after(-3), attemptsMade: 0, behind: 0 };

function forecast(changes: Partial<FailingWebhook>) {
  return forecastDeactivation(
    { failedInRow: 0, deactivateAfter: 2, isPaused: false, openCallouts: [], ...changes },
    schedule,
    now,
  );
}

describe('forecastDeactivation', () => {
  it('is the time at which as many callouts as are missing have used up their attempts', () => {
    const triedTwice = { dueAt: after(4), attemptsMade: 2, behind: 0 };
    const triedOnce = { dueAt: after(1), attemptsMade: 1, behind: 0 };
    const openCallouts = [untouched, triedTwice, triedOnce];
    expect(forecast({ openCallouts })).toEqual({ deactivationAt: after(11), firstFailsAt: after(4) });
    expect(forecast({ openCallouts, failedInRow: 1 }).deactivationAt).toEqual(after(4));
    expect(forecast({ openCallouts, deactivateAfter: 3 }).deactivationAt).toEqual(after(11));
  });

  it('is unknown while fewer are open than are missing, and absent when failures never deactivate', () => {
    expect(forecast({ openCallouts: [untouched] })).toEqual({ deactivationAt: null, firstFailsAt: after(11) });
    expect(forecast({ openCallouts: [] })).toEqual({ deactivationAt: null, firstFailsAt: null });
    expect(forecast({ openCallouts: [untouched], deactivateAfter: 0 }).deactivationAt).toBeNull();
  });

  it('counts callouts behind others of their record, which are tried after those fail', () => {
    const openCallouts = [
      { ...untouched, behind: 349 },
      { dueAt: after(4), attemptsMade: 2, behind: 0 },
    ];
    expect(forecast({ openCallouts, deactivateAfter: 4 })).toEqual({
      deactivationAt: after(33),
      firstFailsAt: after(4),
    });
  });

  it('is no earlier than the calls that a pause allows', () => {
    const openCallouts = Array.from({ length: 10 }, () => untouched);
    expect(forecast({ openCallouts, deactivateAfter: 10, isPaused: true }).deactivationAt).toEqual(after(30));
  });

  it('is more than a day away with the standard schedule', () => {
    const openCallouts = Array.from({ length: 25 }, () => untouched);
    const webhook = { failedInRow: 0, deactivateAfter: 25, isPaused: true, openCallouts };
    const { deactivationAt } = forecastDeactivation(webhook, retrySchedules.standard, now);
    const hours = ((deactivationAt?.getTime() ?? 0) - now.getTime()) / 3_600_000;
    expect(hours).toBeGreaterThan(27);
    expect(hours).toBeLessThan(29);
  });
});
