import { describe, expect, it } from '@jest/globals';
import { Problem } from '../../problem.ts';
import { defineCollection } from '../collection.ts';
import { parseQuery } from './parse-query.ts';
import { companies } from '../../fixtures/companies.ts';

const field = (name: string, dataType: string, udfId: number | null = null) => ({ name, dataType, udfId });
const companyName = field('companyName', 'string');
const filterOf = (...filter: unknown[]) => parseQuery({ filter }, companies).filter;
const all = (...of: unknown[]) => ({ kind: 'all', of });

function problemOf(body: unknown): Problem {
  try {
    parseQuery(body, companies);
  } catch (problem) {
    if (problem instanceof Problem) return problem;
    throw problem;
  }
  throw new Error('expected it to be refused');
}
const sentencesOf = (body: unknown) => problemOf(body).details.map(({ message }) => message);
const refusalOf = (...filter: unknown[]) => sentencesOf({ filter });

describe('a query', () => {
  it('selects every row, 500 at a time, when it is empty', () => {
    const everything = { maxRecords: 500, includeFields: null, filter: all() };
    for (const body of [{}, { Filter: [] }, { MaxRecords: null, IncludeFields: null, Filter: null }, { other: 1 }]) {
      expect(parseQuery(body, companies)).toEqual(everything);
    }
    expect(parseQuery({ IncludeFields: [] }, companies)).toEqual(everything);
  });

  it('ignores case in keys, operators and names, and accepts quoted values', () => {
    const body = {
      MAXRECORDS: '20',
      includefields: ['COMPANYNAME', 'phone', 'Phone', 'service tier'],
      filter: [
        { OP: 'NOTEQ', Field: 'COMPANYTYPE', Value: '5' },
        { op: 'BEGINSWITH', field: 'companyname', value: 'ÉCOLE' },
        { op: 'eq', field: 'tier', value: 7, UDF: 'True' },
      ],
    };
    expect(parseQuery(body, companies)).toEqual({
      maxRecords: 20,
      includeFields: { fields: ['id', 'companyName', 'phone'], udfs: [{ id: 3, name: 'Tier' }] },
      filter: all(
        { kind: 'oneOf', field: field('companyType', 'integer'), values: ['5'], isNegated: true },
        { kind: 'text', field: companyName, operator: 'beginsWith', value: 'école' },
        { kind: 'oneOf', field: field('Tier', 'list', 3), values: ['7'], isNegated: false },
      ),
    });
  });

  it('accepts 1 and 0 for true and false, quoted or not', () => {
    const values = [1, '1', 0, '0'].map((value) => filterOf({ op: 'eq', field: 'isActive', value }));
    const active = (value: string) =>
      all({ kind: 'oneOf', field: field('isActive', 'boolean'), values: [value], isNegated: false });
    expect(values).toEqual([active('true'), active('true'), active('false'), active('false')]);
    for (const udf of [1, '1']) {
      expect(filterOf({ op: 'eq', field: 'Tier', value: 7, udf })).toMatchObject({ of: [{ field: { udfId: 3 } }] });
    }
    for (const udf of [0, '0']) {
      expect(filterOf({ op: 'eq', field: 'id', value: 7, udf })).toMatchObject({ of: [{ field: { udfId: null } }] });
    }
  });

  it('may include every user-defined field at once, but not of a collection that has none', () => {
    const body = { IncludeFields: ['userdefinedfields', 'Tier'] };
    expect(parseQuery(body, companies).includeFields).toEqual({ fields: ['id'], udfs: 'all' });
    const bare = defineCollection('Resources', [{ name: 'id', dataType: 'long' }]);
    expect(() => parseQuery(body, bare)).toThrow('IncludeFields[0] "userdefinedfields" is no field of Resources');
  });

  it('brings values into wire form by type', () => {
    const oneOf = (name: string, dataType: string, ...values: unknown[]) => ({
      kind: 'oneOf',
      field: field(name, dataType),
      values,
      isNegated: false,
    });
    expect(
      filterOf(
        { op: 'eq', field: 'assetValue', value: 1.5e3 },
        { op: 'eq', field: 'isActive', value: 'TRUE' },
        { op: 'in', field: 'createDate', value: ['2025-09-15T17:10:00+02:00', '2025-09-15T15:10:00.9Z', null] },
        { op: 'exist', field: 'phone' },
        { op: 'notExist', field: 'phone', value: 'whatever' },
      ),
    ).toEqual(
      all(
        oneOf('assetValue', 'double', '1500'),
        oneOf('isActive', 'boolean', 'true'),
        oneOf('createDate', 'datetime', '2025-09-15t15:10:00z', null),
        { ...oneOf('phone', 'string', null), isNegated: true },
        oneOf('phone', 'string', null),
      ),
    );
  });

  it('nests groups', () => {
    const leaf = { op: 'gt', field: 'companyType', value: 1 };
    const order = { kind: 'order', field: field('companyType', 'integer'), operator: 'gt', value: '1' };
    expect(filterOf({ op: 'or', items: [leaf, { op: 'AND', items: [leaf, leaf] }] })).toEqual(
      all({ kind: 'any', of: [order, all(order, order)] }),
    );
  });
});

