import type { Catalogue, DataType, EntityDefinition, FieldDefinition } from '@callout/domain/catalogue/catalogue';
import { mostProblems, type ProblemDetail } from '@callout/domain/problem';
import { type Action, actions } from '@callout/domain/event';
import { toWireValue } from '@callout/domain/values/values';
import type { IngestEvent } from '@callout/pipeline/ingest/request.rules';
import { nearestHint } from '@callout/domain/input/nearest-name';
import { textOf } from '@callout/domain/values/text-of';
import { expectedField, givenFields, isObject } from './given-fields.ts';
import { udfEntriesOfObject, udfWireValues, wireValues } from './wire-values.ts';
import type { UserDefinedFields, UserDefinedFieldsOf } from './user-defined-fields.ts';
import { contentHash } from './content-hash.ts';

const MAX_PERSON_ID = 2 ** 31 - 1;
/** 1 to 100 visible ASCII characters. */
const EVENT_ID = /^[\x21-\x7e]{1,100}$/;

/** An event of a body, with keys in canonical spelling. */
export type GivenEvent = Readonly<Record<string, unknown>>;

export interface BatchContext {
  readonly catalogue: Catalogue;
  readonly userDefinedFieldsOf: UserDefinedFieldsOf;
  /** The actor of events without an actor. */
  readonly personId: number;
  /** Nothing is stored: an event that only Callout makes is allowed as well. */
  readonly isHypothetical?: boolean;
}

/**
 * Reads an event for the ingest. `where` is the path of the event, like `events[3].`, with which every problem begins.
 * Returns undefined when the fields cannot be read. Unknown names among the fields are left out.
 */
export function readEvent(
  event: GivenEvent,
  where: string,
  context: BatchContext,
  problems: ProblemDetail[],
  onUnknownField?: OnUnknownField,
): IngestEvent | undefined {
  const refuse: Refuse = (key, what, code = 'invalid') => {
    problems.push({ code, field: `${where}${key}`, message: `${where}${key} ${what}` });
  };
  const entity = readEntity(event, context, refuse);
  const action = readAction(event, refuse);
  const recordId = readId(event, 'id', Number.MAX_SAFE_INTEGER, refuse);
  const givenPersonId = readId(event, 'resourceID', MAX_PERSON_ID, refuse);
  const eventKey = readEventKey(event, refuse);
  const time = readValue(event, 'eventTime', 'datetime', refuse);
  if ((event['id'] ?? null) === null) refuse('id', 'is required', 'required');
  if (entity === undefined || action === undefined || recordId === null) return undefined;

  const udfs = context.userDefinedFieldsOf(entity);
  const fields = wireValues(readFields(event, entity, where, problems, onUnknownField), `${where}fields.`, problems);
  const entries = udfEntriesOfObject(event['userDefinedFields'], `${where}userDefinedFields`, problems);
  const udfFields = udfWireValues(entries, udfs, problems, entity);
  const changed = readChanged(event, entity, udfs, problems, refuse);
  const eventTime = time === null ? null : new Date(time);
  const personId = givenPersonId ?? context.personId;
  const content = { entityType: entity.entityType, action, recordId, personId, eventTime, fields, udfFields, changed };
  return { ...content, expects: 'anything', eventKey, contentHash: eventKey === null ? null : contentHash(content) };
}

/** Called for each unknown name among the fields of an event. */
export type OnUnknownField = (name: string, entity: EntityDefinition) => void;

/** Adds a problem with a key of the event; `what` continues a sentence after the key. */
type Refuse = (key: string, what: string, code?: ProblemDetail['code']) => void;

function readEntity(
  event: GivenEvent,
  { catalogue, isHypothetical = false }: BatchContext,
  refuse: Refuse,
): EntityDefinition | undefined {
  const input = event['entityType'];
  const entity = typeof input === 'string' ? catalogue.byEntityType(input) : undefined;
  if (entity?.supportsWebhookCallouts === true && (isHypothetical || !entity.isReadOnly)) return entity;
  if (entity?.isReadOnly === true) {
    refuse('entityType', `must not be ${entity.entityType}: Callout itself makes its events`);
    return undefined;
  }
  const writableTypes = catalogue.watched.filter((one) => !one.isReadOnly).map((one) => one.entityType);
  refuse('entityType', `must be one of ${writableTypes.join(', ')}`, codeOf(input));
  return undefined;
}

