import { describe, expect, it } from '@jest/globals';
import { alertTimes } from './alert-times.rules.ts';

describe('alertTimes', () => {
  it('leave a third of the last half minute to hand a mail over, however late it was found', () => {
    const { afterMs, everyMs } = alertTimes(300_000, 1_000);
    expect([afterMs, everyMs]).toEqual([270_000, 10_000]);
    for (const withinMs of [300, 5_000, 60_000, 300_000, 3_600_000]) {
      const times = alertTimes(withinMs, 0);
      expect(times.afterMs + times.everyMs).toBeLessThan(withinMs);
    }
  });

  it('report at once when no time is given', () => {
    expect(alertTimes(0, 1_000)).toEqual({ afterMs: 0, everyMs: 1_000 });
  });
});
