import { describe, expect, it } from '@jest/globals';
import type { FieldValues } from '../values/values.ts';
import { evaluate } from './evaluate.ts';
import { parseQuery } from './parse/parse-query.ts';
import { companies } from '../fixtures/companies.ts';

/** Whether a row with these values passes a filter of one condition. */
function passes(values: FieldValues, op: string, value?: unknown, field = 'companyName'): boolean {
  const { filter } = parseQuery({ filter: [{ op, field, value }] }, companies);
  return evaluate(filter, ({ name }) => values[name]);
}

describe('text', () => {
  it.each<[string, unknown, boolean]>([
    ['eq', 'ÉCOLE ΟΔΟΣ', true],
    ['eq', 'ecole οδος', false],
    ['noteq', 'École Οδος', false],
    ['in', ['x', 'école οδοσ'], true],
    ['notIn', ['x'], true],
    ['beginsWith', 'éCOLE ο', true],
    ['endsWith', 'ΟΔΟΣ', true],
    ['contains', 'E ΟΔ', true],
    ['contains', '', true],
    ['gt', 'Zebra', true],
    ['lt', 'Zebra', false],
    ['gte', 'École Οδος', true],
    ['lte', 'École Οδος', true],
  ])('%s %s ignores case: %s', (op, value, expected) => {
    expect(passes({ companyName: 'École Οδος' }, op, value)).toBe(expected);
  });
});

describe('an empty field', () => {
  const rules: [string, unknown, boolean][] = [
    ['eq', 'x', false],
    ['eq', null, true],
    ['eq', '', false],
    ['noteq', 'x', true],
    ['noteq', null, false],
    ['in', ['x'], false],
    ['in', ['x', null], true],
    ['notIn', ['x'], true],
    ['notIn', ['x', null], false],
    ['exist', undefined, false],
    ['notExist', undefined, true],
    ['gt', '', false],
    ['lte', 'x', false],
    ['beginsWith', '', false],
    ['endsWith', '', false],
    ['contains', '', false],
  ];

  it.each(rules)('%s %s: %s, for null and a value never given', (op, value, expected) => {
    expect(passes({ companyName: null }, op, value)).toBe(expected);
    expect(passes({}, op, value)).toBe(expected);
  });

  it('is not a field with an empty text', () => {
    expect(passes({ companyName: '' }, 'exist')).toBe(true);
    expect(passes({ companyName: '' }, 'eq', '')).toBe(true);
    expect(passes({ companyName: '' }, 'eq', null)).toBe(false);
  });
});

describe('order', () => {
  it.each<[string, string, unknown, boolean]>([
    ['companyType', '10', 9, true],
    ['companyType', '-10', 9, false],
    ['assetValue', '0.10001', '0.1', true],
    ['assetValue', '12345678901234567890.5', '12345678901234567890.4', true],
    ['createDate', '2025-09-15T15:10:00Z', '2025-09-15T17:09:59+02:00', true],
    ['createDate', '0999-01-01T00:00:00Z', '2025-01-01', false],
    ['companyName', '10', '9', false],
  ])('of %s: %s is greater than %s: %s', (field, value, operand, expected) => {
    expect(passes({ [field]: value }, 'gt', operand, field)).toBe(expected);
    expect(passes({ [field]: value }, 'lte', operand, field)).toBe(!expected);
  });

  it('leaves out text in a numeric field', () => {
    for (const op of ['gt', 'lte']) expect(passes({ companyType: 'many' }, op, 5, 'companyType')).toBe(false);
  });
});

describe('groups', () => {
  const values = { companyName: 'Acme', companyType: '1' };
  const is = (field: string, value: unknown) => ({ op: 'eq', field, value });
  it.each<[string, unknown[], boolean]>([
    ['siblings are ANDed', [is('companyName', 'acme'), is('companyType', 2)], false],
    ['or', [{ op: 'or', items: [is('companyName', 'acme'), is('companyType', 2)] }], true],
    ['and', [{ op: 'and', items: [is('companyName', 'acme'), is('companyType', 2)] }], false],
    ['nothing', [], true],
  ])('%s', (_, filter, expected) => {
    expect(evaluate(parseQuery({ filter }, companies).filter, ({ name }) => (values as FieldValues)[name])).toBe(
      expected,
    );
  });
});
