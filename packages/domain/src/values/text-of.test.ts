import { describe, expect, it } from '@jest/globals';
import { textOf } from './text-of.ts';

describe('what is given for a text', () => {
  it.each([
    [12, '12'],
    [-0, '0'],
    [1.5, '1.5'],
    [1e-7, '0.0000001'],
    [Number.MAX_SAFE_INTEGER, '9007199254740991'],
    [true, 'true'],
    [false, 'false'],
    ['12', '12'],
  ])('is %j as %j', (given, expected) => {
    expect(textOf(given)).toBe(expected);
  });

  it.each([2 ** 53, -1e21, Number.NaN, Number.POSITIVE_INFINITY, null, undefined])('stays %p', (given) => {
    expect(textOf(given)).toBe(given);
  });

  it('stays an object or an array', () => {
    for (const given of [{}, ['x']]) expect(textOf(given)).toBe(given);
  });
});
