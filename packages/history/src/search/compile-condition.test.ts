import { describe, expect, it } from '@jest/globals';
import { parseQuery } from '@callout/domain/query/parse/parse-query';
import { arbitraryCompanyQuery, companies } from '@callout/domain/fixtures/companies';
import * as fc from 'fast-check';
import { compileCondition } from './compile-condition.ts';
import { recordColumns } from './records/record-columns.ts';
import { SqlValues } from '../sql-values.ts';

const columns = recordColumns('r');

function compile(body: unknown) {
  const values = new SqlValues();
  const { sql, isExact } = compileCondition(parseQuery(body, companies).filter, columns, values);
  return { sql, isExact, values: values.all };
}

describe('compileCondition', () => {
  it('writes only constants and places of values into the text', () => {
    const own =
      /^(?:[ (),=<>~:[\]]|r\.(?:id|fields|udf_fields|folded)|->>|\$\d+|::(?:text|bigint|numeric)(?:\[\])?|'\^[^']*'|"C"|\b0\b|[A-Z]+|starts_with|strpos|right|char_length|coalesce|lower)*$/u;
    fc.assert(
      fc.property(arbitraryCompanyQuery, (body) => {
        const { sql, values } = compile(body);
        expect(sql).toMatch(own);
        const places = [...sql.matchAll(/\$(\d+)/gu)].map(([, place]) => Number(place));
        expect(new Set(places)).toEqual(new Set(values.map((_, index) => index + 1)));
      }),
    );
  });

  it('orders text by code points in a database of any locale', () => {
    const filter = [{ op: 'gt', field: 'companyName', value: 'É' }];
    expect(compile({ filter })).toEqual({
      sql: '(coalesce(r.folded ->> $1::text, lower((r.fields ->> $2::text) COLLATE "C")) COLLATE "C" > $3::text)',
      isExact: true,
      values: ['companyName', 'companyName', 'é'],
    });
  });

  it('leaves out what cannot be judged, and says so', () => {
    const judge = (filter: unknown[]) => {
      const known = compileCondition(
        parseQuery({ filter }, companies).filter,
        ({ name }) => (name === 'id' ? { sql: 'id', type: 'bigint' } : undefined),
        new SqlValues(),
      );
      return [known.sql, known.isExact];
    };
    const [id, text] = [
      { op: 'gt', field: 'id', value: 5 },
      { op: 'exist', field: 'phone' },
    ];
    expect(judge([id])).toEqual(['(id > $1::bigint)', true]);
    expect(judge([id, text])).toEqual(['(id > $1::bigint)', false]);
    expect(judge([{ op: 'or', items: [id, text] }])).toEqual(['TRUE', false]);
    expect(judge([{ op: 'or', items: [id, { op: 'and', items: [id, text] }] }])).toEqual([
      '((id > $1::bigint OR (id > $2::bigint)))',
      false,
    ]);
    expect(judge([])).toEqual(['TRUE', true]);
  });
});
