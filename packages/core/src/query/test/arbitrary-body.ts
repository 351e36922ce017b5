import * as fc from 'fast-check';
import type { DataType } from '../../catalogue/catalogue.ts';

/** A field that conditions are made about, and the values that they name. */
export interface ArbitraryField {
  readonly dataType: DataType;
  readonly values: fc.Arbitrary<unknown>;
  readonly isUdf?: true;
}

/** Valid queries about some fields, for tests. */
export function arbitraryBodyOf(fields: Readonly<Record<string, ArbitraryField>>): fc.Arbitrary<object> {
  const condition = fc.oneof(...Object.entries(fields).map(([name, field]) => conditionOf(name, field)));
  const { items } = fc.letrec<{ items: unknown[]; item: unknown }>((tie) => ({
    item: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      condition,
      fc.record({
        op: fc.constantFrom('and', 'or'),
        items: fc.array(tie('item'), { minLength: 1, maxLength: 3 }),
      }),
    ),
    items: fc.array(tie('item'), { maxLength: 3 }),
  }));
  const names = fc.subarray(Object.keys(fields).map((name) => name.toUpperCase()));
  const keys = { MaxRecords: fc.integer({ min: 1, max: 12 }), IncludeFields: names, Filter: items };
  return fc.record(keys, { requiredKeys: ['MaxRecords'] });
}

function conditionOf(field: string, { dataType, values, isUdf }: ArbitraryField): fc.Arbitrary<object> {
  const nullable = fc.option(values);
  const conditions: fc.Arbitrary<object>[] = [
    fc.record({ op: fc.constantFrom('eq', 'noteq'), value: nullable }),
    fc.record({ op: fc.constantFrom('in', 'notIn'), value: fc.array(nullable, { minLength: 1, maxLength: 4 }) }),
    fc.record({ op: fc.constantFrom('exist', 'notExist') }),
  ];
  if (dataType !== 'boolean') {
    conditions.push(fc.record({ op: fc.constantFrom('gt', 'gte', 'lt', 'lte'), value: values }));
  }
  if (dataType === 'string') {
    conditions.push(fc.record({ op: fc.constantFrom('beginsWith', 'endsWith', 'contains'), value: values }));
  }
  return fc.oneof(...conditions).map((one) => ({ field, ...(isUdf && { udf: true }), ...one }));
}
