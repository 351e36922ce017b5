import { describe, expect, it, jest } from '@jest/globals';
import type { FieldValues } from '../values/values.ts';
import { eventOfTicket, ticketFields } from './condition.fixture.ts';
import { compileCondition, fulfils, judgeParts, type ConditionInput } from './judge-condition.ts';
import { readCondition } from './read-condition.ts';

const compile = (condition: unknown) => compileCondition(readCondition(condition, ticketFields, []));
const holds = (condition: unknown, event: ConditionInput) => fulfils(event, compile(condition));
const on = (op: string, field: string, value?: unknown) => ({ op, field, value });

describe('a condition', () => {
  it('of changes is about what the event lists as changed, and about values that are known', () => {
    const became5 = eventOfTicket({ status: '5', queueID: '2', title: 'x' }, { status: '1' });
    const rules: [object, boolean][] = [
      [on('changed', 'status'), true],
      [on('changed', 'queueID'), false],
      [on('changedTo', 'status', 5), true],
      [on('changedTo', 'status', 1), false],
      [on('changedTo', 'queueID', 2), false],
      [on('changedFrom', 'status', 1), true],
      [on('changedFrom', 'status', 5), false],
      [on('eq', 'previous.status', 1), true],
      [on('eq', 'previous.queueID', 2), true],
      [{ op: 'and', items: [on('changedTo', 'status', 5), on('in', 'queueID', [1, 2, 3])] }, true],
      [{ op: 'or', items: [on('changed', 'title'), on('eq', 'id', 8)] }, false],
    ];
    for (const [condition, expected] of rules)
      expect([condition, holds(condition, became5)]).toEqual([condition, expected]);
  });

  it('knows null before a change, and not what was never given', () => {
    const wasEmpty = eventOfTicket({ status: '5' }, { status: null });
    expect(holds(on('changedFrom', 'status', null), wasEmpty)).toBe(true);
    expect(holds(on('notExist', 'previous.status'), wasEmpty)).toBe(true);
    const neverTold = eventOfTicket({ status: '5' }, {}, { changedFields: ['status'] });
    expect(holds(on('changedTo', 'status', 5), neverTold)).toBe(true);
    expect(holds(on('changedFrom', 'status', null), neverTold)).toBe(false);
    expect(holds(on('eq', 'previous.status', null), neverTold)).toBe(false);
    expect(holds(on('notExist', 'previous.status'), neverTold)).toBe(true);
  });

  it.each(['eq', 'noteq', 'gt', 'gte', 'lt', 'lte', 'changed', 'changedTo', 'changedFrom'])(
    'with %s does not hold for a field that was never given',
    (op) => {
      expect(holds(on(op, 'status', 5), eventOfTicket({}))).toBe(false);
    },
  );

  it('sees by exist and notExist that a field was never given, as if it were empty', () => {
    for (const fields of [{}, { status: null }]) {
      expect(holds(on('exist', 'status'), eventOfTicket(fields))).toBe(false);
      expect(holds(on('notExist', 'status'), eventOfTicket(fields))).toBe(true);
    }
    expect(holds(on('noteq', 'status', 5), eventOfTicket({ status: null }))).toBe(true);
    expect(holds({ op: 'notIn', field: 'status', value: [5] }, eventOfTicket({}))).toBe(false);
    expect(holds({ op: 'in', field: 'status', value: [null] }, eventOfTicket({}))).toBe(false);
  });

  it('of a create knows nothing before it, and of a delete the last known values', () => {
    const created = eventOfTicket({ status: '5' }, {}, { action: 'Create', changedFields: ['status'] });
    expect(holds(on('changedTo', 'status', 5), created)).toBe(true);
    expect(holds(on('notExist', 'previous.status'), created)).toBe(true);
    expect(holds(on('exist', 'previous.id'), created)).toBe(false);
    const deleted = eventOfTicket({ status: '5' }, {}, { action: 'Delete' });
    expect(holds(on('eq', 'status', 5), deleted)).toBe(true);
    expect(holds(on('eq', 'previous.status', 5), deleted)).toBe(true);
    expect(holds(on('changed', 'status'), deleted)).toBe(false);
  });

  it('compares user-defined fields by the id of their definition', () => {
    const udfFields = { 3: '2' };
    const previous = { fields: {}, udfFields: { 3: '1' } };
    const event = eventOfTicket({}, {}, { udfFields, previous, changedUdfs: [3] });
    expect(holds({ op: 'changedFrom', field: 'Tier', udf: true, value: 1 }, event)).toBe(true);
    expect(holds({ op: 'gt', field: 'previous.Tier', udf: true, value: 1 }, event)).toBe(false);
  });

  it('counts a field that is gone as one that was never given', () => {
    expect(holds(on('eq', 'gone', 1), eventOfTicket({ gone: '1' }))).toBe(false);
    expect(holds(on('notExist', 'gone'), eventOfTicket({}))).toBe(true);
  });

  it('takes no value from the prototype of values that were parsed', () => {
    const event = eventOfTicket(JSON.parse('{"__proto__":{"status":"5"}}') as FieldValues);
    expect(holds(on('exist', 'status'), event)).toBe(false);
  });

  it('shows each part with the values that it saw', () => {
    const compiled = compile({ op: 'or', items: [on('changedTo', 'status', 5), on('eq', 'previous.queueID', 1)] });
    expect(judgeParts(eventOfTicket({ status: '4' }, { status: null }), compiled)).toMatchObject({
      kind: 'any',
      holds: false,
      items: [
        { holds: false, expression: { name: 'status' }, value: '4', previous: null },
        { holds: false, expression: { name: 'previous.queueID' }, value: undefined },
      ],
    });
  });

  it('reads a long text once for 50 expressions on it, and takes it from the event once for all webhooks', () => {
    const items = Array.from({ length: 50 }, (_, at) => on('contains', 'description', `${'a'.repeat(at * 5)}b`));
    const compiled = [compile({ op: 'or', items }), compile({ op: 'or', items })];
    const charCodeAt = jest.fn(() => 'a'.charCodeAt(0));
    const description = jest.fn(() => ({ length: 32_000, charCodeAt }) as unknown as string);
    const event = eventOfTicket(Object.defineProperty({}, 'description', { get: description }));
    for (const one of compiled) expect(fulfils(event, one)).toBe(false);
    expect(charCodeAt).toHaveBeenCalledTimes(2 * 32_000);
    expect(description).toHaveBeenCalledTimes(1);
  });
});
