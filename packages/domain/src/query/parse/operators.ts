import type { DataType } from '../../catalogue/catalogue.ts';
import type { OrderOperator, TextOperator } from '../condition.ts';

/** The effect of an operator of the grammar. A null operand means an empty field. */
export type Operator =
  | { readonly kind: 'group'; readonly of: 'all' | 'any' }
  | { readonly kind: 'equality'; readonly isNegated: boolean; readonly takesList: boolean }
  | { readonly kind: 'existence'; readonly isNegated: boolean }
  | { readonly kind: 'order'; readonly operator: OrderOperator }
  | { readonly kind: 'text'; readonly operator: TextOperator };

const operators = new Map<string, Operator>([
  ['eq', { kind: 'equality', isNegated: false, takesList: false }],
  ['noteq', { kind: 'equality', isNegated: true, takesList: false }],
  ['gt', { kind: 'order', operator: 'gt' }],
  ['gte', { kind: 'order', operator: 'gte' }],
  ['lt', { kind: 'order', operator: 'lt' }],
  ['lte', { kind: 'order', operator: 'lte' }],
  ['beginsWith', { kind: 'text', operator: 'beginsWith' }],
  ['endsWith', { kind: 'text', operator: 'endsWith' }],
  ['contains', { kind: 'text', operator: 'contains' }],
  // A field exists when it is not empty.
  ['exist', { kind: 'existence', isNegated: true }],
  ['notExist', { kind: 'existence', isNegated: false }],
  ['in', { kind: 'equality', isNegated: false, takesList: true }],
  ['notIn', { kind: 'equality', isNegated: true, takesList: true }],
  ['and', { kind: 'group', of: 'all' }],
  ['or', { kind: 'group', of: 'any' }],
]);

const byFoldedName = new Map([...operators].map(([name, operator]) => [name.toLowerCase(), { name, operator }]));

/** The names of all operators, for messages. */
export const operatorNames: readonly string[] = [...operators.keys()];

/** An operator by its name, in any case. */
export function operatorByName(name: string): { readonly name: string; readonly operator: Operator } | undefined {
  return byFoldedName.get(name.toLowerCase());
}

/** Whether an operator can be applied to values of a type: booleans have no order, and only text has a beginning. */
export function judges(operator: Operator, dataType: DataType): boolean {
  if (operator.kind === 'order') return dataType !== 'boolean';
  return operator.kind !== 'text' || dataType === 'string';
}
