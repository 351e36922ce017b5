import {
  type Condition,
  type FieldRef,
  numericTypes,
  type OneOfCondition,
  type OrderCondition,
  type OrderOperator,
  type TextCondition,
} from '@callout/domain/query/condition';
import type { SqlValues } from '../sql-values.ts';

/** An expression for the value of a field, NULL when it is empty. Text must be folded, since operands are. */
export interface ColumnExpression {
  readonly sql: string;
  readonly type: 'text' | 'bigint' | 'boolean' | 'timestamptz';
}

/** How a field is read; undefined: it cannot be judged in SQL. */
export type ColumnOf = (field: FieldRef, values: SqlValues) => ColumnExpression | undefined;

export interface CompiledCondition {
  /** True of every row that passes. */
  readonly sql: string;
  /** Whether the text is true of no other row. */
  readonly isExact: boolean;
}

const anything: CompiledCondition = { sql: 'TRUE', isExact: false };
const exact = (sql: string): CompiledCondition => ({ sql, isExact: true });

/**
 * Compiles a condition. Operands go into `values`; the text consists of constants, results of `columnOf`, and places of
 * values. NULL counts as false: it is never under a NOT, see oneOf.
 */
export function compileCondition(condition: Condition, columnOf: ColumnOf, values: SqlValues): CompiledCondition {
  const compile = (one: Condition) => compileCondition(one, columnOf, values);
  if (condition.kind === 'all') return allOf(condition.of.map(compile));
  if (condition.kind === 'any') return values.try(() => anyOf(condition.of.map(compile))) ?? anything;
  const column = columnOf(condition.field, values);
  if (!column) return anything;
  if (condition.kind === 'oneOf') return exact(oneOf(condition, column, values));
  return exact(condition.kind === 'order' ? inOrder(condition, column, values) : byText(condition, column, values));
}

function allOf(parts: readonly CompiledCondition[]): CompiledCondition {
  const narrowing = parts.filter((part) => part !== anything);
  const isExact = parts.every((part) => part.isExact);
  return { sql: narrowing.length === 0 ? 'TRUE' : `(${narrowing.map(({ sql }) => sql).join(' AND ')})`, isExact };
}

/** Undefined when one of them could be true of any row. */
function anyOf(parts: readonly CompiledCondition[]): CompiledCondition | undefined {
  if (parts.includes(anything)) return undefined;
  return { sql: `(${parts.map(({ sql }) => sql).join(' OR ')})`, isExact: parts.every((part) => part.isExact) };
}

function oneOf({ values: operands, isNegated }: OneOfCondition, { sql, type }: ColumnExpression, values: SqlValues) {
  const operandValues = operands.filter((operand) => operand !== null);
  const tests = operandValues.length < operands.length ? [`${sql} IS NULL`] : [];
  if (operandValues.length === 1) tests.push(`${sql} = ${values.add(operandValues[0])}::${type}`);
  if (operandValues.length > 1) tests.push(`${sql} = ANY(${values.add(operandValues)}::${type}[])`);
  const test = `(${tests.join(' OR ')})`;
  return isNegated ? `${test} IS NOT TRUE` : test;
}

const comparisons: Readonly<Record<OrderOperator, string>> = { gt: '>', gte: '>=', lt: '<', lte: '<=' };

function inOrder({ field, operator, value }: OrderCondition, { sql, type }: ColumnExpression, values: SqlValues) {
  const comparison = comparisons[operator];
  const operand = values.add(value);
  if (type !== 'text') return `${sql} ${comparison} ${operand}::${type}`;
  if (!numericTypes.has(field.dataType)) return `${sql} COLLATE "C" ${comparison} ${operand}::text`;
  // Text under a number's name, from a catalogue that has changed, must not fail the query.
  return `CASE WHEN ${sql} ~ '^-?[0-9]+([.][0-9]+)?$' THEN (${sql})::numeric ${comparison} ${operand}::numeric END`;
}

function byText({ operator, value }: TextCondition, { sql }: ColumnExpression, values: SqlValues): string {
  const operand = `${values.add(value)}::text`;
  if (operator === 'beginsWith') return `starts_with(${sql}, ${operand})`;
  if (operator === 'contains') return `strpos(${sql}, ${operand}) > 0`;
  return `right(${sql}, char_length(${operand})) = ${operand}`;
}
