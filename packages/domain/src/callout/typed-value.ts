import type { FieldValue } from '../values/values.ts';

/** How the text of a field's values becomes JSON. */
export interface TypedField {
  /** Absent: text and instants, which stay as they are. */
  readonly type?: 'number' | 'boolean';
  /** The labels of a picklist, by value; pairs, since labels and values may be called anything. Absent: no picklist. */
  readonly labels?: readonly (readonly [value: string, label: string])[];
}

type JsonValue = string | number | boolean | null;

/** A value of the typed format. A picklist has the label beside the value; null: no value. */
export type TypedValue = JsonValue | { readonly value: JsonValue; readonly label: string | null };

/**
 * A value in wire form as the typed format has it. A number that a 64-bit float cannot hold digit for digit stays text,
 * which readers of JSON would round without a word. A value of another type stays text too, as after a change of the
 * catalogue.
 */
export function typedValue({ type, labels }: TypedField, value: FieldValue): TypedValue {
  if (value === null) return null;
  const json = jsonValue(type, value);
  if (labels === undefined) return json;
  return { value: json, label: labels.find(([one]) => one === value)?.[1] ?? null };
}

function jsonValue(type: TypedField['type'], value: string): JsonValue {
  if (type === 'boolean') return value === 'true' || (value === 'false' ? false : value);
  if (type !== 'number') return value;
  const number = Number(value);
  const isExact = String(number) === value && (!Number.isInteger(number) || Number.isSafeInteger(number));
  return isExact && Number.isFinite(number) ? number : value;
}
