import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { parseQuery } from './parse-query.ts';
import { printQuery } from './print-query.ts';

import { arbitraryCompanyQuery, companies } from '../../fixtures/companies.ts';

const print = (body: unknown) => printQuery(parseQuery(body, companies));

describe('printQuery', () => {
  it('prints text that parses to the same query', () => {
    fc.assert(
      fc.property(arbitraryCompanyQuery, (body) => {
        const query = parseQuery(body, companies);
        expect(parseQuery(JSON.parse(printQuery(query)), companies)).toEqual(query);
      }),
    );
  });

  it('prints queries that differ only in spelling alike', () => {
    const one = { MaxRecords: 500, Filter: [{ op: 'eq', field: 'companyName', value: 'ACME', more: 1 }] };
    const other = { filter: [{ value: 'acme', FIELD: 'COMPANYNAME', Op: 'EQ', udf: false }], MAXRECORDS: '500' };
    expect(print(one)).toBe(print(other));
    expect(print(one)).not.toBe(print({ ...one, MaxRecords: 499 }));
  });

  it('adds no OR branch', () => {
    const many = Array.from({ length: 900 }, (_, i) => ({ op: 'noteq', field: 'companyType', value: i }));
    expect(parseQuery(JSON.parse(print({ filter: many })), companies)).toEqual(parseQuery({ filter: many }, companies));
  });
});
