import { allUdfs } from './parse-query.ts';
import type { Condition, FieldRef, OneOfCondition, Query } from '../condition.ts';

/**
 * A query in its grammar, as a canonical text: queries that differ only in spelling (case of keys and names, quoted
 * numbers, time zones, absent defaults) print alike, and parseQuery reads the text back as the same query.
 */
export function printQuery({ maxRecords, includeFields, filter }: Query): string {
  return JSON.stringify({
    MaxRecords: maxRecords,
    IncludeFields: includeFields && [
      ...includeFields.fields,
      ...(includeFields.udfs === 'all' ? [allUdfs] : includeFields.udfs.map(({ name }) => name)),
    ],
    Filter: filter.kind === 'all' ? filter.of.map(printCondition) : [printCondition(filter)],
  });
}

type Printed = Readonly<Record<string, unknown>>;

function printCondition(condition: Condition): Printed {
  if (condition.kind === 'all') return { op: 'and', items: condition.of.map(printCondition) };
  if (condition.kind === 'any') return { op: 'or', items: condition.of.map(printCondition) };
  if (condition.kind === 'oneOf') return { ...printOneOf(condition), ...printField(condition.field) };
  return { op: condition.operator, value: condition.value, ...printField(condition.field) };
}

/** Uses the operator with the fewest OR branches: a list counts them, one value does not. */
function printOneOf({ values, isNegated }: OneOfCondition): Printed {
  const [value] = values;
  if (values.length > 1) return { op: isNegated ? 'notIn' : 'in', value: values };
  if (value === null) return { op: isNegated ? 'exist' : 'notExist' };
  return { op: isNegated ? 'noteq' : 'eq', value };
}

function printField({ name, udfId }: FieldRef): Printed {
  return udfId === null ? { field: name } : { field: name, udf: true };
}
