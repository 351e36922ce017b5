import type { DataType } from './data-types.ts';
import { canonicalDecimal } from './decimal.ts';
import { canonicalInstant } from './instant.ts';
import { textOf } from './text-of.ts';
import type { ProblemCode } from '../problem-code.ts';

/**
 * A field value in wire form, the only form the service stores, compares and sends: text as it is, numbers in plain
 * decimal (`"5"`, `"0.1"`), booleans `"true"` / `"false"`, instants `"2025-09-15T15:10:00Z"`. null = known to be empty.
 */
export type FieldValue = string | null;

/** Values by field name (camelCase) or by the id of a user-defined field. An absent key was never given. */
export type FieldValues = Record<string, FieldValue>;

/** The part of a field's definition that the rules for a value need. `length` is the maximum length, 0: no limit. */
export interface ValueDefinition {
  readonly name: string;
  readonly dataType: DataType;
  readonly length: number;
  /** The values of a picklist; none defined: any integer. */
  readonly picklistValues?: readonly { readonly value: string }[];
  /** Integers beside those values are accepted, too. */
  readonly takesOtherValues?: boolean;
}

/** `message` is a sentence that begins with the field's name. */
export type WireResult =
  | { readonly ok: true; readonly value: FieldValue }
  | { readonly ok: false; readonly code: ProblemCode; readonly message: string };

const empty: WireResult = { ok: true, value: null };
const yes: WireResult = { ok: true, value: 'true' };
const no: WireResult = { ok: true, value: 'false' };

const maxInteger = 2 ** 31 - 1;
const maxLong = Number.MAX_SAFE_INTEGER;

/** Values keyed by names that users choose: without a prototype, because a name may be `__proto__`. */
export function emptyFieldValues(): FieldValues {
  return Object.create(null) as FieldValues;
}

/**
 * A value of a request body in wire form, where equal values are equal strings. Numbers and booleans may arrive quoted
 * (`"5"`, `"True"`), booleans also as 1 and 0, instants with or without an offset (none = UTC) or as a date alone.
 */
export function toWireValue(definition: ValueDefinition, input: unknown): WireResult {
  return input === null ? empty : readers[definition.dataType](definition, input);
}

/** A wire value as typed JSON, for reads. The value of a list stays text, as in its metadata. */
export function fromWireValue(
  { dataType }: Pick<ValueDefinition, 'dataType'>,
  value: FieldValue,
): string | number | boolean | null {
  if (value === null) return null;
  if (dataType === 'boolean') return value === 'true';
  return numericTypes.has(dataType) ? Number(value) : value;
}

const numericTypes: ReadonlySet<DataType> = new Set(['integer', 'long', 'double', 'decimal']);

const readers: Readonly<Record<DataType, (definition: ValueDefinition, input: unknown) => WireResult>> = {
  string: textValue,
  integer: (definition, input) => integerValue(definition, input, -maxInteger - 1, maxInteger),
  long: (definition, input) => integerValue(definition, input, -maxLong, maxLong),
  list: (definition, input) => integerValue(definition, input, 0, maxLong),
  double: decimalValue,
  decimal: decimalValue,
  boolean: booleanValue,
  datetime: instantValue,
};

const refuse = (definition: ValueDefinition, what: string, code: ProblemCode = 'invalidType'): WireResult => ({
  ok: false,
  code,
  message: `${definition.name} ${what}`,
});

function textValue(definition: ValueDefinition, value: unknown): WireResult {
  const input = typeof value === 'string' ? value : textOf(value);
  if (typeof input !== 'string') return refuse(definition, 'must be a string');
  if (definition.length > 0 && input.length > definition.length) {
    return refuse(definition, `must be ${definition.length} characters or fewer`, 'tooLong');
  }
  if (input.includes('\0')) return refuse(definition, 'must not contain the character U+0000', 'invalid');
  // Text cut between the halves of a pair is common in older products. PostgreSQL cannot store half a pair.
  return { ok: true, value: input.isWellFormed() ? input : input.toWellFormed() };
}

function integerValue(definition: ValueDefinition, input: unknown, min: number, max: number): WireResult {
  const value = typeof input === 'number' && Number.isInteger(input) ? String(input) : integerText(input);
  if (value === undefined || !(Number(value) >= min && Number(value) <= max)) {
    const code = value === undefined ? 'invalidType' : 'invalid';
    return refuse(definition, `must be an integer from ${min} to ${max}`, code);
  }
  const { picklistValues = [], takesOtherValues = false } = definition;
  if (!takesOtherValues && picklistValues.length > 0 && !picklistValues.some((one) => one.value === value)) {
    return refuse(definition, `must be one of its defined values, which ${value} is not`, 'invalid');
  }
  return { ok: true, value };
}

/** The canonical form of an integer, in any decimal notation; one of too many digits is beyond every range. */
function integerText(input: unknown): string | undefined {
  if (typeof input !== 'string' && typeof input !== 'number') return undefined;
  const decimal = canonicalDecimal(String(input));
  if (decimal.ok) return decimal.value.includes('.') ? undefined : decimal.value;
  return decimal.code === 'invalid' ? 'Infinity' : undefined;
}

function decimalValue(definition: ValueDefinition, input: unknown): WireResult {
  if (typeof input !== 'string' && !(typeof input === 'number' && Number.isFinite(input))) {
    return refuse(definition, 'must be a number');
  }
  const decimal = canonicalDecimal(String(input));
  return decimal.ok ? decimal : refuse(definition, decimal.message, decimal.code);
}

function booleanValue(definition: ValueDefinition, input: unknown): WireResult {
  if (input === true || input === 'true' || input === 1 || input === '1') return yes;
  if (input === false || input === 'false' || input === 0 || input === '0') return no;
  const folded = typeof input === 'string' && input.length <= 5 ? input.toLowerCase() : '';
  if (folded === 'true') return yes;
  return folded === 'false' ? no : refuse(definition, 'must be true or false');
}

function instantValue(definition: ValueDefinition, input: unknown): WireResult {
  const value = typeof input === 'string' ? canonicalInstant(input) : undefined;
  return value === undefined
    ? refuse(definition, 'must be a date and time such as 2025-09-15T15:10:00Z')
    : { ok: true, value };
}
