import { describe, expect, it, jest } from '@jest/globals';
import * as fc from 'fast-check';
import { createTextSearch } from './text-search.ts';

describe('a search for several texts', () => {
  it('finds the same texts as String.includes', () => {
    // Of two letters, so that texts begin and end with parts of each other.
    const text = (minLength: number, maxLength: number) =>
      fc.string({ unit: fc.constantFrom('a', 'b'), minLength, maxLength });
    fc.assert(
      fc.property(fc.uniqueArray(text(1, 8), { maxLength: 12 }), text(0, 40), (wanted, given) => {
        const found = createTextSearch(wanted)(given);
        expect([...found].toSorted()).toEqual(wanted.filter((one) => given.includes(one)).toSorted());
      }),
    );
  });

  it('finds fifty texts that share nothing or all but their end, among all characters', () => {
    const any = fc.string({ unit: 'binary', minLength: 1, maxLength: 250 });
    fc.assert(
      fc.property(fc.array(any, { minLength: 1, maxLength: 50 }), any, (ends, begin) => {
        const wanted = [...new Set(ends.flatMap((end) => [end, begin + end]))];
        const search = createTextSearch(wanted);
        for (const one of wanted) {
          const given = `${begin}\0${one}`;
          expect([...search(given)].toSorted()).toEqual(wanted.filter((text) => given.includes(text)).toSorted());
        }
      }),
      { numRuns: 20 },
    );
    expect([...createTextSearch(['x'.repeat(65_535)])(`y${'x'.repeat(65_535)}`)]).toHaveLength(1);
    expect(() => createTextSearch(['x'.repeat(65_535), 'y'])).toThrow('at most 65535');
  });

  it('reads each character of a long text once, however many there are and whatever they consist of', () => {
    const wanted = Array.from({ length: 50 }, (_, at) => `${'a'.repeat(at * 5)}b`);
    const search = createTextSearch(wanted);
    const charCodeAt = jest.fn(() => 'a'.charCodeAt(0));
    expect(search({ length: 32_000, charCodeAt } as unknown as string).size).toBe(0);
    expect(charCodeAt).toHaveBeenCalledTimes(32_000);
  });
});
