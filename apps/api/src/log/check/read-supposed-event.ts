import type { Catalogue, EntityDefinition } from '@callout/core/catalogue';
import { Problem } from '@callout/core/errors';
import {
  collectUnknownNames,
  expectedKey,
  knownKeys,
  mostUnknownNames,
  type OnUnknownKey,
  type UnknownName,
} from '@callout/core/input';
import type { SimulationReader } from '@callout/db/log';
import { expectedField } from '../../ingest/records/given-fields.ts';
import { readEvent, type GivenEvent, type OnUnknownField } from '../../ingest/events/read-event.ts';
import type { UserDefinedFieldDeps, UserDefinedFields } from '../../tenants/udf/user-defined-fields.ts';
import { judged } from '../../http/route/read-parameters.ts';
import type { SupposedEvent } from './simulate.ts';

/** What simulations need. */
export interface SimulationRouteDeps extends UserDefinedFieldDeps {
  readonly catalogue: Catalogue;
  readonly maxBodyBytes: number;
  readonly simulation: SimulationReader;
  /** The `User-Agent` of callouts. */
  readonly userAgent: string;
}

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

/** Reads an event as `POST /EntityEvents` would, except that the webhook says of which entity it is. */
export function readSupposedEvent(
  { catalogue }: Pick<SimulationRouteDeps, 'catalogue'>,
  entity: EntityDefinition,
  udfs: UserDefinedFields,
  given: GivenEvent,
  personId: number,
  onUnknownField: OnUnknownField,
): SupposedEvent {
  const { entityType } = entity;
  const named = given['entityType'] ?? entityType;
  if (typeof named !== 'string' || named.toLowerCase() !== entityType.toLowerCase()) {
    throw Problem.invalid(`entityType must be ${entityType}, which the webhook watches, or be left out`, 'entityType');
  }
  const context = { catalogue, userDefinedFieldsOf: () => udfs, personId };
  const event = judged((problems) => readEvent({ ...given, entityType }, '', context, problems, onUnknownField));
  if (event === undefined || event.recordId === null) throw new Error('an event without a record was read');
  return { ...event, recordId: event.recordId };
}
