import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { contentHash, type EventContent } from './content-hash.ts';

const values = fc.dictionary(fc.string({ maxLength: 5 }), fc.option(fc.string({ maxLength: 5 })), {
  maxKeys: 5,
  noNullPrototype: false,
});
const content: fc.Arbitrary<EventContent> = fc.record({
  entityType: fc.constantFrom('Account', 'Contact'),
  action: fc.constantFrom('Create', 'Update', 'Delete'),
  recordId: fc.integer({ min: 1, max: 3 }),
  personId: fc.integer({ min: 1, max: 3 }),
  eventTime: fc.option(fc.constantFrom(new Date(0), new Date(1000))),
  fields: values,
  udfFields: values,
  changed: fc.option(
    fc.record({ fields: fc.uniqueArray(fc.string({ maxLength: 3 })), udfs: fc.uniqueArray(fc.nat(20)) }),
  ),
});

const reversed = (object: Record<string, string | null>) => Object.fromEntries(Object.entries(object).toReversed());

describe('contentHash', () => {
  it('does not depend on the order of keys and names', () => {
    fc.assert(
      fc.property(content, (one) => {
        const other: EventContent = {
          ...one,
          fields: reversed(one.fields),
          udfFields: reversed(one.udfFields),
          changed: one.changed && { fields: one.changed.fields.toReversed(), udfs: one.changed.udfs.toReversed() },
        };
        expect(contentHash(other)).toEqual(contentHash(one));
      }),
    );
  });

  it('differs when anything else does', () => {
    const plain: EventContent = {
      entityType: 'Account',
      action: 'Update',
      recordId: 1,
      personId: 2,
      eventTime: null,
      fields: { a: '1' },
      udfFields: {},
      changed: null,
    };
    const others: EventContent[] = [
      plain,
      { ...plain, entityType: 'Contact' },
      { ...plain, action: 'Create' },
      { ...plain, recordId: 2 },
      { ...plain, personId: 1 },
      { ...plain, eventTime: new Date(0) },
      { ...plain, fields: { a: null } },
      { ...plain, fields: { b: '1' } },
      { ...plain, fields: {}, udfFields: { a: '1' } },
      { ...plain, changed: { fields: [], udfs: [] } },
      { ...plain, changed: { fields: ['a'], udfs: [] } },
    ];
    expect(new Set(others.map((one) => contentHash(one).toString('hex'))).size).toBe(others.length);
  });
});
