import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { previousValues, storedPrevious } from './previous-values.ts';

const name = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'toString'));
const values = fc.dictionary(name, fc.oneof(fc.string(), fc.constant(null)), { noNullPrototype: false });

describe('previous values', () => {
  it('are read as they were: text, known to be empty, or not known', () => {
    const before = { fields: { status: '1', city: null }, udfFields: { 7: '0' } };
    const changes = { changedFields: ['status', 'phone', 'city'], changedUdfs: [7, 8] };
    expect(storedPrevious(changes, before)).toEqual(['1', 0, null, '0', 0]);
    expect(previousValues(changes, storedPrevious(changes, before))).toEqual(before);
  });

  it('cost nothing where none is known', () => {
    const before = { fields: {}, udfFields: {} };
    expect(storedPrevious({ changedFields: ['status'], changedUdfs: [7] }, before)).toBeNull();
    expect(storedPrevious({ changedFields: [], changedUdfs: [] }, before)).toBeNull();
  });

  it('survive storage as JSON, whatever they are called', () => {
    fc.assert(
      fc.property(values, fc.uniqueArray(name), (known, changedFields) => {
        const changes = { changedFields, changedUdfs: [] };
        const stored = storedPrevious(changes, { fields: known, udfFields: {} });
        const { fields } = previousValues(changes, JSON.parse(JSON.stringify(stored)) as typeof stored);
        const expected = changedFields.filter((one) => Object.hasOwn(known, one));
        expect(new Map(Object.entries(fields))).toEqual(new Map(expected.map((one) => [one, known[one]])));
      }),
    );
  });
});
