import type { EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { Problem } from '@callout/domain/problem';
import { knownKeys, type OnUnknownKey } from '@callout/domain/input/fold-keys';
import {
  collectUnknownNames,
  expectedKey,
  mostUnknownNames,
  type UnknownName,
} from '@callout/domain/input/unknown-names';
import type { ApiContext } from '../../../api-context.ts';
import { expectedField } from '../../events/given-fields.ts';
import { readEvent, type GivenEvent, type OnUnknownField } from '../../events/read-event.ts';
import type { UserDefinedFields } from '../../metadata/user-defined-fields.ts';
import { judged } from '../../../http/route/read-parameters.ts';
import type { SimulatedEvent } from './simulate.ts';

/** The keys of a hypothetical event. */
export const eventKeys = knownKeys({
  entityType: null,
  action: null,
  id: null,
  resourceID: null,
  eventTime: null,
  fields: null,
  userDefinedFields: null,
  changedFields: null,
});

/** Takes note of the names that mean nothing in a simulation while its body is read. */
export function noteUnknownNames(entity: EntityDefinition) {
  const names = collectUnknownNames(mostUnknownNames);
  const found: UnknownName[] = [];
  const note = (name: UnknownName | undefined) => void (name && found.push(name));
  const onKey: OnUnknownKey = (key, path, expected) => note(names.find(path, key, expectedKey(expected)));
  /** An eventID is accepted and ignored, so that a real event can be pasted: a simulated one needs no id. */
  const onEventKey: OnUnknownKey = (key, ...where) => {
    if (key.toLowerCase() !== 'eventid') onKey(key, ...where);
  };
  const onField: OnUnknownField = (field) => note(names.find('fields.', field, expectedField(entity)));
  return { found, onKey, onEventKey, onField };
}

/** Reads an event as `POST /EntityEvents` would, except that the webhook determines its entity. */
export function readSimulatedEvent(
  { catalogue }: ApiContext,
  entity: EntityDefinition,
  udfs: UserDefinedFields,
  given: GivenEvent,
  personId: number,
  onUnknownField: OnUnknownField,
): SimulatedEvent {
  const { entityType } = entity;
  const named = given['entityType'] ?? entityType;
  if (typeof named !== 'string' || named.toLowerCase() !== entityType.toLowerCase()) {
    throw Problem.invalid(`entityType must be ${entityType}, which the webhook watches, or be left out`, 'entityType');
  }
  const context = { catalogue, userDefinedFieldsOf: () => udfs, personId, isHypothetical: true };
  const event = judged((problems) => readEvent({ ...given, entityType }, '', context, problems, onUnknownField));
  if (event === undefined || event.recordId === null) throw new Error('an event without a record was read');
  return { ...event, recordId: event.recordId };
}
