import { describe, expect, it } from '@jest/globals';
import { advisoryLocks } from './advisory-locks.ts';

describe('advisory locks', () => {
  it('have different numbers: two with the same number would exclude each other', () => {
    const numbers = Object.values(advisoryLocks);
    expect(new Set<number>(numbers).size).toBe(numbers.length);
  });
});
