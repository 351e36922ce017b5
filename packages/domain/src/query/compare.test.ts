import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { canonicalDecimal } from '../values/decimal.ts';
import { compareDecimals, compareText, isPlainDecimal } from './compare.ts';

describe('compareText', () => {
  it('is the order of UTF-8 bytes', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '\ud7ff', '\ue000', '\uffff', '😀', '𐐀') });
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(Math.sign(compareText(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
      }),
    );
  });
});

describe('compareDecimals', () => {
  it('is the order of numbers, however many digits they have', () => {
    // Thousandths as a BigInt are exact, and so is the numeral made from them.
    const thousandths = fc.oneof(fc.bigInt({ min: -20_000n, max: 20_000n }), fc.bigInt());
    fc.assert(
      fc.property(thousandths, thousandths, (a, b) => {
        const sign = a < b ? -1 : Number(a > b);
        expect(Math.sign(compareDecimals(numeral(a), numeral(b)))).toBe(sign);
      }),
    );
  });

  it('accepts only numbers in wire form', () => {
    for (const plain of ['0', '-1', '12.5', '-0.05']) expect(isPlainDecimal(plain)).toBe(true);
    for (const other of ['', '-', '1e5', '.5', '5.', '+1', ' 1', 'NaN', 'a']) expect(isPlainDecimal(other)).toBe(false);
  });
});

function numeral(thousandths: bigint): string {
  const digits = String(thousandths < 0n ? -thousandths : thousandths).padStart(4, '0');
  const plain = `${thousandths < 0n ? '-' : ''}${digits.slice(0, -3)}.${digits.slice(-3)}`;
  const decimal = canonicalDecimal(plain);
  if (!decimal.ok) throw new Error(decimal.message);
  return decimal.value;
}
