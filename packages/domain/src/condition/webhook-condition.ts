import type { FieldRef, OneOfCondition, OrderCondition, TextCondition } from '../query/condition.ts';

/** Operators that compare an event with the values before: only conditions of webhooks have such operators. */
export const changeOperatorNames = ['changed', 'changedTo', 'changedFrom'] as const;

export type ChangeOperator = (typeof changeOperatorNames)[number];

/** Expressions of a condition, not counting its groups. Each is judged for every event of the entity. */
export const maxExpressions = 50;
/** The condition itself is level 1, the items of a group are one more than the group. */
export const maxLevels = 8;
/** Characters of the JSON of a condition. */
export const maxConditionLength = 20_000;
/** Characters of what `contains` looks for: all of a webhook are found in one pass over the text. */
export const maxContainsLength = 250;

/** What an event must fulfil for a callout to a webhook. */
export type WebhookCondition = ConditionGroup | Expression;

export interface ConditionGroup {
  readonly kind: 'all' | 'any';
  readonly items: readonly WebhookCondition[];
}

/** A comparison of one field. */
export interface Expression {
  readonly kind: 'expression';
  readonly op: string;
  /** The shown name, such as `previous.status`. */
  readonly name: string;
  readonly isUdf: boolean;
  /** As given; undefined: the operator has no value. */
  readonly value: unknown;
  /** Whether it is the value before the event. */
  readonly isPrevious: boolean;
  /** Undefined: the field no longer exists, and the value is unknown. */
  readonly field: FieldRef | undefined;
  /** Undefined: the value cannot be compared with the field as it is now. */
  readonly test: OneOfCondition | OrderCondition | TextCondition | ChangeTest | undefined;
}

/** Whether a field was changed; `to` and `from` are in wire form and folded, null means empty, undefined anything. */
export interface ChangeTest {
  readonly kind: 'change';
  readonly operator: ChangeOperator;
  readonly value: string | null | undefined;
}

/** A condition as the API has it. */
export function printCondition(condition: WebhookCondition): Readonly<Record<string, unknown>> {
  if (condition.kind !== 'expression') {
    return { op: condition.kind === 'all' ? 'and' : 'or', items: condition.items.map(printCondition) };
  }
  const { op, name, isUdf, value } = condition;
  return { op, field: name, ...(isUdf && { udf: true }), ...(value !== undefined && { value }) };
}

/** The expressions of a condition, in their order. */
export function expressionsOf(condition: WebhookCondition): readonly Expression[] {
  return condition.kind === 'expression' ? [condition] : condition.items.flatMap(expressionsOf);
}
