import { describe, expect, it } from '@jest/globals';
import type { MailOutcome } from '@callout/domain/mail/mail-message';
import { judgeMail } from './mail-retry.rules.ts';

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
const middle = () => 0.5;
const notSent: MailOutcome = { kind: 'notSent', reason: 'away' };

describe('judgeMail', () => {
  it('ends a mail that was sent or permanently refused', () => {
    expect(judgeMail({ kind: 'sent' }, { attemptNumber: 3, ageMs: 9 * day }, middle)).toEqual({ state: 'sent' });
    const refused = { state: 'refused', reason: 'unknown' };
    expect(judgeMail({ kind: 'refused', reason: 'unknown' }, { attemptNumber: 1, ageMs: 0 }, middle)).toEqual(refused);
  });

  it.each([
    [1, minute / 2],
    [2, minute],
    [3, 2 * minute],
    [7, 32 * minute],
    [8, hour],
    [9, hour],
    [100_000, hour],
  ])('waits for a time after attempt %d: %d ms', (attemptNumber, waitMs) => {
    const verdict = { state: 'waiting', reason: 'away', waitMs };
    expect(judgeMail(notSent, { attemptNumber, ageMs: 0 }, middle)).toEqual(verdict);
  });

  it('spreads the waits by 20 % to either side', () => {
    const waits = [0, 0.999999].map((random) => judgeMail(notSent, { attemptNumber: 8, ageMs: 0 }, () => random));
    expect(waits).toMatchObject([{ waitMs: 0.8 * hour }, { waitMs: expect.closeTo(1.2 * hour, -2) }]);
  });

  it('fails when an attempt fails after 7 days, and not before', () => {
    const stateAt = (ageMs: number) => judgeMail(notSent, { attemptNumber: 1, ageMs }, middle).state;
    expect([stateAt(7 * day - 1), stateAt(7 * day), stateAt(30 * day)]).toEqual(['waiting', 'failed', 'failed']);
  });

  it('retries often enough that an outage of an hour ends within the next', () => {
    let [passedMs, attempts] = [0, 0];
    while (passedMs < 7 * day) {
      const verdict = judgeMail(notSent, { attemptNumber: ++attempts, ageMs: passedMs }, () => 0.999);
      if (verdict.state !== 'waiting') break;
      passedMs += verdict.waitMs;
    }
    expect(attempts).toBeGreaterThan(100);
  });
});
