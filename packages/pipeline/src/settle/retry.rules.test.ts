import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { isDelivered, type AttemptOutcome } from '@callout/domain/outcome/outcome';
import { judgeAttempt, retrySchedules, type RetrySchedule } from './retry.rules.ts';

const finishedAt = new Date('2025-09-15T15:10:00Z');
const middle = (): number => 0.5;

const answered = (status: number, headers: Record<string, string> = {}): AttemptOutcome => ({
  kind: 'answered',
  status,
  headers,
  body: Buffer.alloc(0),
  bodyCut: null,
  durationMs: 12,
});
const failed: AttemptOutcome = {
  kind: 'failed',
  reason: 'timeout',
  message: 'no answer within 10 s',
  durationMs: 10_000,
};

/** Milliseconds until the next attempt; undefined when there is none. */
function waitMs(
  outcome: AttemptOutcome,
  attemptNumber: number,
  schedule: RetrySchedule,
  random = middle,
): number | undefined {
  const verdict = judgeAttempt(outcome, attemptNumber, schedule, finishedAt, random);
  return verdict.kind === 'retry' ? verdict.at.getTime() - finishedAt.getTime() : undefined;
}

const { standard, classic } = retrySchedules;
const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

describe('judgeAttempt', () => {
  it.each([200, 201, 202, 204, 299])('counts %i as delivered, also at the last attempt', (status) => {
    expect(judgeAttempt(answered(status), 1, standard, finishedAt, middle)).toEqual({ kind: 'delivered' });
    expect(judgeAttempt(answered(status), 9, standard, finishedAt, middle)).toEqual({ kind: 'delivered' });
    expect(isDelivered(answered(status))).toBe(true);
  });

  it.each([100, 199, 300, 301, 302, 303, 304, 307, 308, 400, 401, 404, 429, 500, 503, 599])(
    'retries after %i',
    (status) => {
      expect(waitMs(answered(status), 1, standard)).toBe(5 * secondMs);
      expect(isDelivered(answered(status))).toBe(false);
    },
  );

  it('retries when no response came', () => {
    expect(waitMs(failed, 1, standard)).toBe(5 * secondMs);
    expect(isDelivered(failed)).toBe(false);
  });

  it('follows the standard schedule: nine attempts', () => {
    const waits = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((attemptNumber) => waitMs(failed, attemptNumber, standard));
    expect(waits).toEqual([
      5 * secondMs,
      minuteMs,
      5 * minuteMs,
      30 * minuteMs,
      2 * hourMs,
      5 * hourMs,
      10 * hourMs,
      10 * hourMs,
      undefined,
    ]);
    expect(judgeAttempt(failed, 9, standard, finishedAt, middle)).toEqual({ kind: 'failed', deactivateWebhook: false });
  });

  it('follows the classic schedule: five attempts, exactly 30 s apart', () => {
    for (const random of [() => 0, middle, () => 0.999]) {
      const waits = [1, 2, 3, 4, 5].map((attemptNumber) => waitMs(failed, attemptNumber, classic, random));
      expect(waits).toEqual([30_000, 30_000, 30_000, 30_000, undefined]);
    }
  });

  it('spreads the standard waits over ±20 %', () => {
    expect(waitMs(failed, 2, standard, () => 0)).toBe(48_000);
    expect(waitMs(failed, 2, standard, () => 1 - Number.EPSILON)).toBe(72_000);
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 8 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (attempt, roll) => {
          const base = standard.waitsMs[attempt - 1] ?? Number.NaN;
          const wait = waitMs(failed, attempt, standard, () => roll) ?? Number.NaN;
          expect(wait).toBeGreaterThanOrEqual(base * 0.8);
          expect(wait).toBeLessThanOrEqual(base * 1.2);
        },
      ),
    );
  });

  it.each([429, 503])('uses the Retry-After of %i exactly, without jitter', (status) => {
    for (const random of [() => 0, () => 0.999]) {
      expect(waitMs(answered(status, { 'retry-after': '97' }), 1, standard, random)).toBe(97_000);
      const date = answered(status, { 'retry-after': 'Mon, 15 Sep 2025 15:12:00 GMT' });
      expect(waitMs(date, 1, standard, random)).toBe(2 * minuteMs);
    }
  });

  it('ignores Retry-After with any other status, and an invalid one', () => {
    expect(waitMs(answered(500, { 'retry-after': '97' }), 1, standard)).toBe(5 * secondMs);
    expect(waitMs(answered(301, { 'retry-after': '97' }), 1, standard)).toBe(5 * secondMs);
    expect(waitMs(answered(503, { 'retry-after': '-97' }), 1, standard)).toBe(5 * secondMs);
  });

  it('fails after the last attempt, whatever Retry-After says', () => {
    expect(waitMs(answered(503, { 'retry-after': '97' }), 9, standard)).toBeUndefined();
  });

  it.each([1, 9])('fails the callout and deactivates the webhook on 410 at attempt %i', (attemptNumber) => {
    const verdict = judgeAttempt(answered(410, { 'retry-after': '5' }), attemptNumber, standard, finishedAt, middle);
    expect(verdict).toEqual({ kind: 'failed', deactivateWebhook: true });
  });

  it('never retries when the number of attempts exceeds the schedule', () => {
    expect(waitMs(failed, 12, standard)).toBeUndefined();
    expect(waitMs(failed, 1, { waitsMs: [], jitter: 0 })).toBeUndefined();
  });
});
