import { beforeEach, describe, expect, it } from '@jest/globals';
import { createWrongTokens } from './wrong-tokens.ts';

const limits = { perWindow: 3, windowMs: 60_000, addresses: 2 };
let nowMs: number;
let wrongTokens: ReturnType<typeof createWrongTokens>;

beforeEach(() => {
  nowMs = 1_000;
  wrongTokens = createWrongTokens({ now: () => nowMs, limits: limits });
});

const guess = (address: string, times: number) => Array.from({ length: times }, () => wrongTokens.count(address));

describe('wrong operator tokens', () => {
  it('refuse their address once there are too many, until the minute is over, and no other address', () => {
    expect(guess('192.0.2.1', 2)).toEqual([false, false]);
    expect(() => wrongTokens.refuse('192.0.2.1')).not.toThrow();
    expect(guess('192.0.2.1', 2)).toEqual([true, false]);
    nowMs += 30_000;
    expect(() => wrongTokens.refuse('192.0.2.1')).toThrow(
      expect.objectContaining({ kind: 'tooMany', retryAfterS: 30, message: expect.stringContaining('in 30 s') }),
    );
    expect(() => wrongTokens.refuse('192.0.2.2')).not.toThrow();
    nowMs += 30_001;
    expect(() => wrongTokens.refuse('192.0.2.1')).not.toThrow();
    expect(guess('192.0.2.1', 1)).toEqual([false]);
  });

  it('store a bounded number of addresses, and forget the one that was silent for longest', () => {
    guess('192.0.2.1', 3);
    guess('192.0.2.2', 3);
    guess('192.0.2.3', 3);
    expect(wrongTokens.size()).toBe(2);
    expect(() => wrongTokens.refuse('192.0.2.1')).not.toThrow();
    expect(() => wrongTokens.refuse('192.0.2.2')).toThrow('Too many wrong tokens');
    expect(() => wrongTokens.refuse('192.0.2.3')).toThrow('Too many wrong tokens');
  });
});
