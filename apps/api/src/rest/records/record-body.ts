import type { EntityDefinition, FieldDefinition } from '@callout/domain/catalogue/catalogue';
import { Problem, type ProblemDetail } from '@callout/domain/problem';
import { toWireInstant } from '@callout/domain/values/instant';
import { type FieldValues, toWireValue } from '@callout/domain/values/values';
import { collectUnknownNames, mostUnknownNames, type UnknownName } from '@callout/domain/input/unknown-names';
import type { DailyNumber } from '@callout/pipeline/ingest/request.rules';
import { pathId } from '../../http/route/path-id.ts';
import type { UserDefinedFields } from '../events/user-defined-fields.ts';
import { duplicateKey, expectedField, givenFields, isObject } from '../events/given-fields.ts';
import type { ParentInPath } from './record-place.ts';
import { udfEntriesOfArray, udfWireValues, wireValues } from '../events/wire-values.ts';

/** The content of a record write, in wire form. */
export interface RecordBody {
  /** Null: the body names no id. */
  readonly id: number | null;
  readonly fields: FieldValues;
  /** By the id of the definition. */
  readonly udfFields: FieldValues;
  /** Fields of a new record that get the next number of the day. */
  readonly dailyNumbers?: readonly DailyNumber[];
  /** Names without a field, to be ignored. */
  readonly unknownNames: readonly UnknownName[];
}

/** Set by the service at creation; no caller can set them. */
const CREATION_TIMES = ['createDate', 'createDateTime'];

/**
 * The body of a POST. A created record is completely known: an absent field gets its default, or is null, and a field
 * with numbers by day is in `dailyNumbers`, since the number is taken when the record is stored. Read-only fields are
 * ignored, except fields of the creation (read-only and required). Throws a 400 Problem with every problem.
 * @param takesId whether a body may choose the id; otherwise any id is ignored.
 * @param parent the parent record of the path.
 */
export function readRecordCreate(
  entity: EntityDefinition,
  udfs: UserDefinedFields,
  body: unknown,
  { now, takesId, parent }: { now: Date; takesId: boolean; parent?: ParentInPath | undefined },
): RecordBody {
  const isSettable = (field: FieldDefinition) => !isId(field) && (!field.isReadOnly || field.isRequired);
  const idUse = takesId ? 'ofCreate' : 'ignored';
  const read = readBody(entity, udfs, body, { isSettable, idUse, parent });
  const dailyNumbers: DailyNumber[] = [];
  for (const field of entity.fields) {
    if (isId(field)) continue;
    if (!(field.name in read.fields)) {
      if (field.default?.kind === 'dailyNumber') {
        dailyNumbers.push({ field: field.name, prefix: field.default.prefix });
        continue;
      }
      read.fields[field.name] = field.default?.value ?? null;
    }
    if (field.isReadOnly && CREATION_TIMES.includes(field.name)) read.fields[field.name] = toWireInstant(now);
    else if (field.isRequired) requireValue(field, read);
  }
  for (const { id } of udfs.all) read.udfFields[id] ??= null;
  return { ...finish(read), dailyNumbers };
}

/** The body of a PATCH: only named fields change. Read-only fields are ignored. Throws a 400 Problem. */
export function readRecordPatch(
  entity: EntityDefinition,
  udfs: UserDefinedFields,
  body: unknown,
  parent?: ParentInPath,
): RecordBody {
  const read = readBody(entity, udfs, body, { isSettable: isWritable, parent });
  for (const field of entity.fields) {
    if (field.isRequired && field.name in read.fields) requireValue(field, read);
  }
  return finish(read);
}

/** The body of a PUT: absent writable fields become null. Read-only fields stay. Throws a 400 Problem. */
export function readRecordPut(
  entity: EntityDefinition,
  udfs: UserDefinedFields,
  body: unknown,
  parent?: ParentInPath,
): RecordBody {
  const read = readBody(entity, udfs, body, { isSettable: isWritable, parent });
  for (const field of entity.fields.filter(isWritable)) {
    read.fields[field.name] ??= null;
    if (field.isRequired) requireValue(field, read);
  }
  for (const { id } of udfs.all) read.udfFields[id] ??= null;
  return finish(read);
}

const idIsRequired = 'id is required: in the body, or at the end of the path';

/** The id of an update: in the path, in the body, or in both alike. Throws a 400 Problem without an id, or with two. */
export function recordIdOf(params: Readonly<Record<string, string>>, bodyId: number | null): number {
  const id = params['id'] === undefined ? bodyId : pathId(params['id']);
  if (id === null) throw Problem.invalid([{ code: 'required', field: 'id', message: idIsRequired }]);
  if (bodyId !== null && bodyId !== id) throw Problem.invalid(`id must be ${id}, as in the path`, 'id');
  return id;
}

/** The use of the id in a body. */
type IdUse = 'ofCreate' | 'ofUpdate' | 'ignored';

