import { beforeEach, describe, expect, it } from '@jest/globals';
import { createOwnCounter } from '../http/limits/rate.ts';
import { type CheckToken, createCheckToken, MOST_WRONG } from './check-token.ts';

let nowMs: number;
let wrong: ReturnType<typeof createOwnCounter>;
let warnings: unknown[];
let check: CheckToken;

beforeEach(() => {
  nowMs = 1_000;
  warnings = [];
  wrong = createOwnCounter({ windowMs: 60_000, mostKeys: 2, now: () => nowMs });
  check = createCheckToken({ token: 'right', log: { warn: (fields) => void warnings.push(fields) }, wrong });
});

const guess = (address: string, times: number) =>
  expect(Array.from({ length: times }, () => check('wrong', address))).not.toContain(true);

describe('wrong operator tokens', () => {
  it('refuse their address once there are too many, until the minute is over, and no other address', () => {
    guess('192.0.2.1', MOST_WRONG - 1);
    expect([check('right', '192.0.2.1'), warnings.length]).toEqual([true, 0]);
    guess('192.0.2.1', 1);
    expect(warnings).toHaveLength(1);
    nowMs += 30_000;
    expect(() => check('right', '192.0.2.1')).toThrow(
      expect.objectContaining({ kind: 'tooMany', retryAfterS: 30, message: expect.stringContaining('in 30 s') }),
    );
    expect(check('right', '192.0.2.2')).toBe(true);
    nowMs += 30_001;
    expect(check('right', '192.0.2.1')).toBe(true);
    guess('192.0.2.1', 1);
    expect(warnings).toHaveLength(1);
  });

  it('store a bounded number of addresses, and forget the one that was silent for longest', () => {
    for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) guess(address, MOST_WRONG);
    expect(wrong.size()).toBe(2);
    expect(check('right', '192.0.2.1')).toBe(true);
    expect(() => check('right', '192.0.2.2')).toThrow('Too many wrong tokens');
    expect(() => check('right', '192.0.2.3')).toThrow('Too many wrong tokens');
  });
});
