import type { Body } from '../input/read-keys.ts';
import type { ProblemDetail } from '../problem.ts';
import { readKeys, refuseKey, type ReadOptions } from '../input/read-keys.ts';
import { toWireValue } from '../values/values.ts';
import { inputsOf } from './field-table.ts';
import { listValueFields } from './udf-definition-fields.ts';

/** One value of a list field: records contain the value, an integer as text, and people see the label. */
export interface UdfListValue {
  readonly value: string;
  readonly label: string;
}

const MAX_LIST_VALUES = 500;
const inputs = inputsOf(listValueFields);

/** Reads `listValues`; undefined when it is absent or wrong as a whole. Problems name the item. */
export function readListValues(
  body: Body,
  problems: ProblemDetail[],
  { nullIsAbsent = false }: Pick<ReadOptions, 'nullIsAbsent'> = {},
): UdfListValue[] | undefined {
  const items = body['listValues'];
  if (items === undefined || (nullIsAbsent && items === null)) return undefined;
  if (!Array.isArray(items) || items.length > MAX_LIST_VALUES) {
    const code = Array.isArray(items) ? 'invalid' : 'invalidType';
    refuseKey(problems, 'listValues', `must be an array of ${MAX_LIST_VALUES} objects or fewer`, code);
    return undefined;
  }
  const read = items.flatMap((item: unknown, index) => readListValue(item, `listValues[${index}]`, problems) ?? []);
  const values = new Set<string>();
  for (const { value } of read) {
    if (values.has(value)) refuseKey(problems, 'listValues', `has the value ${value} twice`, 'duplicate');
    values.add(value);
  }
  return read;
}

function readListValue(item: unknown, path: string, problems: ProblemDetail[]): UdfListValue | undefined {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) {
    refuseKey(problems, path, 'must be an object with value and label', 'invalidType');
    return undefined;
  }
  const body = item as Body;
  const wire = toWireValue({ name: `${path}.value`, dataType: 'list', length: 0 }, body['value'] ?? '');
  const { label } = readKeys(body, inputs, problems, { path: `${path}.`, nullIsAbsent: true, required: ['label'] });
  if (!wire.ok) problems.push({ code: wire.code, field: `${path}.value`, message: wire.message });
  return wire.ok && wire.value !== null && label !== undefined ? { value: wire.value, label } : undefined;
}
