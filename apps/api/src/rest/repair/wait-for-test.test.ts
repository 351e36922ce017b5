import { describe, expect, it } from '@jest/globals';
import type { TestResult } from '@callout/pipeline/repair/test-callout';
import { waitForTest } from './test-route.ts';

const due: TestResult = { state: 'due', attempt: null };
const delivered: TestResult = { state: 'delivered', attempt: null };

describe('waitForTest', () => {
  it('looks until the test has ended', async () => {
    const results = [due, due, delivered, due];
    const read = async () => results.shift() ?? due;
    expect(await waitForTest({ read, waitMs: 60_000, isOver: () => false })).toBe(delivered);
    expect(results).toHaveLength(1);
  });

  it('returns that it is due when the time is over', async () => {
    expect(await waitForTest({ read: async () => due, waitMs: 1, isOver: () => false })).toBe(due);
  });

  it('ends when it has to, such as in a process that stops', async () => {
    let looks = 0;
    const read = async () => ((looks += 1), due);
    expect(await waitForTest({ read, waitMs: 60_000, isOver: () => looks > 1 })).toBe(due);
    expect(looks).toBe(2);
  });

  it('passes on that the result cannot be read', async () => {
    const read = () => Promise.reject(new Error('away'));
    await expect(waitForTest({ read, waitMs: 60_000, isOver: () => false })).rejects.toThrow('away');
  });
});
