import { describe, expect, it } from '@jest/globals';
import { parseQuery } from '@callout/domain/query/parse/parse-query';
import { companies } from '@callout/domain/fixtures/companies';
import { termOf } from '@callout/domain/query/searched-record';
import { indexTerms } from './index-terms.ts';

const is = (field: string, value: unknown) => ({ op: 'eq', field, value });
const oneOf = (field: string, ...value: unknown[]) => ({ op: 'in', field, value });
const group = (op: 'and' | 'or', ...items: unknown[]) => ({ op, items });
const name = is('companyName', 'ACME');

const collection = { tenantId: 7, entityType: 'Account' };

/** The array literal of the terms of values, by their keys. */
function literalOf(values: Readonly<Record<string, string>>): string {
  const terms = Object.entries(values).map(([key, value]) => termOf(collection, key, value));
  return `{${terms.join(',')}}`;
}

describe('indexTerms', () => {
  it.each<[string, unknown[], Record<string, string>[] | null]>([
    ['eq', [name], [{ companyName: 'acme' }]],
    ['in', [oneOf('companyType', 1, 2)], [{ companyType: '1' }, { companyType: '2' }]],
    ['a user-defined field', [{ ...is('Tier', 3), udf: true }], [{ 'udf:3': '3' }]],
    ['and, in one alternative', [name, is('phone', '5')], [{ companyName: 'acme', phone: '5' }]],
    ['or', [group('or', name, is('phone', '5'))], [{ companyName: 'acme' }, { phone: '5' }]],
    [
      'the shorter of two lists, narrowed by what is fixed',
      [oneOf('companyType', 1, 2, 3), oneOf('phone', 'a', 'b'), name],
      [
        { phone: 'a', companyName: 'acme' },
        { phone: 'b', companyName: 'acme' },
      ],
    ],
    ['what else narrows beside', [name, { op: 'gt', field: 'companyType', value: 5 }], [{ companyName: 'acme' }]],
    ['a contradiction', [name, is('companyName', 'other')], []],
    ['a group within a group', [group('or', group('and', name, group('or', name)))], [{ companyName: 'acme' }]],
    ['nothing', [], null],
    ['an empty field', [is('phone', null)], null],
    ['a list with an empty field', [oneOf('phone', 'a', null)], null],
    ['noteq', [{ ...name, op: 'noteq' }], null],
    ['exist', [{ op: 'exist', field: 'phone' }], null],
    ['another operator', [{ op: 'contains', field: 'phone', value: '5' }], null],
    ['a boolean', [is('isActive', true)], null],
    ['a moment', [is('createDate', '2026-01-02T03:04:05Z')], null],
    ['a long text', [is('companyName', 'x'.repeat(65))], null],
    ['a long text beside another value', [is('companyName', 'x'.repeat(65)), is('phone', '5')], [{ phone: '5' }]],
    ['a list with a long text', [oneOf('companyName', 'acme', 'x'.repeat(65))], null],
    ['the id', [is('id', 5)], null],
    ['or with what the index cannot know', [group('or', name, is('id', 5))], null],
  ])('of %s', (_, filter, alternatives) => {
    const terms = indexTerms(parseQuery({ filter }, companies).filter, collection);
    expect(terms).toEqual(alternatives && alternatives.map(literalOf));
  });
});
