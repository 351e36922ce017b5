import type { DataType } from '../catalogue/catalogue.ts';
import type { FieldValue } from '../values/values.ts';

/** The field of a condition. */
export interface FieldRef {
  /** The field's canonical name, or the user-defined field's name as defined. */
  readonly name: string;
  readonly dataType: DataType;
  /** Id of the definition; null for a field of the collection itself. */
  readonly udfId: number | null;
}

export type OrderOperator = 'gt' | 'gte' | 'lt' | 'lte';
export type TextOperator = 'beginsWith' | 'endsWith' | 'contains';

/**
 * One condition of a filter, or a group. Values are in wire form and folded (see foldText), so equal is equal text.
 *
 * A field that is null and a field whose value was never given are alike: *empty*. Reads show both as null, so no
 * caller could distinguish them. An empty text is a value.
 *
 * | Operator                       | a field with a value                             | an empty field             |
 * |--------------------------------|--------------------------------------------------|----------------------------|
 * | `eq v`, `in [v, …]`            | equals it, or one of them                        | only when null is among v  |
 * | `noteq v`, `notIn [v, …]`      | the exact opposite of `eq`, `in`                 | yes, unless null is among v|
 * | `exist`, `notExist`            | yes, no                                          | no, yes                    |
 * | `gt gte lt lte`                | by order                                         | never                      |
 * | `beginsWith endsWith contains` | by its text; an empty operand fits every value   | never                      |
 *
 * So `noteq` finds empty fields, as *anything other than* the value: every row is found by `eq` or by `noteq`. Numbers
 * are ordered as numbers, datetimes as instants, text by the code points of the folded form (a digit comes before a
 * letter, `z` before `é`, whatever the language). Booleans have no order.
 */
export type Condition = AllCondition | AnyCondition | OneOfCondition | OrderCondition | TextCondition;

/** `and`; without conditions it is true. */
export interface AllCondition {
  readonly kind: 'all';
  readonly of: readonly Condition[];
}

/** `or`. */
export interface AnyCondition {
  readonly kind: 'any';
  readonly of: readonly Condition[];
}

/** `eq`, `in`, `notExist` (null alone), and negated `noteq`, `notIn`, `exist`. */
export interface OneOfCondition {
  readonly kind: 'oneOf';
  readonly field: FieldRef;
  /** Never empty; null means an empty field. */
  readonly values: readonly FieldValue[];
  readonly isNegated: boolean;
}

export interface OrderCondition {
  readonly kind: 'order';
  readonly field: FieldRef;
  readonly operator: OrderOperator;
  readonly value: string;
}

export interface TextCondition {
  readonly kind: 'text';
  readonly field: FieldRef;
  readonly operator: TextOperator;
  readonly value: string;
}

/** A user-defined field by the id of the definition, with the name as defined. */
export interface UdfRef {
  readonly id: number;
  readonly name: string;
}

/** The fields that a response shows. */
export interface IncludedFields {
  /** Canonical names; `id` is always among them. */
  readonly fields: readonly string[];
  readonly udfs: 'all' | readonly UdfRef[];
}

/** A parsed and validated query. Rows come in order of id. */
export interface Query {
  /** Rows of a page, 1 to 500. */
  readonly maxRecords: number;
  /** Null for all fields. */
  readonly includeFields: IncludedFields | null;
  /** `all` of the filter's siblings; without any: every row. */
  readonly filter: Condition;
}

/** The condition of an empty filter: every row. */
export const everything: Condition = { kind: 'all', of: [] };

/** The data types whose values are ordered as numbers. */
export const numericTypes: ReadonlySet<DataType> = new Set(['integer', 'long', 'double', 'decimal', 'list']);
