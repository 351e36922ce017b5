import { describe, expect, it } from '@jest/globals';
import { draftOf, fieldOf, operatorsOf, textOf, withField, withOperator } from './condition-draft.ts';

const choice = (name: string, type: string, isUserDefined = false) =>
  ({ key: 'field:1', name, label: name, description: '', type, isUserDefined, values: [] }) as const;
const status = choice('status', 'integer');
const owner = choice('previous.owner', 'string', true);

describe('the form of a condition', () => {
  it('returns the text that it was made from, a single expression too', () => {
    for (const text of [
      '',
      '{"op":"eq","field":"status","value":5}',
      '{"op":"or","items":[{"op":"changed","field":"a"}]}',
    ]) {
      expect(textOf(draftOf(text))).toBe(text.startsWith('{"op":"or"') ? '{"op":"changed","field":"a"}' : text);
    }
    const group =
      '{"op":"or","items":[{"op":"changed","field":"a"},{"op":"and","items":[{"op":"exist","field":"b"}]}]}';
    expect(textOf(draftOf(group))).toBe(group);
  });

  it('gives a value the form that its operator takes', () => {
    const is5 = { op: 'eq', field: 'status', value: '5' };
    expect(withOperator(is5, 'in')).toEqual({ op: 'in', field: 'status', value: ['5'] });
    expect(withOperator(withOperator(is5, 'in'), 'changedTo')).toEqual({ ...is5, op: 'changedTo' });
    expect(withOperator(is5, 'exist')).toEqual({ op: 'exist', field: 'status' });
  });

  it('finds fields by name, now and before, and offers the operators that fit them', () => {
    expect(fieldOf({ op: 'eq', field: 'previous.status' }, [status])).toEqual({ choice: status, isPrevious: true });
    expect(fieldOf({ op: 'eq', field: 'previous.owner', udf: true }, [owner])).toEqual({
      choice: owner,
      isPrevious: false,
    });
    const named = (type: string, isPrevious: boolean) => operatorsOf(type, isPrevious).map(({ value }) => value);
    expect(named('boolean', true)).toEqual(['eq', 'noteq', 'in', 'notIn', 'exist', 'notExist']);
    expect(named('string', false)).toContain('contains');
    expect(withField({ op: 'changed', field: 'x' }, owner, true)).toEqual({
      op: 'eq',
      field: 'previous.previous.owner',
      udf: true,
      value: '',
    });
  });
});
