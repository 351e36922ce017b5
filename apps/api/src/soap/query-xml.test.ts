import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { buildCatalogue } from '@callout/domain/catalogue/catalogue';
import { ownCatalogueDir } from '@callout/domain/catalogue/catalogue-dir';
import { Problem } from '@callout/domain/problem';
import { createSoapEntities } from './entities/soap-entities.ts';
import type { RestCalls } from './rest-calls.ts';
import { readQueryXml } from './query-xml.ts';

const files = readdirSync(ownCatalogueDir).map((name) => {
  return JSON.parse(readFileSync(path.join(ownCatalogueDir, name), 'utf8')) as unknown;
});
const entities = createSoapEntities(buildCatalogue(files));
const rest: RestCalls = {
  call: async () => ({ fields: [{ name: 'due', label: 'Due on', dataType: 'datetime' }] }),
};

const read = (conditions: string, entity = 'Contact') =>
  readQueryXml(`<queryxml><entity>${entity}</entity><query>${conditions}</query></queryxml>`, entities, rest);
const filterOf = async (conditions: string, entity?: string) => (await read(conditions, entity)).filter;
const expression = (op: string, value: string, field = 'FirstName') =>
  `<field>${field}<expression op="${op}">${value}</expression></field>`;
const eq = (value: string, field = 'firstName') => ({ op: 'eq', field, udf: false, value });

describe('conditions of a query', () => {
  it('are all that there is, when there is none', async () => {
    await expect(filterOf('')).resolves.toEqual([]);
    await expect(filterOf('<condition/>')).resolves.toEqual([]);
  });

  it('must all hold, as fields or without an operator', async () => {
    const both = [{ op: 'and', items: [eq('Joe'), eq('Larry')] }];
    await expect(filterOf(expression('equals', 'Joe') + expression('Equals', 'Larry'))).resolves.toEqual(both);
    await expect(
      filterOf(
        `<condition>${expression('equals', 'Joe')}</condition><condition>${expression('equals', 'Larry')}</condition>`,
      ),
    ).resolves.toEqual(both);
    await expect(
      filterOf(
        '<field>firstname<expression op="equals">Joe</expression><expression op="equals">Larry</expression></field>',
      ),
    ).resolves.toEqual(both);
  });

  it('join what is before them with OR', async () => {
    const nested = `${expression('equals', 'Joe')}
      <condition operator="OR">
        <condition>${expression('equals', 'Larry')}${expression('equals', 'Brown', 'LastName')}</condition>
        <condition operator="or">${expression('equals', 'Mary')}</condition>
      </condition>
      ${expression('notequal', 'Albany', 'City')}`;
    await expect(filterOf(nested)).resolves.toEqual([
      {
        op: 'and',
        items: [
          { op: 'or', items: [eq('Joe'), { op: 'and', items: [eq('Larry'), eq('Brown', 'lastName')] }, eq('Mary')] },
          { op: 'noteq', field: 'city', udf: false, value: 'Albany' },
        ],
      },
    ]);
  });

  it('with an operator and nothing before them are as without', async () => {
    await expect(
      filterOf(`<condition><condition operator="OR">${expression('equals', 'Joe')}</condition></condition>`),
    ).resolves.toEqual([eq('Joe')]);
  });

  it('nest no deeper than they mean', async () => {
    const many = Array.from(
      { length: 400 },
      (_, n) => `<condition operator="OR">${expression('equals', String(n))}</condition>`,
    );
    const [filter] = await filterOf(many.join(''));
    expect(filter).toMatchObject({ op: 'or', items: { length: 400 } });
  });

  it('ignore the case of their names, and have the name of a field before or after its expression', async () => {
    const sXML =
      '<QueryXML version="1.0"><Entity> contact </Entity><Query><Condition Operator="And"><Field><Expression Op="Equals">Joe</Expression>\n FIRSTNAME </Field></Condition></Query></QueryXML>';
    await expect(readQueryXml(sXML, entities, rest)).resolves.toMatchObject({
      entity: { name: 'Contact' },
      filter: [eq('Joe')],
    });
  });
});

