import type { FieldRef, OneOfCondition, OrderCondition, TextCondition } from '../condition.ts';
import { refuse, type FilterReading } from './filter-reading.ts';
import type { Operator } from './operators.ts';
import { readOperand, readOperands } from './read-operand.ts';

/** A comparison of a field; undefined for a refused value. */
export function readLeaf(
  reading: FilterReading,
  operator: Exclude<Operator, { kind: 'group' }>,
  field: FieldRef,
  input: unknown,
  path: string,
): OneOfCondition | OrderCondition | TextCondition | undefined {
  if (operator.kind === 'existence') return { kind: 'oneOf', field, values: [null], isNegated: operator.isNegated };
  if (operator.kind === 'equality' && operator.takesList) {
    const values = readOperands(reading, field, input, path);
    return values.length === 0 ? undefined : { kind: 'oneOf', field, values, isNegated: operator.isNegated };
  }
  const value = readOperand(reading, field, input, path);
  if (value === undefined) return undefined;
  if (operator.kind === 'equality') return { kind: 'oneOf', field, values: [value], isNegated: operator.isNegated };
  if (value === null) return refuse(reading, path, 'must not be null: use exist or notExist', 'required', field.name);
  return { ...operator, field, value };
}