function readAction(event: GivenEvent, refuse: Refuse): Action | undefined {
  const input = event['action'];
  const folded = typeof input === 'string' ? input.toLowerCase() : '';
  const action = actions.find((one) => one === input || one.toLowerCase() === folded);
  if (action === undefined) refuse('action', `must be one of ${actions.join(', ')}`, codeOf(input));
  return action;
}

/** A positive integer, quoted or not; null when absent or null. */
function readId(event: GivenEvent, key: string, max: number, refuse: Refuse): number | null {
  const what = `must be an integer from 1 to ${max}`;
  const value = readValue(event, key, 'long', (_key, _what, code) => refuse(key, what, code));
  if (value === null) return null;
  const id = Number(value);
  if (id >= 1 && id <= max) return id;
  refuse(key, what);
  return null;
}

function readValue(event: GivenEvent, key: string, dataType: DataType, refuse: Refuse): string | null {
  const input = event[key];
  if (input === undefined) return null;
  const wire = toWireValue({ name: key, dataType, length: 0 }, input);
  if (wire.ok) return wire.value;
  refuse(key, wire.message.slice(key.length + 1), wire.code);
  return null;
}

function readEventKey(event: GivenEvent, refuse: Refuse): string | null {
  const { eventID } = event;
  if (eventID === undefined || eventID === null) return null;
  const input = typeof eventID === 'number' ? textOf(eventID) : eventID;
  if (typeof input === 'string' && EVENT_ID.test(input)) return input;
  refuse('eventID', 'must be 1 to 100 visible ASCII characters', codeOf(input));
  return null;
}

/**
 * The fields of the body, read-only fields included, since the caller keeps the record. The id is no field of the
 * record.
 */
function readFields(
  event: GivenEvent,
  entity: EntityDefinition,
  where: string,
  problems: ProblemDetail[],
  onUnknownField: OnUnknownField | undefined,
): Map<FieldDefinition, unknown> {
  const object = event['fields'] ?? {};
  if (!isObject(object)) {
    const field = `${where}fields`;
    problems.push({ code: 'invalidType', field, message: `${field} must be an object of names and values` });
    return new Map();
  }
  const input = givenFields(entity, object, `${where}fields.`, problems, (key) => onUnknownField?.(key, entity));
  const id = entity.fieldByName('id');
  if (id !== undefined) input.delete(id);
  return input;
}

/** The changed fields according to the caller: names of fields, and names or labels of user-defined fields. */
function readChanged(
  event: GivenEvent,
  entity: EntityDefinition,
  udfs: UserDefinedFields,
  problems: readonly ProblemDetail[],
  refuse: Refuse,
): IngestEvent['changed'] {
  const names = event['changedFields'];
  if (names === undefined || names === null) return null;
  if (!Array.isArray(names) || !names.every((name) => typeof name === 'string')) {
    refuse('changedFields', 'must be an array of field names', 'invalidType');
    return null;
  }
  const fields = new Set<string>();
  const udfIds = new Set<number>();
  for (const name of new Set(names)) {
    if (problems.length >= mostProblems) break;
    const field = entity.fieldByName(name);
    const udf = field === undefined ? udfs.find(name) : undefined;
    if (field !== undefined) fields.add(field.name);
    else if (udf !== undefined) udfIds.add(udf.id);
    else {
      const shown = JSON.stringify(name.slice(0, 100));
      const hint = nearestHint(name, expectedField(entity).known, problems);
      refuse('changedFields', `names ${shown}, which is no field of ${entity.entityType}${hint}`, 'unknownField');
    }
  }
  fields.delete('id');
  return { fields: [...fields], udfs: [...udfIds] };
}

/** The code for a refused text: absent, wrong type, or invalid. */
function codeOf(input: unknown): ProblemDetail['code'] {
  if (input === undefined || input === null || input === '') return 'required';
  return typeof input === 'string' ? 'invalid' : 'invalidType';
}