describe('operators of a query', () => {
  it.each([
    ['notequal', 'x', { op: 'noteq', value: 'x' }],
    ['greaterthan', 'x', { op: 'gt', value: 'x' }],
    ['GreaterThanorEquals', 'x', { op: 'gte', value: 'x' }],
    ['lessthan', 'x', { op: 'lt', value: 'x' }],
    ['lessthanorequals', 'x', { op: 'lte', value: 'x' }],
    ['beginswith', 'x', { op: 'beginsWith', value: 'x' }],
    ['endswith', 'x', { op: 'endsWith', value: 'x' }],
    ['contains', ' x ', { op: 'contains', value: ' x ' }],
    ['isnull', '', { op: 'notExist' }],
    ['isnotnull', '', { op: 'exist' }],
    ['like', '%x%', { op: 'contains', value: 'x' }],
    ['like', 'x%', { op: 'beginsWith', value: 'x' }],
    ['like', '%%x', { op: 'endsWith', value: 'x' }],
    ['like', 'x', { op: 'eq', value: 'x' }],
    ['notlike', 'x', { op: 'noteq', value: 'x' }],
    ['in', '1, 2,3', { op: 'in', value: ['1', '2', '3'] }],
  ])('%s %j is one of REST', async (op, value, expected) => {
    await expect(filterOf(expression(op, value))).resolves.toEqual([{ field: 'firstName', udf: false, ...expected }]);
  });

  it.each([
    ['soundslike', 'x', 'soundslike is not supported, for "FirstName"'],
    ['like', 'a%b', 'like with wildcards but % at both ends is not supported'],
    ['like', 'a_b', 'like with wildcards'],
    ['like', '%', 'like with wildcards'],
    ['notlike', '%x', 'notlike with a pattern is not supported'],
    ['isthisday', '2026-01-01', 'isthisday needs a date and time'],
    ['fish', 'x', 'op of "FirstName" is "fish": use one of equals,'],
  ])('%s %j is refused in words', async (op, value, words) => {
    await expect(filterOf(expression(op, value))).rejects.toThrow(words);
  });

  it('are refused at once, however long: patterns full of wildcards, and lists of values', async () => {
    const pattern = `a${'%'.repeat(500_000)}b`;
    await expect(filterOf(expression('like', pattern))).rejects.toThrow('like with wildcards');
    const times = expression('in', '2026-01-01,'.repeat(250), 'CreateDate');
    await expect(filterOf(times + times)).rejects.toThrow('has 502 values of in: at most 500 are allowed');
  });

  it('compares times without a zone in US Eastern time', async () => {
    const at = (op: string, value: string) => filterOf(expression(op, value, 'CreateDate'));
    const [winter, summer] = ['2026-01-15T12:00:00', '2026-07-15 12:00:00'];
    await expect(at('equals', winter)).resolves.toMatchObject([{ value: '2026-01-15T17:00:00.000Z' }]);
    await expect(at('equals', summer)).resolves.toMatchObject([{ value: '2026-07-15T16:00:00.000Z' }]);
    await expect(at('equals', '2026-01-15T12:00:00Z')).resolves.toMatchObject([{ value: '2026-01-15T12:00:00Z' }]);
    // Date.UTC would read it as 1926.
    await expect(at('equals', '0026-01-15')).resolves.toMatchObject([{ value: '0026-01-15' }]);
    await expect(at('isthisday', '+275760-09-13T00:00:00Z')).rejects.toThrow('isthisday needs a date and time');
    await expect(at('equals', 'yesterday')).resolves.toMatchObject([{ value: 'yesterday' }]);
    // The day on which clocks go forward has 23 hours.
    await expect(at('isthisday', '2026-03-08')).resolves.toEqual([
      {
        op: 'and',
        items: [
          { op: 'gte', field: 'createDate', udf: false, value: '2026-03-08T05:00:00.000Z' },
          { op: 'lt', field: 'createDate', udf: false, value: '2026-03-09T04:00:00.000Z' },
        ],
      },
    ]);
  });

  it('knows user-defined fields and their types', async () => {
    const udf = '<field udf="true">Due on<expression op="lessthan">2026-01-15</expression></field>';
    await expect(filterOf(udf)).resolves.toEqual([
      { op: 'lt', field: 'Due on', udf: true, value: '2026-01-15T05:00:00.000Z' },
    ]);
  });

  it('leaves fields that it does not know to REST', async () => {
    await expect(filterOf(expression('equals', 'x', 'Fish'))).resolves.toEqual([eq('x', 'Fish')]);
  });
});

describe('what is no query', () => {
  it.each([
    ['another root', '<a/>', 'sXML must be <queryxml>'],
    ['no query', '<queryxml><entity>Account</entity></queryxml>', 'sXML must be <queryxml>'],
    ['two queries', '<queryxml><entity>Account</entity><query/><query/></queryxml>', 'sXML must be <queryxml>'],
    ['no entity', '<queryxml><query/></queryxml>', '"" is no entity'],
    ['an unknown entity', '<queryxml><entity>Invoice</entity><query/></queryxml>', '"Invoice" is no entity'],
    [
      'a field without an expression',
      '<queryxml><entity>Account</entity><query><field>id</field></query></queryxml>',
      'must have an expression',
    ],
    [
      'a field without a name',
      '<queryxml><entity>Account</entity><query><field><expression op="equals">1</expression></field></query></queryxml>',
      'must have a name',
    ],
    [
      'an expression without op',
      '<queryxml><entity>Account</entity><query><field>id<expression>1</expression></field></query></queryxml>',
      'op of "id" is ""',
    ],
    [
      'another operator',
      '<queryxml><entity>Account</entity><query><condition operator="XOR"/></query></queryxml>',
      'AND or OR, not "xor"',
    ],
    [
      'another element',
      '<queryxml><entity>Account</entity><query><fish/></query></queryxml>',
      '"fish" is not known in a query',
    ],
    ['a document type', '<!DOCTYPE a [<!ENTITY x "1">]><queryxml/>', 'document type'],
    ['no XML', 'SELECT 1', 'sXML is not well-formed'],
  ])('(%s) is refused', async (_, sXML, words) => {
    const refused = readQueryXml(sXML, entities, rest);
    await expect(refused).rejects.toBeInstanceOf(Problem);
    await expect(refused).rejects.toThrow(words);
  });

  it('has more than 500 expressions', async () => {
    await expect(read(expression('equals', 'x').repeat(501))).rejects.toThrow('501 expressions: at most 500');
    await expect(read(expression('equals', 'x').repeat(500))).resolves.toBeDefined();
  });
});
