import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { anyCharacter } from '../fixtures/any-character.ts';
import { foldText } from './fold-text.ts';

const unicode = fc.string({ unit: anyCharacter });

describe('foldText', () => {
  it.each([
    ['ACME', 'acme'],
    ['ÉCOLE', 'école'],
    ['ЖУК', 'жук'],
    ['ΟΔΟΣ', 'οδοσ'],
    ['οδος', 'οδοσ'],
    ['İ', 'i̇'],
    ['𐐀', '𐐨'],
    ['ß', 'ß'],
  ])('turns %s into %s, in every locale', (text, folded) => {
    expect(foldText(text)).toBe(folded);
  });

  it('makes text that PostgreSQL can store', () => {
    expect(foldText('A\0B\ud800C')).toBe('a\ufffdb\ufffdc');
  });

  it('works letter by letter, so that a part of a text is found in it', () => {
    fc.assert(
      fc.property(unicode, unicode, (a, b) => {
        expect(foldText(a + b)).toBe(foldText(a) + foldText(b));
      }),
    );
  });

  it('is idempotent, and ignores case', () => {
    fc.assert(
      fc.property(unicode, (text) => {
        const folded = foldText(text);
        expect(foldText(folded)).toBe(folded);
        expect(foldText(text.toLowerCase())).toBe(folded);
      }),
    );
  });
});
