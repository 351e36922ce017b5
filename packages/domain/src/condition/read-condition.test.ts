import { describe, expect, it } from '@jest/globals';
import type { ProblemDetail } from '../problem.ts';
import { ticket, ticketFields } from './condition.fixture.ts';
import { conditionFieldsOf } from './condition-fields.ts';
import { readCondition } from './read-condition.ts';
import { printCondition } from './webhook-condition.ts';

function read(given: unknown) {
  const problems: ProblemDetail[] = [];
  const condition = readCondition(given, ticketFields, problems);
  return { condition, sentences: problems.map(({ message }) => message) };
}
const refusalOf = (given: unknown) => read(given).sentences;
const status = { op: 'eq', field: 'status', value: 5 };
const and = (...items: unknown[]) => ({ op: 'and', items });
const nested = (levels: number): unknown => (levels === 1 ? status : and(nested(levels - 1)));

describe('a condition', () => {
  it('is stored with the names that its parts have, and with the values that were given', () => {
    const given = {
      OP: 'OR',
      items: [
        { op: 'CHANGEDTO', field: 'STATUS', value: '5' },
        { op: 'in', field: 'Previous.queueid', value: [1, '2'] },
        { op: 'exist', field: 'service tier', udf: 'true', value: 'ignored' },
        { op: 'noteq', field: 'previous.Service tier', udf: true, value: null },
        { op: 'eq', field: 'previous.owner', udf: true, value: 'Ann' },
        { op: 'changed', field: 'title' },
        { op: 'eq', field: 'id', value: 7 },
      ],
    };
    const { condition, sentences } = read(given);
    expect(sentences).toEqual([]);
    const stored = printCondition(condition);
    expect(stored).toEqual({
      op: 'or',
      items: [
        { op: 'changedTo', field: 'status', value: '5' },
        { op: 'in', field: 'previous.queueID', value: [1, '2'] },
        { op: 'exist', field: 'Tier', udf: true },
        { op: 'noteq', field: 'previous.Tier', udf: true, value: null },
        { op: 'eq', field: 'previous.owner', udf: true, value: 'Ann' },
        { op: 'changed', field: 'title' },
        { op: 'eq', field: 'id', value: 7 },
      ],
    });
    expect(printCondition(read(stored).condition)).toEqual(stored);
  });

  it('means the value before, also where a user-defined field has such a name', () => {
    const udfs = [{ id: 9, name: 'previous.status', label: 'Last status', dataType: 'string' as const }];
    const problems: ProblemDetail[] = [];
    const named = conditionFieldsOf(ticket, udfs);
    const condition = readCondition({ op: 'eq', field: 'previous.status', value: 5 }, named, problems);
    expect(problems).toEqual([]);
    expect(condition).toMatchObject({ isPrevious: true, field: { name: 'status', udfId: null } });
  });

  it.each<[string, unknown, string]>([
    ['a text', 'x', 'condition must be an object with op, field and value'],
    ['a list', [status], 'condition must be an object with op, field and value'],
    ['nothing', {}, 'condition.op is required: use one of eq, '],
    ['another operator', { ...status, op: 'like' }, 'condition.op is "like", which is no operator: use one of eq, '],
    ['an operator of another type', { ...status, op: 5 }, 'condition.op is 5, which is no operator'],
    ['an unknown key', { ...status, filed: 'status' }, 'condition.filed is no key of a condition: did you mean field?'],
    [
      'the key __proto__',
      JSON.parse('{"op":"exist","field":"status","__proto__":{}}'),
      'condition.__proto__ is no key of a condition',
    ],
    ['no field', { op: 'eq', value: 5 }, 'condition.field must name a field'],
    [
      'an unknown field',
      and({ ...status, field: 'stauts' }),
      'condition.items[0].field "stauts" is no field of Tickets: did you mean status?',
    ],
    ['a field of every object', { ...status, field: 'constructor' }, '"constructor" is no field of Tickets'],
    ['the prototype', { ...status, field: '__proto__' }, '"__proto__" is no field of Tickets'],
    ['an unknown previous field', { ...status, field: 'previous.x' }, 'condition.field "x" is no field of Tickets'],
    [
      'a field before before',
      { ...status, field: 'previous.previous.status' },
      '"previous.status" is no field of Tickets',
    ],
    ['a hidden field', { ...status, field: 'createDate' }, 'condition.field "createDate" is not supported in webhooks'],
    ['a hidden previous field', { op: 'changed', field: 'createDate' }, '"createDate" is not supported in webhooks'],
    ['an unknown user-defined field', { ...status, udf: true }, '"status" is no user-defined field of Tickets'],
    [
      'a user-defined field without udf',
      { ...status, field: 'Tier' },
      'it is a user-defined field and needs "udf": true',
    ],
    ['udf of another type', { ...status, udf: {} }, 'condition.udf for "status" must be true or false'],
    ['an object for a number', { ...status, value: { $gt: 1 } }, 'condition.value for "status" must be an integer'],
    ['a list for a number', { ...status, value: [5] }, 'condition.value for "status" must be an integer'],
    [
      'an object in a list',
      { ...status, op: 'in', value: [5, {}] },
      'condition.value[1] for "status" must be an integer',
    ],
    ['a text for a list', { ...status, op: 'in' }, 'condition.value for "status" must be an array of values'],
    ['no value', { op: 'eq', field: 'status' }, 'condition.value for "status" is required'],
    ['no value of a change', { op: 'changedTo', field: 'status' }, 'condition.value for "status" is required'],
    ['a wrong value of a change', { op: 'changedFrom', field: 'status', value: 'x' }, 'must be an integer'],
    ['null for an order', { ...status, op: 'gt', value: null }, 'must not be null: use exist or notExist'],
    [
      'a text operator for a number',
      { ...status, op: 'contains' },
      'contains cannot judge "status", which is of type integer',
    ],
    ['a change before', { op: 'changed', field: 'previous.status' }, 'leave out previous.'],
    ['an empty group', { op: 'or', items: [] }, 'condition.items must hold at least one condition'],
    ['an object for a group', { op: 'or', items: { 0: status } }, 'condition.items must hold at least one condition'],
    ['something else in a group', and(null), 'condition.items[0] must be an object with op, field and value'],
    ['nine levels', nested(9), 'is level 9 of the condition: at most 8 are allowed'],
    [
      '51 expressions',
      and(...Array.from({ length: 51 }, () => status)),
      'condition has 51 expressions: at most 50 are allowed',
    ],
    [
      'a long text to look for',
      { op: 'contains', field: 'title', value: 'x'.repeat(251) },
      'condition.value for "title" must be 250 characters or fewer',
    ],
    [
      'more values than are compared',
      { op: 'in', field: 'status', value: Array.from({ length: 501 }, (_none, nth) => nth) },
      'condition has 501 values of in and notIn: at most 500 are allowed',
    ],
    [
      'more JSON than is stored',
      { op: 'eq', field: 'title', value: 'x'.repeat(20_000) },
      'condition must be 20000 characters of JSON or fewer',
    ],
  ])('of %s is refused with its place', (_, given, sentence) => {
    expect(refusalOf(given)).toEqual([expect.stringContaining(sentence)]);
  });

  it('may have 8 levels and 50 expressions', () => {
    expect(refusalOf(nested(8))).toEqual([]);
    expect(refusalOf(and(...Array.from({ length: 50 }, () => status)))).toEqual([]);
  });

  it('is refused at once when it has far too many parts', () => {
    expect(() => read(and(...Array.from({ length: 400 }, () => status)))).toThrow('has more than 400 groups');
  });
});

it('looks at each user-defined field once, however many of them a condition names', () => {
  let looks = 0;
  const udfs = Array.from({ length: 1_000 }, (_, id) => ({
    id,
    label: `Label ${id}`,
    dataType: 'string' as const,
    get name() {
      looks += 1;
      return `Field ${id}`;
    },
  }));
  const items = Array.from({ length: 50 }, (_, nth) => {
    return { op: 'exist', field: nth % 2 === 0 ? `field ${999 - nth}` : `label ${nth}`, udf: true };
  });
  const problems: ProblemDetail[] = [];
  readCondition({ op: 'and', items }, conditionFieldsOf(ticket, udfs), problems);
  expect(problems).toEqual([]);
  // Once to find them, and a few times for each that is named.
  expect(looks).toBeLessThan(1_000 + 50 * 10);
});
