import { describe, expect, it } from '@jest/globals';
import { changedFields } from './event.ts';

describe('changedFields', () => {
  it('returns the names that differ, in the order given', () => {
    expect(changedFields({ a: '1', b: '2', c: '3' }, { c: '4', b: '2', a: null })).toEqual(['c', 'a']);
  });

  it('counts every given field of a new record, also an empty one', () => {
    expect(changedFields(undefined, { a: '1', b: null })).toEqual(['a', 'b']);
  });

  it('counts a value given for the first time, also an empty one', () => {
    expect(changedFields({}, { a: null })).toEqual(['a']);
  });

  it('ignores fields that are not given', () => {
    expect(changedFields({ a: '1' }, {})).toEqual([]);
  });

  it('ignores names that every object inherits', () => {
    const next = JSON.parse('{"__proto__":"x","constructor":"y"}') as Record<string, string>;
    expect(changedFields({}, next)).toEqual(['__proto__', 'constructor']);
    expect(changedFields(next, next)).toEqual([]);
  });
});
