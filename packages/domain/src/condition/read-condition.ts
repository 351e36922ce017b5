import { foldObject, type OnUnknownKey } from '../input/fold-keys.ts';
import { booleanInput } from '../input/input-schemas.ts';
import { nearestHint } from '../input/nearest-name.ts';
import { mostUnknownNames } from '../input/unknown-names.ts';
import { Problem, type ProblemDetail } from '../problem.ts';
import { maxOrBranches, refuse, type FilterReading } from '../query/parse/filter-reading.ts';
import { judges, operatorByName, operatorNames, type Operator } from '../query/parse/operators.ts';
import { quote } from '../query/parse/quote.ts';
import { readField } from '../query/parse/read-field.ts';
import { readLeaf } from '../query/parse/read-leaf.ts';
import { readOperand } from '../query/parse/read-operand.ts';
import type { ConditionFields } from './condition-fields.ts';
import { webhookConditionKeys } from './condition-schema.ts';
import {
  changeOperatorNames,
  maxConditionLength,
  maxContainsLength,
  maxExpressions,
  maxLevels,
  printCondition,
  type ChangeOperator,
  type Expression,
  type WebhookCondition,
} from './webhook-condition.ts';

interface Reading extends FilterReading {
  readonly collection: ConditionFields;
  expressions: number;
}

type Given = Readonly<Record<string, unknown>>;

const prefix = 'previous.';
const longestKey = 80;
const mostItems = maxExpressions * maxLevels;
const changeOperators = new Map<string, ChangeOperator>(changeOperatorNames.map((name) => [name.toLowerCase(), name]));

/**
 * Reads a condition. Keys, operators and names ignore case. Adds a sentence with the place to `problems` for every
 * mistake, also for an unknown key: without the key, more callouts might be sent. Refused parts are left out of an
 * expression, so a stored condition can be judged when a field is gone.
 * @throws an `invalid` Problem at once for a condition with too many parts.
 */
export function readCondition(
  input: unknown,
  collection: ConditionFields,
  problems: ProblemDetail[],
): WebhookCondition {
  const onUnknown: OnUnknownKey = (key, path, knownKeys) => {
    if (problems.length >= mostUnknownNames) return;
    const hint = nearestHint(key, knownKeys.exact.keys(), problems);
    refuse({ problems }, `${path}${key.slice(0, longestKey)}`, `is no key of a condition${hint}`, 'unknownKey');
  };
  const reading = { collection, problems, onUnknown, udfs: new Map(), conditions: 1, orBranches: 0, expressions: 0 };
  const condition = readPart(reading, input, 'condition', 1);
  if (reading.expressions > maxExpressions) {
    const what = `has ${reading.expressions} expressions: at most ${maxExpressions} are allowed`;
    refuse(reading, 'condition', what, 'tooManyBranches');
  }
  if (reading.orBranches > maxOrBranches) {
    const what = `has ${reading.orBranches} values of in and notIn: at most ${maxOrBranches} are allowed`;
    refuse(reading, 'condition', what, 'tooManyBranches');
  }
  if (problems.length === 0 && JSON.stringify(printCondition(condition)).length > maxConditionLength) {
    refuse(reading, 'condition', `must be ${maxConditionLength} characters of JSON or fewer`, 'tooLong');
  }
  return condition;
}

const nothing: WebhookCondition = { kind: 'any', items: [] };

function readPart(reading: Reading, input: unknown, path: string, level: number): WebhookCondition {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    refuse(reading, path, 'must be an object with op, field and value', 'invalidType');
    return nothing;
  }
  if (level > maxLevels) {
    refuse(reading, path, `is level ${level} of the condition: at most ${maxLevels} are allowed`, 'tooDeep');
    return nothing;
  }
  const { problems, onUnknown } = reading;
  const part = foldObject(input as Record<string, unknown>, webhookConditionKeys, `${path}.`, problems, onUnknown);
  const { op } = part;
  const change = typeof op === 'string' ? changeOperators.get(op.toLowerCase()) : undefined;
  if (change !== undefined) return readChange(reading, change, part, path);
  const match = typeof op === 'string' ? operatorByName(op) : undefined;
  if (match === undefined) {
    const isAbsent = op === undefined || op === null;
    const what = isAbsent ? 'is required' : `is ${quote(op)}, which is no operator`;
    const names = [...operatorNames, ...changeOperatorNames].join(', ');
    refuse(reading, `${path}.op`, `${what}: use one of ${names}`, isAbsent ? 'required' : 'unknownOperator');
    return nothing;
  }
  const { name, operator } = match;
  if (operator.kind !== 'group') return readComparison(reading, name, operator, part, path);
  return { kind: operator.of, items: readItems(reading, part['items'], `${path}.items`, level + 1) };
}

