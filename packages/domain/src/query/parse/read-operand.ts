import { toWireValue, type FieldValue } from '../../values/values.ts';
import type { FieldRef } from '../condition.ts';
import { maxOrBranches, placeOf, refuse, type FilterReading } from './filter-reading.ts';
import { foldText } from '../fold-text.ts';

/**
 * The value of a condition in wire form, folded. The value has the field's type, as typed JSON or quoted, but may be
 * longer than the field or missing in the picklist: such a filter finds nothing.
 */
export function readOperand(
  reading: FilterReading,
  { name, dataType }: FieldRef,
  input: unknown,
  path: string,
): FieldValue | undefined {
  if (input === undefined) return refuse(reading, path, 'is required', 'required', name);
  const wire = toWireValue({ name: placeOf(path, name), dataType, length: 0 }, input);
  if (wire.ok) return wire.value === null ? null : foldText(wire.value);
  reading.problems.push({ code: wire.code, field: path, message: wire.message });
  return undefined;
}

/** The values of `in` or `notIn`, each once; every one given counts as an OR branch. */
export function readOperands(reading: FilterReading, field: FieldRef, input: unknown, path: string): FieldValue[] {
  if (!Array.isArray(input)) {
    refuse(reading, path, 'must be an array of values', 'invalidType', field.name);
    return [];
  }
  if (input.length === 0) refuse(reading, path, 'must hold at least one value', 'required', field.name);
  reading.orBranches += input.length;
  // A list that is too long is refused as a whole, later; reading the list would only add as many sentences.
  const items: unknown[] = input.slice(0, maxOrBranches);
  const values = items.map((item, index) => readOperand(reading, field, item, `${path}[${index}]`));
  return [...new Set(values.filter((value) => value !== undefined))];
}
