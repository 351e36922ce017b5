import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { containsText } from './contains.ts';

describe('containsText', () => {
  it('agrees with includes', () => {
    // Of two letters, so that parts of an operand are often found where the whole is not.
    const text = (maxLength: number) => fc.string({ unit: fc.constantFrom('a', 'b'), maxLength });
    fc.assert(
      fc.property(text(600), text(40), fc.nat(600), (value, other, from) => {
        for (const operand of [other, value.slice(from), value.slice(from, from + 20), value.slice(0, from) + other]) {
          expect(containsText(value, operand)).toBe(value.includes(operand));
        }
      }),
    );
  });

  it('needs linear time for texts of one letter, and operands of that letter with another in it', () => {
    const [value, half] = ['a'.repeat(2_000_000), 'a'.repeat(500_000)];
    expect(containsText(value, `${half}b${half}`)).toBe(false);
    expect(containsText(`${value}b${half}`, `${half}b${half}`)).toBe(true);
  });
});