interface Reading {
  id: number | null;
  fields: FieldValues;
  udfFields: FieldValues;
  unknownNames: UnknownName[];
  problems: ProblemDetail[];
}

interface ReadingOptions {
  readonly isSettable: (field: FieldDefinition) => boolean;
  readonly idUse?: IdUse;
  readonly parent: ParentInPath | undefined;
}

function readBody(
  entity: EntityDefinition,
  udfs: UserDefinedFields,
  body: unknown,
  { isSettable, idUse = 'ofUpdate', parent }: ReadingOptions,
): Reading {
  if (!isObject(body)) throw Problem.notAnObject(body);
  const problems: ProblemDetail[] = [];
  const unknownNames: UnknownName[] = [];
  const names = collectUnknownNames(mostUnknownNames);
  const inputs = givenFields(entity, body, '', problems, (key) => {
    if (otherKeys.has(key.toLowerCase())) return;
    const unknown = names.find('', key, expectedField(entity));
    if (unknown !== undefined) unknownNames.push(unknown);
  });
  if (parent !== undefined) fixParent(inputs, parent, problems);
  let id: number | null = null;
  for (const [field, value] of inputs) {
    if (isId(field) && idUse !== 'ignored') id = readId('id', value, idUse, problems);
    if (!isSettable(field)) inputs.delete(field);
  }
  if (idUse === 'ofUpdate') id = withItemId(id, entity, body, problems);
  const entries = udfEntriesOfArray(userDefinedFieldsOf(body, problems), 'userDefinedFields', problems);
  const udfFields = udfWireValues(entries, udfs, problems, entity);
  return { id, fields: wireValues(inputs, '', problems), udfFields, unknownNames, problems };
}

/** The path names the parent: a body may omit or repeat the parent's id. */
function fixParent(
  inputs: Map<FieldDefinition, unknown>,
  { field, id }: ParentInPath,
  problems: ProblemDetail[],
): void {
  const wire = toWireValue(field, inputs.get(field) ?? null);
  if (!wire.ok) problems.push({ code: wire.code, field: field.name, message: wire.message });
  else if (wire.value !== null && wire.value !== String(id)) {
    const message = `${field.name} is ${wire.value} in the body and ${id} in the path`;
    problems.push({ code: 'invalid', field: field.name, message });
  }
  inputs.set(field, id);
}

/** Keys of a record's body without a field. */
const otherKeys: ReadonlySet<string> = new Set(['userdefinedfields', 'itemid']);

function userDefinedFieldsOf(body: Readonly<Record<string, unknown>>, problems: ProblemDetail[]): unknown {
  const keys = Object.keys(body).filter((key) => key.toLowerCase() === 'userdefinedfields');
  const [key = 'userDefinedFields'] = keys;
  if (keys.length > 1) problems.push(duplicateKey('userDefinedFields'));
  return body[key];
}

/** The id of an update, also under `itemId`, unless `itemId` is a field: clients send back the key of a response. */
function withItemId(
  id: number | null,
  entity: EntityDefinition,
  body: Readonly<Record<string, unknown>>,
  problems: ProblemDetail[],
): number | null {
  const key = Object.keys(body).find((one) => one.toLowerCase() === 'itemid');
  if (key === undefined || entity.fieldByName(key) !== undefined) return id;
  const itemId = readId('itemId', body[key], 'ofUpdate', problems);
  if (id !== null && itemId !== null && itemId !== id) {
    const message = `itemId is ${itemId} and id is ${id}: give one of them`;
    problems.push({ code: 'invalid', field: 'itemId', message });
  }
  return id ?? itemId;
}

/** On create `""`, 0 and negative numbers mean no id: clients send them for a new record. */
function readId(key: 'id' | 'itemId', value: unknown, idUse: IdUse, problems: ProblemDetail[]): number | null {
  if (idUse === 'ofCreate' && value === '') return null;
  const wire = toWireValue({ name: key, dataType: 'long', length: 0 }, value);
  if (wire.ok && wire.value === null) return null;
  const id = wire.ok ? Number(wire.value) : 0;
  if (id >= 1) return id;
  if (idUse === 'ofCreate' && wire.ok) return null;
  problems.push({
    code: wire.ok ? 'invalid' : wire.code,
    field: key,
    message: `${key} must be a positive integer below 2^53`,
  });
  return null;
}

function requireValue(field: FieldDefinition, { fields, problems }: Reading): void {
  const value = fields[field.name];
  if (value !== null && value !== undefined && value !== '') return;
  if (problems.some((problem) => problem.field === field.name)) return;
  problems.push({ code: 'required', field: field.name, message: `${field.name} is required` });
}

function finish({ id, fields, udfFields, unknownNames, problems }: Reading): RecordBody {
  if (problems.length > 0) throw Problem.invalid(problems);
  return { id, fields, udfFields, unknownNames };
}

function isWritable(field: FieldDefinition): boolean {
  return !field.isReadOnly;
}

function isId(field: FieldDefinition): boolean {
  return field.name === 'id';
}
