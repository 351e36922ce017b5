import { z } from 'zod';
import { toWireValue, type ValueDefinition } from '../values/values.ts';

/** A `default` in a catalogue file: a value as in a request body, or a number that counts from 1 on every day. */
export const defaultSchema = z.union([
  z.string(),
  z.number(),
  z.boolean(),
  z.strictObject({ dailyNumber: z.string().max(10) }),
]);

/**
 * The value of a field in a record created without one: a value in wire form, or a number such as `T20261128.0001`,
 * unique in a tenant: prefix, day in UTC, and the place within the day.
 */
export type FieldDefault =
  { readonly kind: 'value'; readonly value: string } | { readonly kind: 'dailyNumber'; readonly prefix: string };

/** The part of a field's definition that decides about possible defaults. */
type DefaultedField = ValueDefinition & { readonly isRequired: boolean };

/** The default of a field in a catalogue file; a text says, after the field's name, why the default is impossible. */
export function readDefault(
  field: DefaultedField,
  defaultInput: z.output<typeof defaultSchema>,
): FieldDefault | string {
  if (field.isRequired) return 'is required, so its default would never be stored';
  if (typeof defaultInput !== 'object') {
    const wire = toWireValue(field, defaultInput);
    if (!wire.ok) return `has an unusable default: ${wire.message}`;
    return wire.value === null ? 'has an empty default' : { kind: 'value', value: wire.value };
  }
  const { dailyNumber: prefix } = defaultInput;
  const longest = dailyNumberText(prefix, mostOfDay);
  if (field.dataType !== 'string' || (field.length > 0 && longest.length > field.length)) {
    return `must be a text of at least ${longest.length} characters to be numbered by day`;
  }
  return { kind: 'dailyNumber', prefix };
}

/** The default as text, for metadata and documents. */
export function defaultText(fieldDefault: FieldDefault): string {
  return fieldDefault.kind === 'value' ? fieldDefault.value : `${fieldDefault.prefix}YYYYMMDD.NNNN`;
}

/** So many numbers of a day have a range of their own; more of them continue in the range of the next day. */
const numbersPerDay = 10_000_000;
const mostOfDay = 99_991_231 * numbersPerDay + numbersPerDay - 1;

/** Every number of the UTC day of a moment is larger than this, and than all numbers of the days before. */
export function beforeNumbersOf(moment: Date): number {
  return Number(moment.toISOString().slice(0, 10).replaceAll('-', '')) * numbersPerDay;
}

/** A number of a day for people, such as `T20261128.0001`. */
export function dailyNumberText(prefix: string, number: number): string {
  const day = Math.floor(number / numbersPerDay);
  return `${prefix}${day}.${String(number % numbersPerDay).padStart(4, '0')}`;
}
