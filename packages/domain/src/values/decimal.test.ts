import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { canonicalDecimal } from './decimal.ts';

const canonical = (text: string): string | undefined => {
  const result = canonicalDecimal(text);
  return result.ok ? result.value : undefined;
};

describe('canonicalDecimal', () => {
  it.each([
    ['0', '0'],
    ['-0', '0'],
    ['0.000', '0'],
    ['0e5', '0'],
    ['5', '5'],
    ['+5', '5'],
    ['-5', '-5'],
    ['007', '7'],
    ['0.10', '0.1'],
    ['.5', '0.5'],
    ['5.', '5'],
    ['100', '100'],
    ['100.00', '100'],
    ['1e3', '1000'],
    ['1E+3', '1000'],
    ['1.25e1', '12.5'],
    ['1.25e-3', '0.00125'],
    ['-120e-1', '-12'],
    ['12345678901234567890.123456789012345678900', '12345678901234567890.1234567890123456789'],
  ])('writes %s as %s', (text, plain) => {
    expect(canonical(text)).toBe(plain);
  });

  it.each([
    '',
    '-',
    '.',
    '-.',
    'e3',
    '1e',
    '1e+',
    '1.2.3',
    '1,5',
    ' 1',
    '1 ',
    '0x10',
    'NaN',
    'Infinity',
    '１',
    '1e1.5',
    '--1',
  ])('refuses "%s", which is no number', (text) => {
    expect(canonicalDecimal(text)).toEqual({ ok: false, code: 'invalidType', message: 'must be a number' });
  });

  it.each([
    '1e100',
    '1e-101',
    '1e999999999',
    '1e-999999999',
    '9'.repeat(101),
    `0.${'0'.repeat(100)}1`,
    '0'.repeat(401),
  ])('refuses %s, which has too many digits', (text) => {
    expect(canonicalDecimal(text)).toEqual({
      ok: false,
      code: 'invalid',
      message: 'must be a number of at most 100 digits',
    });
  });

  it('accepts 100 digits, the documented maximum', () => {
    expect(canonical('1e99')).toBe(`1${'0'.repeat(99)}`);
    expect(canonical('1e-100')).toBe(`0.${'0'.repeat(99)}1`);
  });

  it('never changes the value, and has one spelling for it', () => {
    fc.assert(
      fc.property(
        fc.double({ noNaN: true, min: -1e60, max: 1e60 }),
        fc.integer({ min: 0, max: 5 }),
        (number, zeros) => {
          const plain = canonical(String(number));
          if (plain === undefined) return expect(Math.abs(number)).toBeLessThan(1e-70);
          expect(Number(plain)).toBe(number === 0 ? 0 : number);
          expect(plain).toMatch(/^(0|-?(0\.\d*[1-9]|[1-9]\d*(\.\d*[1-9])?))$/u);
          expect(canonical(plain)).toBe(plain);
          expect(canonical(plain.includes('.') ? `${plain}${'0'.repeat(zeros)}` : `${plain}e0`)).toBe(plain);
          return expect(canonical(number.toExponential())).toBe(plain);
        },
      ),
    );
  });

  it('keeps every digit of numerals that no binary fraction can represent', () => {
    const digits = fc.string({ unit: fc.integer({ min: 0, max: 9 }).map(String), minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(digits, digits, (whole, fraction) => {
        const expectedWhole = whole.replace(/^0+(?=.)/u, '');
        const expectedFraction = fraction.replace(/0+$/u, '');
        const expected = expectedFraction === '' ? expectedWhole : `${expectedWhole}.${expectedFraction}`;
        expect(canonical(`${whole}.${fraction}`)).toBe(expected);
      }),
    );
  });
});
