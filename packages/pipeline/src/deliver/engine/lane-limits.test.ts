import { describe, expect, it } from '@jest/globals';
import { createLaneLimits } from './lane-limits.ts';

function limitsAt(clock: { nowMs: number }, maxKept = 10) {
  return createLaneLimits({ most: 20, nowMs: () => clock.nowMs, maxKept });
}

describe('the limit of a lane', () => {
  it('starts with few slots and grows by one for each delivered callout, up to the maximum', () => {
    const limits = limitsAt({ nowMs: 0 });
    expect(limits.slotsOf(1)).toBe(8);
    for (let n = 0; n < 30; n += 1) limits.record(1, { signal: 'delivered', durationMs: 5 });
    expect(limits.slotsOf(1)).toBe(20);
    expect(limits.slotsOf(2)).toBe(8);
  });

  it('is halved once for all calls that were under way at the same time', () => {
    const clock = { nowMs: 10_000 };
    const limits = limitsAt(clock);
    for (let n = 0; n < 8; n += 1) limits.record(1, { signal: 'down', durationMs: 10_000 });
    expect(limits.slotsOf(1)).toBe(4);
    clock.nowMs = 30_000;
    limits.record(1, { signal: 'down', durationMs: 10_000 });
    expect(limits.slotsOf(1)).toBe(2);
  });

  it('does not change when the receiver only rejects a callout', () => {
    const limits = limitsAt({ nowMs: 0 });
    limits.record(1, { signal: 'rejected', durationMs: 5 });
    expect(limits.slotsOf(1)).toBe(8);
  });

  it('treats a receiver as slow by the duration of its latest responses', () => {
    const limits = limitsAt({ nowMs: 0 });
    limits.record(1, { signal: 'delivered', durationMs: 3_000 });
    expect(limits.isSlow(1)).toBe(false);
    for (let n = 0; n < 5; n += 1) limits.record(1, { signal: 'delivered', durationMs: 3_000 });
    expect(limits.isSlow(1)).toBe(true);
    for (let n = 0; n < 10; n += 1) limits.record(1, { signal: 'delivered', durationMs: 10 });
    expect(limits.isSlow(1)).toBe(false);
  });

  it('tolerates silence in proportion to the usual response time', () => {
    const limits = limitsAt({ nowMs: 0 });
    expect(limits.patienceMsOf(1)).toBe(200);
    for (let n = 0; n < 50; n += 1) limits.record(1, { signal: 'delivered', durationMs: 100 });
    expect(limits.patienceMsOf(1)).toBeCloseTo(500, 0);
    for (let n = 0; n < 50; n += 1) limits.record(1, { signal: 'delivered', durationMs: 900 });
    expect(limits.patienceMsOf(1)).toBe(1_000);
  });

  it('is kept for a bounded number of webhooks', () => {
    const limits = limitsAt({ nowMs: 0 }, 2);
    for (const webhookKey of [1, 2, 3]) limits.record(webhookKey, { signal: 'delivered', durationMs: 5 });
    expect([1, 2, 3].map((webhookKey) => limits.slotsOf(webhookKey))).toEqual([8, 9, 9]);
  });
});
