import { foldObject } from '../../input/fold-keys.ts';
import { Problem } from '../../problem.ts';
import { everything, type Condition } from '../condition.ts';
import { maxConditions, maxFilterDepth, refuse, refuseExcess, type FilterReading } from './filter-reading.ts';
import { judges, operatorByName, operatorNames } from './operators.ts';
import { conditionKeys } from './query-schema.ts';
import { quote } from './quote.ts';
import { readField } from './read-field.ts';
import { readLeaf } from './read-leaf.ts';

/**
 * Reads a filter; siblings are ANDed, none means every row. Adds problems to the problems of `start` and continues.
 * @throws an `invalid` Problem at once for a filter with too many conditions.
 */
export function parseFilter(
  input: unknown,
  start: Pick<FilterReading, 'collection' | 'problems' | 'onUnknown'>,
): Condition {
  if (input === undefined || input === null) return everything;
  const reading: FilterReading = { ...start, udfs: new Map(), conditions: 0, orBranches: 0 };
  const of = readItems(reading, input, 'Filter', 1);
  refuseExcess(reading);
  return { kind: 'all', of };
}

function readItems(reading: FilterReading, input: unknown, path: string, level: number): Condition[] {
  if (!Array.isArray(input)) {
    refuse(reading, path, 'must be an array of conditions', isAbsent(input) ? 'required' : 'invalidType');
    return [];
  }
  if (level > maxFilterDepth) {
    refuse(reading, path, `is level ${level} of the filter: at most ${maxFilterDepth} are allowed`, 'tooDeep');
    return [];
  }
  reading.conditions += input.length;
  if (reading.conditions > maxConditions) {
    throw Problem.invalid(`Filter has more than ${maxConditions} conditions`, 'Filter');
  }
  return input.flatMap((item: unknown, index) => readCondition(reading, item, `${path}[${index}]`, level) ?? []);
}

function readCondition(reading: FilterReading, input: unknown, path: string, level: number): Condition | undefined {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    return refuse(reading, path, 'must be an object with op, field and value', 'invalidType');
  }
  const { problems, onUnknown } = reading;
  const condition = foldObject(input as Record<string, unknown>, conditionKeys, `${path}.`, problems, onUnknown);
  const { op } = condition;
  const match = typeof op === 'string' ? operatorByName(op) : undefined;
  if (!match) {
    const [what, code] = isAbsent(op)
      ? (['is required', 'required'] as const)
      : ([`is ${quote(op)}, which is no operator`, 'unknownOperator'] as const);
    const fieldName =
      typeof condition['field'] === 'string' && condition['field'] !== '' ? condition['field'] : undefined;
    return refuse(reading, `${path}.op`, `${what}: use one of ${operatorNames.join(', ')}`, code, fieldName);
  }
  const { name, operator } = match;
  if (operator.kind === 'group') return readGroup(reading, operator.of, condition['items'], `${path}.items`, level);
  const field = readField(reading, condition, path);
  if (!field) return undefined;
  if (!judges(operator, field.dataType)) {
    const what = `${name} cannot judge ${quote(field.name)}, which is of type ${field.dataType}`;
    return refuse(reading, `${path}.op`, what, 'unsuitableOperator');
  }
  return readLeaf(reading, operator, field, condition['value'], `${path}.value`);
}

function readGroup(
  reading: FilterReading,
  kind: 'all' | 'any',
  items: unknown,
  path: string,
  level: number,
): Condition | undefined {
  if (Array.isArray(items) && items.length === 0)
    return refuse(reading, path, 'must hold at least one condition', 'required');
  if (kind === 'any' && Array.isArray(items)) reading.orBranches += items.length;
  return { kind, of: readItems(reading, items, path, level + 1) };
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}
