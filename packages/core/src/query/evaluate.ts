import type { FieldValue } from '../ingest/values/values.ts';
import { compareDecimals, compareText, isPlainDecimal } from './compare.ts';
import {
  numericTypes,
  type Condition,
  type FieldRef,
  type OrderCondition,
  type OrderOperator,
  type TextOperator,
} from './condition.ts';
import { foldText } from './fold-text.ts';

/** The wire value of a field of one row; undefined and null are both empty. */
export type ValueOf = (field: FieldRef) => FieldValue | undefined;

const orders: Readonly<Record<OrderOperator, (order: number) => boolean>> = {
  gt: (order) => order > 0,
  gte: (order) => order >= 0,
  lt: (order) => order < 0,
  lte: (order) => order <= 0,
};

const textTests: Readonly<Record<TextOperator, (value: string, operand: string) => boolean>> = {
  beginsWith: (value, operand) => value.startsWith(operand),
  endsWith: (value, operand) => value.endsWith(operand),
  contains: (value, operand) => value.includes(operand),
};

/** Whether one row passes a filter: what a query means, in plain code. */
export function evaluate(condition: Condition, valueOf: ValueOf): boolean {
  if (condition.kind === 'all') return condition.of.every((one) => evaluate(one, valueOf));
  if (condition.kind === 'any') return condition.of.some((one) => evaluate(one, valueOf));
  const value = foldedValue(condition.field, valueOf);
  if (condition.kind === 'oneOf') return condition.values.includes(value) !== condition.isNegated;
  if (value === null) return false;
  return condition.kind === 'order'
    ? passesOrder(condition, value)
    : textTests[condition.operator](value, condition.value);
}

function foldedValue(field: FieldRef, valueOf: ValueOf): FieldValue {
  const value = valueOf(field) ?? null;
  return value === null ? null : foldText(value);
}

function passesOrder({ field, operator, value: operand }: OrderCondition, value: string): boolean {
  const isNumber = numericTypes.has(field.dataType);
  // Text under a number's name, from a catalogue that has changed: it has no place in the order.
  if (isNumber && !isPlainDecimal(value)) return false;
  // An instant in wire form has a fixed length, so its text has the order of the instants.
  return orders[operator](isNumber ? compareDecimals(value, operand) : compareText(value, operand));
}