describe('a query is refused, with a sentence that names the place,', () => {
  it.each<[string, unknown, string]>([
    ['a body that is no object', [], 'The body must be a JSON object'],
    ['no rows', { MaxRecords: 0 }, 'MaxRecords must be an integer from 1 to 500'],
    ['too many rows', { MaxRecords: '501' }, 'MaxRecords must be an integer from 1 to 500'],
    ['half a row', { MaxRecords: 1.5 }, 'MaxRecords must be an integer from 1 to 500'],
    ['fields in one text', { IncludeFields: 'id,phone' }, 'IncludeFields must be an array of names'],
    ['an unknown field', { IncludeFields: ['id', 'x'] }, 'IncludeFields[1] "x" is no field of Companies'],
    [
      'a name that is nearly right',
      { IncludeFields: ['companyNam'] },
      'IncludeFields[0] "companyNam" is no field of Companies: did you mean companyName?',
    ],
    ['a field that is no name', { IncludeFields: [['id']] }, 'IncludeFields[0] an array is no field of Companies'],
    ['a filter that is no array', { Filter: { op: 'eq' } }, 'Filter must be an array of conditions'],
    ['two keys alike', { filter: [{ op: 'exist', OP: 'exist', field: 'id' }] }, 'Filter[0].op is given twice'],
  ])('%s', (_, body, sentence) => {
    expect(problemOf(body).kind).toBe('invalid');
    expect(sentencesOf(body).join()).toContain(sentence);
  });

  it.each<[string, unknown, string]>([
    ['no condition', 5, 'Filter[0] must be an object with op, field and value'],
    ['no operator', { field: 'id' }, 'Filter[0].op for "id" is required: use one of eq, noteq, gt'],
    ['an unknown operator', { op: 'like' }, 'Filter[0].op is "like", which is no operator: use one of eq, noteq, gt'],
    ['one for a field', { op: 'like', field: 'phone' }, 'Filter[0].op for "phone" is "like", which is no operator'],
    ['an operator of the prototype', { op: 'constructor' }, 'Filter[0].op is "constructor", which is no operator'],
    ['no field', { op: 'eq', value: 1 }, 'Filter[0].field must name a field'],
    [
      'an unknown field',
      { op: 'eq', field: '__proto__', value: 1 },
      'Filter[0].field "__proto__" is no field of Compa',
    ],
    ['a udf without saying so', { op: 'exist', field: 'tier' }, 'it is a user-defined field and needs "udf": true'],
    ['a field as a udf', { op: 'exist', field: 'id', udf: true }, 'Filter[0].field "id" is no user-defined field of'],
    ['a malformed udf', { op: 'exist', field: 'id', udf: 2 }, 'Filter[0].udf for "id" must be true or false'],
    ['the secret', { op: 'exist', field: 'secretkey' }, 'Filter[0].field "secretKey" cannot be queried'],
    ['no value', { op: 'eq', field: 'id' }, 'Filter[0].value for "id" is required'],
    ['a text for a number', { op: 'eq', field: 'id', value: 'x' }, 'Filter[0].value for "id" must be an integer'],
    [
      'a boolean that is none',
      { op: 'eq', field: 'ISACTIVE', value: 2 },
      'Filter[0].value for "isActive" must be true',
    ],
    [
      'one of a udf',
      { op: 'eq', field: 'service tier', udf: true, value: 'x' },
      'Filter[0].value for "Tier" must be an',
    ],
    [
      'a list for one value',
      { op: 'eq', field: 'phone', value: ['5'] },
      'Filter[0].value for "phone" must be a string',
    ],
    [
      'half a date',
      { op: 'lt', field: 'createDate', value: '2025-13' },
      'Filter[0].value for "createDate" must be a date and',
    ],
    ['an order of nothing', { op: 'lt', field: 'id', value: null }, 'Filter[0].value for "id" must not be null: use'],
    ['an order of booleans', { op: 'gt', field: 'isActive', value: true }, '"isActive", which is of type boolean'],
    ['a part of a number', { op: 'contains', field: 'id', value: '1' }, 'contains cannot judge "id", which is of type'],
    ['a list of none', { op: 'in', field: 'id', value: [] }, 'Filter[0].value for "id" must hold at least one value'],
    [
      'a list that is none',
      { op: 'notIn', field: 'id', value: 5 },
      'Filter[0].value for "id" must be an array of values',
    ],
    [
      'a bad one of a list',
      { op: 'in', field: 'id', value: [1, 'x'] },
      'Filter[0].value[1] for "id" must be an integer',
    ],
    ['an empty group', { op: 'or', items: [] }, 'Filter[0].items must hold at least one condition'],
    ['a group of nothing', { op: 'and' }, 'Filter[0].items must be an array of conditions'],
    [
      'U+0000',
      { op: 'eq', field: 'phone', value: 'a\0' },
      'Filter[0].value for "phone" must not contain the character',
    ],
  ])('%s', (_, condition, sentence) => {
    expect(refusalOf(condition).join()).toContain(sentence);
  });

  it('with all problems at once', () => {
    const bad = { op: 'or', items: [{ op: 'eq', field: 'x', value: 1 }, { op: 'y' }] };
    expect(problemOf({ MaxRecords: 501, Filter: [bad] }).details.map((detail) => detail.field)).toEqual([
      'MaxRecords',
      'Filter[0].items[0].field',
      'Filter[0].items[1].op',
    ]);
  });
});

