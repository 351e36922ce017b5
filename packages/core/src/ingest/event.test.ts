import { describe, expect, it } from '@jest/globals';
import { changedFields } from './event.ts';

describe('changedFields', () => {
  it('names what differs, in the order given', () => {
    expect(changedFields({ a: '1', b: '2', c: '3' }, { c: '4', b: '2', a: null })).toEqual(['c', 'a']);
  });

  it('counts every given field of a record never seen, also an empty one', () => {
    expect(changedFields(undefined, { a: '1', b: null })).toEqual(['a', 'b']);
  });

  it('takes a value first told for a change, also when it is told to be empty', () => {
    expect(changedFields({}, { a: null })).toEqual(['a']);
  });

  it('says nothing about fields that are not given', () => {
    expect(changedFields({ a: '1' }, {})).toEqual([]);
  });

  it('is not misled by names that every object inherits', () => {
    const next = JSON.parse('{"__proto__":"x","constructor":"y"}') as Record<string, string>;
    expect(changedFields({}, next)).toEqual(['__proto__', 'constructor']);
    expect(changedFields(next, next)).toEqual([]);
  });
});
