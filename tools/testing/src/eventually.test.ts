import { describe, expect, it } from '@jest/globals';
import { eventually } from './eventually.ts';

describe('eventually', () => {
  it('looks until the fact neither throws nor is false, and returns its value', async () => {
    let looks = 0;
    const found = await eventually(() => {
      looks++;
      if (looks === 1) throw new Error('not yet');
      return looks === 2 ? false : looks;
    });
    expect(found).toBe(3);
  });

  it('accepts undefined, zero and null as values', async () => {
    const nothing: unknown[] = [undefined, 0, null, ''];
    for (const value of nothing) expect(await eventually(() => value)).toBe(value);
  });

  it('says what was wrong the last time when time is up', async () => {
    const fact = async () => expect(1).toBe(2);
    await expect(eventually(fact, { timeoutMs: 50, everyMs: 5 })).rejects.toThrow(/not within 50 ms.*Expected: 2/s);
    await expect(eventually(() => false, { timeoutMs: 0 })).rejects.toThrow('it returned false');
  });
});
