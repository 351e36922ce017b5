import type { FieldRef, OneOfCondition, OrderCondition, TextCondition } from '../query/condition.ts';

/** Operators that compare an event with what was before it: only conditions of webhooks have them. */
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

/** What an event must fulfil so that a webhook gets a callout for it. */
export type WebhookCondition = ConditionGroup | Expression;

export interface ConditionGroup {
  readonly kind: 'all' | 'any';
  readonly items: readonly WebhookCondition[];
}

/** A comparison of one field. */
export interface Expression {
  readonly kind: 'expression';
  readonly op: string;
  /** The name as it is shown, such as `previous.status`. */
  readonly name: string;
  readonly isUdf: boolean;
  /** As it was given; undefined: the operator has none. */
  readonly value: unknown;
  /** Whether it is the value before the event. */
  readonly isPrevious: boolean;
  /** Undefined: there is no such field any more, so its value is unknown. */
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
