import type { FieldChoice } from '../webhook-form/field-choices-query.ts';

/** A condition as the form holds it: a group whose items are expressions and groups. */
export interface GroupDraft {
  readonly op: 'and' | 'or';
  readonly items: readonly (GroupDraft | ExpressionDraft)[];
}

export interface ExpressionDraft {
  readonly op: string;
  /** With `previous.` before it for the value before the event; empty: none is chosen yet. */
  readonly field: string;
  readonly udf?: true;
  readonly value?: unknown;
}

export const isGroup = (part: GroupDraft | ExpressionDraft): part is GroupDraft => 'items' in part;

export const newExpression: ExpressionDraft = { op: 'eq', field: '', value: '' };

/** The condition in a text of JSON; a single expression is shown as a group of one. Empty: no condition. */
export function draftOf(text: string): GroupDraft {
  if (text === '') return { op: 'and', items: [] };
  const condition = JSON.parse(text) as GroupDraft | ExpressionDraft;
  return isGroup(condition) ? condition : { op: 'and', items: [condition] };
}

/** The text of a condition; a group of one expression is that expression, and an empty one is none. */
export function textOf(group: GroupDraft): string {
  const [first] = group.items;
  if (first === undefined) return '';
  return JSON.stringify(group.items.length === 1 && !isGroup(first) ? first : group);
}

const words: Readonly<Record<string, string>> = {
  eq: 'is',
  noteq: 'is not',
  gt: 'is greater than',
  gte: 'is at least',
  lt: 'is less than',
  lte: 'is at most',
  in: 'is one of',
  notIn: 'is none of',
  beginsWith: 'begins with',
  endsWith: 'ends with',
  contains: 'contains',
  exist: 'has a value',
  notExist: 'has no value',
  changed: 'changed',
  changedTo: 'changed to',
  changedFrom: 'changed from',
};

const withoutValue: ReadonlySet<string> = new Set(['exist', 'notExist', 'changed']);
export const takesList = (op: string): boolean => op === 'in' || op === 'notIn';
export const takesValue = (op: string): boolean => !withoutValue.has(op);

/** The operators that fit a type of values. */
export function operatorsOf(type: string, isPrevious: boolean): { value: string; label: string }[] {
  const fits = (op: string) => {
    if (op.startsWith('changed')) return !isPrevious;
    if (['gt', 'gte', 'lt', 'lte'].includes(op)) return type !== 'boolean';
    return !['beginsWith', 'endsWith', 'contains'].includes(op) || type === 'string';
  };
  return Object.entries(words).flatMap(([value, label]) => (fits(value) ? [{ value, label }] : []));
}

/** An expression with another operator, whose value has the form that the operator takes. */
export function withOperator({ value, ...expression }: ExpressionDraft, op: string): ExpressionDraft {
  if (!takesValue(op)) return { ...rest(expression), op };
  const single = Array.isArray(value) ? (value as unknown[])[0] : value;
  const many = Array.isArray(value) ? value : [value].filter((one) => one !== undefined && one !== '');
  return { ...rest(expression), op, value: takesList(op) ? many : (single ?? '') };
}

/** In the order in which the API prints the keys, so that equal conditions are equal texts. */
function rest({ field, udf }: ExpressionDraft) {
  return { op: '', field, ...(udf && { udf }) };
}

const prefix = 'previous.';

/** The field that an expression names, and whether its value before the event is meant. */
export function fieldOf({ field, udf }: ExpressionDraft, choices: readonly FieldChoice[]) {
  const find = (name: string) => choices.find((one) => one.name === name && one.isUserDefined === (udf === true));
  const exact = find(field);
  if (exact !== undefined || !field.startsWith(prefix)) return { choice: exact, isPrevious: false };
  return { choice: find(field.slice(prefix.length)), isPrevious: true };
}

/** An expression about another field or moment. Operators that do not fit it become `is`. */
export function withField(expression: ExpressionDraft, choice: FieldChoice, isPrevious: boolean): ExpressionDraft {
  const { op } = expression;
  const field = `${isPrevious ? prefix : ''}${choice.name}`;
  const fitting = operatorsOf(choice.type, isPrevious).some(({ value }) => value === op) ? op : 'eq';
  const named = { ...expression, field };
  const { udf: _udf, ...ofSystem } = named;
  return withOperator(choice.isUserDefined ? { ...named, udf: true } : ofSystem, fitting);
}
