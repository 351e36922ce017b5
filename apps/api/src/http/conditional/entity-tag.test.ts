import { describe, expect, it } from '@jest/globals';
import { readTags, tagOfBytes, tagOfValues } from './entity-tag.ts';

const strong = (opaque: string) => ({ isWeak: false, opaque });

describe('a list of entity tags', () => {
  it.each([
    ['"a"', [strong('"a"')]],
    ['W/"a"', [{ isWeak: true, opaque: '"a"' }]],
    ['"a", W/"b" ,"c,d"', [strong('"a"'), { isWeak: true, opaque: '"b"' }, strong('"c,d"')]],
    [', "a",, ,"b",', [strong('"a"'), strong('"b"')]],
    ['""', [strong('""')]],
    ['"\u00ff"', [strong('"\u00ff"')]],
    [' * ', '*'],
  ])('is read from %j', (header, tags) => {
    expect(readTags(header)).toEqual(tags);
  });

  it.each(['', ',', ' ', 'a', '"a', 'a"', '"a" "b"', 'w/"a"', 'W/ "a"', '*, "a"', '"a", *', '**', '"a\tb"', '"a""b"'])(
    'is none in %j',
    (header) => {
      expect(readTags(header)).toBeUndefined();
    },
  );

  it('is read in steps that grow with its length alone', () => {
    expect(readTags(Array.from({ length: 4_000 }, (_, nth) => `"${nth}"`).join(', '))).toHaveLength(4_000);
    expect(readTags(`"a"${' '.repeat(2_000_000)}b`)).toBeUndefined();
    expect(readTags(`${' \t'.repeat(1_000_000)}b`)).toBeUndefined();
  });
});

describe('an entity tag', () => {
  it('is the same for the same bytes, however they are cut, and another one for others', () => {
    expect(tagOfBytes([Buffer.from('{"a"'), Buffer.from(':1}')])).toBe(tagOfBytes(['{"a":1}']));
    expect(tagOfBytes(['{"a":2}'])).not.toBe(tagOfBytes(['{"a":1}']));
    expect(tagOfValues(1, 'a')).toMatch(/^"[\w-]{22}"$/u);
    expect(tagOfValues(1, 'a')).not.toBe(tagOfValues(2, 'a'));
  });
});
