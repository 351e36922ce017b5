import { foldKeys, type OnUnknownKey } from '../../input/fold-keys.ts';
import { nearestHint } from '../../input/nearest-name.ts';
import { Problem, type ProblemDetail } from '../../problem.ts';
import { toWireValue } from '../../values/values.ts';
import type { QueryableCollection } from '../collection.ts';
import type { IncludedFields, Query, UdfRef } from '../condition.ts';
import { parseFilter } from './parse-filter.ts';
import { maxPageSize, queryKeys } from './query-schema.ts';
import { quote } from './quote.ts';

/** More names than fields in any collection. */
const mostNames = 1000;

/**
 * Reads `{"MaxRecords":1..500,"IncludeFields":[…],"Filter":[{"op","field","value","udf","items"}]}`. Keys, operators
 * and names ignore case, numbers may be quoted, an absent or null key has its default: 500, all fields, all rows.
 * Unknown keys are ignored, and passed to `onUnknown`.
 * @throws an `invalid` Problem with a sentence for each problem and its place.
 */
export function parseQuery(body: unknown, collection: QueryableCollection, onUnknown?: OnUnknownKey): Query {
  const folded = foldKeys(body, queryKeys, onUnknown);
  const problems: ProblemDetail[] = [];
  const query = {
    maxRecords: readMaxRecords(folded['MaxRecords'], problems),
    includeFields: readIncludeFields(folded['IncludeFields'], collection, problems),
    filter: parseFilter(folded['Filter'], { collection, problems, onUnknown }),
  };
  if (problems.length > 0) throw Problem.invalid(problems);
  return query;
}

function readMaxRecords(input: unknown, problems: ProblemDetail[]): number {
  const wire = toWireValue({ name: 'MaxRecords', dataType: 'integer', length: 0 }, input ?? null);
  if (wire.ok && wire.value === null) return maxPageSize;
  const maxRecords = wire.ok ? Number(wire.value) : 0;
  if (maxRecords < 1 || maxRecords > maxPageSize) {
    const message = `MaxRecords must be an integer from 1 to ${maxPageSize}`;
    problems.push({ code: wire.ok ? 'invalid' : wire.code, field: 'MaxRecords', message });
  }
  return maxRecords;
}

/** Includes every user-defined field at once. */
export const allUdfs = 'userDefinedFields';

/** `id` is always shown: without it a row could be neither read again nor changed. */
function readIncludeFields(
  input: unknown,
  collection: QueryableCollection,
  problems: ProblemDetail[],
): IncludedFields | null {
  if (input === undefined || input === null) return null;
  if (!Array.isArray(input)) {
    problems.push({ code: 'invalidType', field: 'IncludeFields', message: 'IncludeFields must be an array of names' });
    return null;
  }
  if (input.length > mostNames)
    throw Problem.invalid(`IncludeFields has more than ${mostNames} names`, 'IncludeFields');
  const fields = new Set(['id']);
  const udfs = new Map<number, UdfRef>();
  let hasAllUdfs = false;
  for (const [index, name] of input.entries()) {
    const path = `IncludeFields[${index}]`;
    const includedField = typeof name === 'string' ? findName(name, collection) : undefined;
    if (includedField === undefined) {
      const hint = typeof name === 'string' ? nearestHint(name, collection.fieldNames, problems) : '';
      const message = `${path} ${quote(name)} is no field of ${collection.name}${hint}`;
      problems.push({ code: 'unknownField', field: path, message });
    } else if (includedField === allUdfs) hasAllUdfs = true;
    else if (includedField.udf) udfs.set(includedField.udf.id, includedField.udf);
    else fields.add(includedField.name);
  }
  if (input.length === 0) return null;
  return { fields: [...fields], udfs: hasAllUdfs ? 'all' : [...udfs.values()] };
}

function findName(
  name: string,
  collection: QueryableCollection,
): typeof allUdfs | { name: string; udf?: UdfRef } | undefined {
  if (collection.udfByName && name.toLowerCase() === allUdfs.toLowerCase()) return allUdfs;
  const field = collection.fieldByName(name);
  if (field) return { name: field.name };
  const udf = collection.udfByName?.(name);
  return udf && { name: udf.name, udf: { id: udf.id, name: udf.name } };
}
