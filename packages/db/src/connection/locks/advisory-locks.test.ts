import { describe, expect, it } from '@jest/globals';
import { advisoryLocks } from './advisory-locks.ts';

describe('advisory locks', () => {
  it('have a number each: what shares one would keep the other from being done', () => {
    const numbers = Object.values(advisoryLocks);
    expect(new Set<number>(numbers).size).toBe(numbers.length);
  });
});
