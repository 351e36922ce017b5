import type { DataType } from '@callout/domain/catalogue/catalogue';
import { Problem } from '@callout/domain/problem';
import { easternDay, easternToUtc } from './eastern-time.ts';

/** The field of an expression. */
interface Compared {
  /** The name in the REST API. */
  readonly field: string;
  /** The name in sentences. */
  readonly shownName: string;
  /** Undefined when unknown. */
  readonly dataType: DataType | undefined;
  readonly udf: boolean;
}

/** Operators with a counterpart in the REST API, by names in lower case. */
const operators = new Map([
  ['equals', 'eq'],
  ['notequal', 'noteq'],
  ['notequals', 'noteq'],
  ['greaterthan', 'gt'],
  ['greaterthanorequals', 'gte'],
  ['lessthan', 'lt'],
  ['lessthanorequals', 'lte'],
  ['beginswith', 'beginsWith'],
  ['endswith', 'endsWith'],
  ['contains', 'contains'],
]);

const names = [...operators.keys(), 'isnull', 'isnotnull', 'isthisday', 'like', 'notlike', 'in'];

/** How many values an expression with the operator `in` has; 0 with any further operator. */
export function valuesIn(op: string | undefined, text: string): number {
  return nameOf(op) === 'in' ? text.split(',').length : 0;
}

const nameOf = (op: string | undefined): string => (op ?? '').trim().toLowerCase();

/** The comparison of an expression. Throws an `invalid` Problem for an unknown or unsupported operator. */
export function comparisonOf(compared: Compared, op: string | undefined, text: string): Condition {
  const { field, udf, dataType, shownName } = compared;
  const name = nameOf(op);
  const value = dataType === 'string' ? text : text.trim();
  const compare = (operator: string, operand?: string | readonly string[]): Condition => {
    return { op: operator, field, udf, ...(operand !== undefined && { value: operand }) };
  };
  const instant = (one: string) => (dataType === 'datetime' ? easternToUtc(one) : one);
  const operator = operators.get(name);
  if (operator !== undefined) return compare(operator, instant(value));
  switch (name) {
    case 'isnull':
      return compare('notExist');
    case 'isnotnull':
      return compare('exist');
    case 'in':
      return compare(
        'in',
        text.split(',').map((one) => instant(one.trim())),
      );
    case 'isthisday': {
      const day = dataType === 'datetime' ? easternDay(value) : undefined;
      if (day === undefined)
        throw Problem.invalid(`isthisday needs a date and time, and a day such as 2026-03-04, for ${shownName}.`);
      return joined('and', compare('gte', day.start), compare('lt', day.end));
    }
    case 'like':
      return like(text.trim(), shownName, compare);
    case 'notlike':
      if (/[%_[]/u.test(text)) throw notSupported(`notlike with a pattern`, shownName);
      return compare('noteq', value);
    case 'soundslike':
      throw notSupported('soundslike', shownName);
    default:
      throw Problem.invalid(
        `op of ${shownName} is ${JSON.stringify(name.slice(0, 100))}: use one of ${names.join(', ')}.`,
      );
  }
}

/** A pattern whose only wildcards are `%` at the beginning and end. */
function like(pattern: string, shownName: string, compare: (op: string, value: string) => Condition): Condition {
  // Counted, and not by a regular expression: a pattern with many % inside would cost the square of its length.
  const [before, after] = [wildcardsAt(pattern, 0, 1), wildcardsAt(pattern, pattern.length - 1, -1)];
  const text = pattern.slice(before, Math.max(before, pattern.length - after));
  if (/[%_[]/u.test(text) || text === '') throw notSupported('like with wildcards but % at both ends', shownName);
  if (before > 0 && after > 0) return compare('contains', text);
  if (before > 0) return compare('endsWith', text);
  return compare(after === 0 ? 'eq' : 'beginsWith', text);
}

/** How many `%` there are in a row from an end of a pattern on. */
function wildcardsAt(pattern: string, from: number, step: 1 | -1): number {
  let count = 0;
  while (pattern[from + count * step] === '%') count += 1;
  return count;
}

function notSupported(what: string, shownName: string): Problem {
  return Problem.invalid(`${what} is not supported, for ${shownName}: use equals, beginswith, endswith or contains.`);
}

/** A condition in the form of `Filter`. */
export type Condition = Group | Comparison;

interface Group {
  readonly op: 'and' | 'or';
  readonly items: readonly Condition[];
}

/** A field compared with a value. */
interface Comparison {
  readonly op: string;
  readonly field: string;
  readonly udf: boolean;
  readonly value?: string | readonly string[];
}

/** Two conditions with `and` or `or`; groups of a kind are merged, without needless nesting. */
export function joined(op: 'and' | 'or', one: Condition, other: Condition): Condition {
  const itemsOf = (condition: Condition) => (isGroup(condition) && condition.op === op ? condition.items : [condition]);
  return { op, items: [...itemsOf(one), ...itemsOf(other)] };
}

function isGroup(condition: Condition): condition is Group {
  return 'items' in condition;
}
