import type { FieldValue } from '../values/values.ts';
import { compareDecimals, compareText, isPlainDecimal } from './compare.ts';
import {
  numericTypes,
  type Condition,
  type FieldRef,
  type OrderCondition,
  type OrderOperator,
  type TextOperator,
} from './condition.ts';
import { containsText } from './contains.ts';
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
  contains: containsText,
};

/** Whether one row passes a filter: the meaning of a query in plain code. */
export function evaluate(condition: Condition, valueOf: ValueOf): boolean {
  return passesFolded(condition, foldOnce(valueOf));
}

/** The same for folded values; null is an empty field. */
export function passesFolded(condition: Condition, foldedValue: (field: FieldRef) => FieldValue): boolean {
  if (condition.kind === 'all') return condition.of.every((one) => passesFolded(one, foldedValue));
  if (condition.kind === 'any') return condition.of.some((one) => passesFolded(one, foldedValue));
  const value = foldedValue(condition.field);
  if (condition.kind === 'oneOf') return condition.values.includes(value) !== condition.isNegated;
  if (value === null) return false;
  return condition.kind === 'order'
    ? passesOrder(condition, value)
    : textTests[condition.operator](value, condition.value);
}

/** Folds each value of a row once: a filter may have a thousand conditions on one long text. */
function foldOnce(valueOf: ValueOf): (field: FieldRef) => FieldValue {
  const folded = new Map<string, FieldValue>();
  return (field) => {
    const key = field.udfId === null ? field.name : `udf:${field.udfId}`;
    const foldedValue = folded.get(key);
    if (foldedValue !== undefined) return foldedValue;
    const value = valueOf(field) ?? null;
    const read = value === null ? null : foldText(value);
    folded.set(key, read);
    return read;
  };
}

function passesOrder({ field, operator, value: operand }: OrderCondition, value: string): boolean {
  const isNumber = numericTypes.has(field.dataType);
  // Text in a numeric field, from a catalogue that has changed, has no place in the order.
  if (isNumber && !isPlainDecimal(value)) return false;
  // An instant in wire form has a fixed length, and sorts as text like the instants.
  return orders[operator](isNumber ? compareDecimals(value, operand) : compareText(value, operand));
}
