import { describe, expect, it } from '@jest/globals';
import { parseQueryKeys } from './query-keys.ts';

describe('parseQueryKeys', () => {
  it('folds keys and keeps values', () => {
    expect({ ...parseQueryKeys('Search=%7B%22A%22%3A1%7D&PAGING=x+y&empty') }).toEqual({
      search: '{"A":1}',
      paging: 'x y',
      empty: '',
    });
  });

  it('accepts any key', () => {
    expect(Object.entries(parseQueryKeys('__proto__=1&constructor=2'))).toEqual([
      ['__proto__', '1'],
      ['constructor', '2'],
    ]);
  });

  it.each(['', null])('reads no keys from %j', (query) => {
    expect(Object.keys(parseQueryKeys(query))).toEqual([]);
  });

  it.each(['search=1&SEARCH=2', 'a=1&a=1'])('refuses %s', (query) => {
    expect(() => parseQueryKeys(query)).toThrow(expect.objectContaining({ kind: 'invalid' }));
  });
});
