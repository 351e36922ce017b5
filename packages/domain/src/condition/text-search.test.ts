import { describe, expect, it, jest } from '@jest/globals';
import * as fc from 'fast-check';
import { createTextTree, textsIn, type TextTree } from './text-search.ts';

describe('a search for several texts', () => {
  it('finds the same texts as String.includes', () => {
    // Of two letters, so that texts begin and end with parts of each other.
    const text = (minLength: number, maxLength: number) =>
      fc.string({ unit: fc.constantFrom('a', 'b'), minLength, maxLength });
    fc.assert(
      fc.property(fc.uniqueArray(text(1, 8), { maxLength: 12 }), text(0, 40), (wanted, given) => {
        const found = textsIn(createTextTree(wanted), given);
        expect([...found].toSorted()).toEqual(wanted.filter((one) => given.includes(one)).toSorted());
      }),
    );
  });

  it('finds fifty texts that share nothing or all but their end, among all characters', () => {
    const any = fc.string({ unit: 'binary', minLength: 1, maxLength: 250 });
    fc.assert(
      fc.property(fc.array(any, { minLength: 1, maxLength: 50 }), any, (ends, begin) => {
        const wanted = [...new Set(ends.flatMap((end) => [end, begin + end]))];
        const tree = createTextTree(wanted);
        for (const one of wanted) {
          const given = `${begin}\0${one}`;
          expect([...textsIn(tree, given)].toSorted()).toEqual(
            wanted.filter((text) => given.includes(text)).toSorted(),
          );
        }
      }),
      { numRuns: 20 },
    );
    expect(textsIn(createTextTree(['x'.repeat(65_534)]), `y${'x'.repeat(65_534)}`).size).toBe(1);
    expect(() => createTextTree(['x'.repeat(65_534), 'y'])).toThrow('at most 65534');
  });

  it('reads each character of a long text once, however many there are and whatever they consist of', () => {
    const wanted = Array.from({ length: 50 }, (_, at) => `${'a'.repeat(at * 5)}b`);
    const tree = createTextTree(wanted);
    const charCodeAt = jest.fn(() => 'a'.charCodeAt(0));
    expect(textsIn(tree, { length: 32_000, charCodeAt } as unknown as string).size).toBe(0);
    expect(charCodeAt).toHaveBeenCalledTimes(32_000);
  });

  it.each([
    ['that differ in their first character', Array.from({ length: 50 }, (_, at) => String.fromCharCode(at * 1_311))],
    ['that differ in their last character', Array.from({ length: 50 }, (_, at) => `${'a'.repeat(249)}${at}`)],
    ['that a hash of their nodes would give the same place', collidingTexts(50, 250)],
  ])('looks at few nodes for each character of the longer text: for texts %s', (_, wanted) => {
    const tree = createTextTree(wanted);
    const text = [...wanted, ...wanted.map((one) => one.slice(1)), 'b'.repeat(1_000)].join('');
    const { counted, reads } = countingReads(tree);
    expect(textsIn(counted, text).size).toBe(wanted.length);
    textsIn(counted, `${text.slice(0, 250)}${'\0'.repeat(1_000)}`);
    // Each character moves on by at most one node, so fallbacks are no more than characters; each is found by halving.
    const halvings = Math.ceil(Math.log2(wanted.length + 1));
    expect(reads()).toBeLessThanOrEqual(2 * (text.length + 1_250) * halvings);
  });
});

/** The same tree, whose reads of units are counted: each is a node that was looked at. */
function countingReads(tree: TextTree): { counted: TextTree; reads: () => number } {
  let count = 0;
  const units = new Proxy(tree.units, {
    get(target, name) {
      count += 1;
      return Reflect.get(target, name) as unknown;
    },
  });
  return { counted: { ...tree, units }, reads: () => count };
}

/**
 * Texts whose nodes would all have one of the first forty places of a table that spreads (node, unit) by the golden
 * ratio, so that each look-up would try them one after another.
 */
function collidingTexts(texts: number, length: number): string[] {
  const shift = 32 - Math.ceil(Math.log2(2 * texts * length + 1));
  const placeOf = (node: number, unit: number) => Math.imul(node * 65_536 + unit, 0x9e37_79b1) >>> shift;
  return Array.from({ length: texts }, (_, nth) => {
    const units = Array.from({ length }, (__, at) => {
      const node = at === 0 ? 0 : 1 + (at - 1) * texts + nth;
      let unit = 0xe000 + 100 * nth;
      while (unit < 0xffff && placeOf(node, unit) >= 40) unit += 1;
      return unit;
    });
    return String.fromCharCode(...units);
  });
}