function readItems(reading: Reading, items: unknown, path: string, level: number): WebhookCondition[] {
  if (!Array.isArray(items) || items.length === 0) {
    const isWrong = items !== undefined && items !== null && !Array.isArray(items);
    refuse(reading, path, 'must hold at least one condition', isWrong ? 'invalidType' : 'required');
    return [];
  }
  reading.conditions += items.length;
  if (reading.conditions > mostItems) {
    throw Problem.invalid(`condition has more than ${mostItems} groups and expressions`, 'condition');
  }
  return items.map((item: unknown, index) => readPart(reading, item, `${path}[${index}]`, level));
}

function readComparison(
  reading: Reading,
  op: string,
  operator: Exclude<Operator, { kind: 'group' }>,
  part: Given,
  path: string,
): Expression {
  const named = readName(reading, op, part, path);
  const { field } = named;
  const value = operator.kind === 'existence' ? undefined : part['value'];
  if (field === undefined) return { ...named, value, test: undefined };
  if (!judges(operator, field.dataType)) {
    refuseType(reading, op, named, path);
    return { ...named, value, test: undefined };
  }
  const test = readLeaf(reading, operator, field, value, `${path}.value`);
  if (test?.kind === 'text' && test.operator === 'contains' && test.value.length > maxContainsLength) {
    const what = `must be ${maxContainsLength} characters or fewer`;
    refuse(reading, `${path}.value`, what, 'tooLong', named.name);
  }
  return { ...named, value, test };
}

function readChange(reading: Reading, operator: ChangeOperator, part: Given, path: string): Expression {
  const named = readName(reading, operator, part, path);
  const { field, isPrevious } = named;
  if (isPrevious) {
    const what = `is ${operator}, which compares with the value before by itself: leave out ${prefix}`;
    refuse(reading, `${path}.op`, what, 'unsuitableOperator', named.name);
  }
  if (operator === 'changed')
    return { ...named, value: undefined, test: { kind: 'change', operator, value: undefined } };
  const value = field && readOperand(reading, field, part['value'], `${path}.value`);
  return {
    ...named,
    value: part['value'],
    test: value === undefined ? undefined : { kind: 'change', operator, value },
  };
}

function refuseType(reading: Reading, op: string, { name, field }: Pick<Expression, 'name' | 'field'>, path: string) {
  const what = `${op} cannot judge ${quote(name)}, which is of type ${field?.dataType}`;
  refuse(reading, `${path}.op`, what, 'unsuitableOperator');
}

/** The field of an expression, and whether its value before the event is meant. */
function readName(reading: Reading, op: string, part: Given, path: string): Omit<Expression, 'value' | 'test'> {
  reading.expressions += 1;
  const text = typeof part['field'] === 'string' ? part['field'] : '';
  const { collection } = reading;
  // A user-defined field may be called so.
  const isWholeName = booleanInput.safeParse(part['udf']).data === true && collection.udfByName?.(text) !== undefined;
  const isPrevious = text.toLowerCase().startsWith(prefix) && !isWholeName;
  const name = isPrevious ? text.slice(prefix.length) : text;
  const fieldRef = readField(reading, isPrevious ? { ...part, field: name } : part, path);
  const isHidden = fieldRef?.udfId === null && !collection.isVisible(fieldRef.name);
  if (isHidden) {
    refuse(reading, `${path}.field`, `${quote(fieldRef.name)} is not supported in webhooks`, 'notQueryable');
  }
  const field = isHidden ? undefined : fieldRef;
  const isUdf = fieldRef === undefined ? Boolean(part['udf']) : fieldRef.udfId !== null;
  return {
    kind: 'expression',
    op,
    name: `${isPrevious ? prefix : ''}${fieldRef?.name ?? name}`,
    isUdf,
    isPrevious,
    field,
  };
}