describe('a filter has limits', () => {
  const exist = { op: 'exist', field: 'id' };
  const either = (branches: number) => ({ op: 'or', items: Array.from({ length: branches }, () => exist) });
  const list = (op: string, values: number) => ({
    op,
    field: 'id',
    value: Array.from({ length: values }, (_, i) => i),
  });
  const nested = (levels: number): unknown => (levels === 1 ? exist : { op: 'and', items: [nested(levels - 1)] });

  it.each<[string, unknown[]]>([
    ['of or', [either(500)]],
    ['of in', [list('in', 500)]],
    ['of both', [either(200), { op: 'or', items: [list('in', 197), list('notIn', 101)] }]],
  ])('500 OR branches %s', (_, filter) => {
    expect(filterOf(...filter)).toBeDefined();
    expect(refusalOf(...filter, either(1))).toEqual([
      'Filter has 501 OR branches (items of or, values of in and notIn): at most 500 are allowed',
    ]);
  });

  it('of 10 levels', () => {
    expect(filterOf(nested(10))).toBeDefined();
    expect(refusalOf(nested(11))).toEqual([
      `Filter[0]${'.items[0]'.repeat(9)}.items is level 11 of the filter: at most 10 are allowed`,
    ]);
  });

  it('of 1000 conditions', () => {
    const many = Array.from({ length: 1000 }, () => exist);
    expect(filterOf(...many)).toBeDefined();
    expect(refusalOf(...many, exist)).toEqual(['Filter has more than 1000 conditions']);
  });

  it('but not for the number of conditions on one user-defined field', () => {
    const tier = { op: 'exist', field: 'Tier', udf: true };
    const sameByLabel = { op: 'gt', field: 'service tier', udf: true, value: 3 };
    expect(filterOf(tier, sameByLabel)).toBeDefined();
    expect(refusalOf(tier, { op: 'or', items: [{ op: 'exist', field: 'region', udf: true }] })).toEqual([
      'Filter names the user-defined fields "Tier", "Region": a query may name one',
    ]);
  });
});

describe('hostile input', () => {
  it('that is 100,000 levels deep is refused like any other', () => {
    const deep: unknown = JSON.parse(`${'{"op":"and","items":['.repeat(100_000)}${']}'.repeat(100_000)}`);
    expect(refusalOf(deep)).toHaveLength(1);
  });

  it('gets a short response', () => {
    const long = 'x'.repeat(1_000_000);
    for (const one of [{ op: long }, { op: 'eq', field: long, value: 1 }, { op: 'in', field: long, value: [long] }]) {
      expect(refusalOf(one).join('').length).toBeLessThan(400);
    }
    const values = Array.from({ length: 100_000 }, () => 'x');
    expect(refusalOf({ op: 'in', field: 'id', value: values }).length).toBeLessThanOrEqual(501);
  });

  it('does not reach the prototype', () => {
    const query = parseQuery(
      JSON.parse('{"__proto__":{"MaxRecords":1},"Filter":[{"op":"exist","field":"id"}]}'),
      companies,
    );
    expect(query.maxRecords).toBe(500);
  });

  it('is treated like any other value', () => {
    const value = "'; DROP TABLE records; -- \\ % _ $1";
    expect(filterOf({ op: 'eq', field: 'phone', value })).toEqual(
      all({ kind: 'oneOf', field: field('phone', 'string'), values: [value.toLowerCase()], isNegated: false }),
    );
  });
});
