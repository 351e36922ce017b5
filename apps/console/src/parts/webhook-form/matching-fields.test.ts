import { describe, expect, it } from '@jest/globals';
import type { FieldChoice } from './field-choices-query.ts';
import { matchingFields } from './matching-fields.ts';

const field = (name: string, description: string, change: Partial<FieldChoice> = {}): FieldChoice => ({
  key: 'field:1',
  name,
  label: name,
  description,
  type: 'string',
  isUserDefined: false,
  values: [],
  ...change,
});
const choices = [
  field('alternatePhone1', 'Another phone number.'),
  field('city', 'The city of the address.'),
  field('phone', 'The main phone number.'),
  field('tier', '', { label: 'Support tier', isUserDefined: true }),
];
const found = (search: string) => matchingFields(choices, search).map(({ name }) => name);

describe('fields that are looked for', () => {
  it('are all fields when nothing is looked for', () => expect(found(' ')).toHaveLength(4));
  it('begin with the text, then have it in the name or the description', () => {
    expect(found('phone')).toEqual(['phone', 'alternatePhone1']);
    expect(found('ADDRESS')).toEqual(['city']);
  });
  it('have every word, and are found by label and type', () => {
    expect(found('main phone')).toEqual(['phone']);
    expect(found('support')).toEqual(['tier']);
    expect(found('user-defined')).toEqual(['tier']);
    expect(found('fax')).toEqual([]);
  });
});
