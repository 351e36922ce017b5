import { describe, expect, it } from '@jest/globals';
import { attemptFailureReasons, isNotMade } from '../outcome/outcome.ts';
import { failedReasonOf, failedReasons, isOfStatus } from './failed-reason.ts';

describe('the reasons of failed callouts', () => {
  it('are classes of statuses and the reasons of attempts that were made', () => {
    const made = attemptFailureReasons.filter(
      (reason) => !isNotMade({ kind: 'failed', reason, message: '', durationMs: 0 }),
    );
    expect(failedReasons.filter((reason) => !isOfStatus(reason)).toSorted()).toEqual(made.toSorted());
  });

  it.each([
    [{ status: 503, failureReason: null }, 'status5xx'],
    [{ status: 410, failureReason: null }, 'status410'],
    [{ status: 404, failureReason: null }, 'status4xx'],
    [{ status: 302, failureReason: null }, 'status3xx'],
    [{ status: 600, failureReason: null }, 'other'],
    [{ status: null, failureReason: 'timeout' }, 'timeout'],
    [{ status: null, failureReason: 'busy' }, 'other'],
    [{ status: null, failureReason: 'status5xx' }, 'other'],
    [{ status: null, failureReason: null }, 'other'],
  ] as const)('of %j is %s', (attempt, reason) => {
    expect(failedReasonOf(attempt)).toBe(reason);
  });
});
