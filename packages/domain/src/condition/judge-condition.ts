import type { Action } from '../event.ts';
import type { PreviousValues } from '../previous-values.ts';
import type { FieldRef } from '../query/condition.ts';
import { passesFolded } from '../query/evaluate.ts';
import { foldText } from '../query/fold-text.ts';
import { searchKey } from '../query/searched-record.ts';
import type { FieldValue, FieldValues } from '../values/values.ts';
import { createTextTree, textsIn, type TextTree } from './text-search.ts';
import { expressionsOf, type ChangeTest, type Expression, type WebhookCondition } from './webhook-condition.ts';

/** What a condition sees of an event. */
export interface ConditionInput {
  readonly action: Action;
  readonly recordId: number;
  /** The values right after the event; of a delete the last known ones. */
  readonly fields: FieldValues;
  readonly udfFields: FieldValues;
  readonly changedFields: readonly string[];
  readonly changedUdfs: readonly number[];
  readonly previous: PreviousValues;
}

/** A condition prepared for many events: made once for each version of a webhook. */
export interface CompiledCondition {
  readonly condition: WebhookCondition;
  /** By the key of a value; of values that several texts are looked for in. */
  readonly searches: ReadonlyMap<string, TextTree>;
}

export function compileCondition(condition: WebhookCondition): CompiledCondition {
  const wanted = new Map<string, Set<string>>();
  for (const { field, isPrevious, test } of expressionsOf(condition)) {
    if (field === undefined || test?.kind !== 'text' || test.operator !== 'contains' || test.value === '') continue;
    const key = keyOf(field, isPrevious);
    const texts = wanted.get(key) ?? new Set();
    wanted.set(key, texts.add(test.value));
  }
  return { condition, searches: new Map([...wanted].map(([key, texts]) => [key, createTextTree([...texts])])) };
}

/** Whether an event fulfils a condition. */
export function fulfils(input: ConditionInput, compiled: CompiledCondition): boolean {
  const seen = seenBy(input, compiled);
  const judge = (part: WebhookCondition): boolean => {
    if (part.kind === 'expression') return seen.holds(part);
    return part.kind === 'all' ? part.items.every(judge) : part.items.some(judge);
  };
  return judge(compiled.condition);
}

/** The result of a part of a condition, with the compared values. */
export type JudgedPart =
  | { readonly kind: 'all' | 'any'; readonly holds: boolean; readonly items: readonly JudgedPart[] }
  | {
      readonly kind: 'expression';
      readonly holds: boolean;
      readonly expression: Expression;
      /** The compared value: null is empty, undefined is unknown. */
      readonly value: FieldValue | undefined;
      /** Of an operator about changes: the value before the event. */
      readonly previous: FieldValue | undefined;
    };

/** The result of every part, also of parts that decide nothing. */
export function judgeParts(input: ConditionInput, compiled: CompiledCondition): JudgedPart {
  const seen = seenBy(input, compiled);
  const judge = (part: WebhookCondition): JudgedPart => {
    if (part.kind !== 'expression') {
      const items = part.items.map(judge);
      const holds = part.kind === 'all' ? items.every((one) => one.holds) : items.some((one) => one.holds);
      return { kind: part.kind, holds, items };
    }
    const { field, isPrevious } = part;
    const [value, previous] = [isPrevious, true].map((before) => field && valueOf(input, field, before));
    return { kind: 'expression', holds: seen.holds(part), expression: part, value, previous };
  };
  return judge(compiled.condition);
}

interface Seen {
  readonly holds: (expression: Expression) => boolean;
}

/** Texts up to this product of lengths are searched directly. */
const smallProduct = 4096;

function seenBy(input: ConditionInput, { searches }: CompiledCondition): Seen {
  const textsByInput = new Map<string, ReadonlySet<string>>();
  const contains = (key: string, text: string, wanted: string): boolean => {
    const tree = searches.get(key);
    if (tree === undefined || wanted === '' || text.length * wanted.length <= smallProduct) {
      return text.includes(wanted);
    }
    const texts = textsByInput.get(key) ?? textsIn(tree, text);
    textsByInput.set(key, texts);
    return texts.has(wanted);
  };
  return {
    holds({ op, field, test, isPrevious }) {
      const value = field && foldedValue(input, field, isPrevious);
      if (test?.kind === 'change') return field !== undefined && hasChanged(input, field, test);
      // Unknown: a value that was never given is only missing here.
      if (field === undefined || value === undefined || test === undefined) return op === 'notExist';
      if (test.kind !== 'text' || test.operator !== 'contains') return passesFolded(test, () => value);
      return value !== null && contains(keyOf(field, isPrevious), value, test.value);
    },
  };
}

/** What a change was to or from must be known; the event states the change itself. */
function hasChanged(input: ConditionInput, field: FieldRef, { operator, value }: ChangeTest): boolean {
  if (!isChanged(input, field)) return false;
  return operator === 'changed' || foldedValue(input, field, operator === 'changedFrom') === value;
}

function isChanged({ changedFields, changedUdfs }: ConditionInput, { name, udfId }: FieldRef): boolean {
  return udfId === null ? changedFields.includes(name) : changedUdfs.includes(udfId);
}

/** A value in wire form; undefined: it is not known. A value that an event did not change was the same before. */
function valueOf(input: ConditionInput, field: FieldRef, isPrevious: boolean): FieldValue | undefined {
  if (isPrevious && input.action === 'Create') return undefined;
  if (field.udfId === null && field.name === 'id') return String(input.recordId);
  const from = isPrevious && isChanged(input, field) ? input.previous : input;
  return field.udfId === null ? ownValue(from.fields, field.name) : ownValue(from.udfFields, String(field.udfId));
}

/** Own keys only: values that were parsed from JSON have a prototype. */
function ownValue(values: FieldValues, name: string): FieldValue | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

const foldedByEvent = new WeakMap<ConditionInput, Map<string, FieldValue | undefined>>();

/** The value as conditions compare it. Folded once for an event, however many webhooks look at it. */
function foldedValue(input: ConditionInput, field: FieldRef, isPrevious: boolean): FieldValue | undefined {
  const values = foldedByEvent.get(input) ?? new Map<string, FieldValue | undefined>();
  foldedByEvent.set(input, values);
  const key = keyOf(field, isPrevious);
  if (values.has(key)) return values.get(key);
  const value = valueOf(input, field, isPrevious);
  const folded = typeof value === 'string' ? foldText(value) : value;
  values.set(key, folded);
  return folded;
}

function keyOf(field: FieldRef, isPrevious: boolean): string {
  return `${isPrevious ? 'before' : 'after'} ${searchKey(field)}`;
}
