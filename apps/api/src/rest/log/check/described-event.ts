import type { EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { previousValues, storedPrevious } from '@callout/domain/previous-values';
import { Problem } from '@callout/domain/problem';
import type { JudgedWebhook } from '@callout/history/log/simulation';
import { applyChange, type KnownRecord } from '@callout/pipeline/ingest/record.rules';
import type { IngestEvent } from '@callout/pipeline/ingest/request.rules';
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
import type { UserDefinedFields } from '../../events/user-defined-fields.ts';
import { judged } from '../../../http/route/read-parameters.ts';
import { sampleValues } from '../../webhooks/sample-fields.ts';
import type { AskedEvent } from './outcome-of.ts';

/** A hypothetical event of a known record. */
export type DescribedEvent = IngestEvent & { readonly recordId: number };

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

/** Takes note of the unknown names in a simulation while the body is read. */
export function noteUnknownNames(entity: EntityDefinition) {
  const names = collectUnknownNames(mostUnknownNames);
  const foundNames: UnknownName[] = [];
  const note = (name: UnknownName | undefined) => void (name && foundNames.push(name));
  const onKey: OnUnknownKey = (key, path, expected) => note(names.find(path, key, expectedKey(expected)));
  /** An eventID is accepted and ignored, since people paste real events: a simulated event needs no id. */
  const onEventKey: OnUnknownKey = (key, ...where) => {
    if (key.toLowerCase() !== 'eventid') onKey(key, ...where);
  };
  const onField: OnUnknownField = (field) => note(names.find('fields.', field, expectedField(entity)));
  return { found: foundNames, onKey, onEventKey, onField };
}

/** Reads an event as `POST /EntityEvents` would, except that the webhook determines the entity. */
export function readDescribedEvent(
  { catalogue }: ApiContext,
  entity: EntityDefinition,
  udfs: UserDefinedFields,
  eventFields: GivenEvent,
  personId: number,
  onUnknownField: OnUnknownField,
): DescribedEvent {
  const { entityType } = entity;
  const named = eventFields['entityType'] ?? entityType;
  if (typeof named !== 'string' || named.toLowerCase() !== entityType.toLowerCase()) {
    throw Problem.invalid(`entityType must be ${entityType}, which the webhook watches, or be left out`, 'entityType');
  }
  const context = { catalogue, userDefinedFieldsOf: () => udfs, personId, isHypothetical: true };
  const event = judged((problems) => readEvent({ ...eventFields, entityType }, '', context, problems, onUnknownField));
  if (event === undefined || event.recordId === null) throw new Error('an event without a record was read');
  return { ...event, recordId: event.recordId };
}

/**
 * The event as the ingest would store one; undefined: the ingest would store nothing.
 * @throws a 400 Problem as the ingest would.
 */
export function eventIfStored(
  event: DescribedEvent,
  knownRecord: KnownRecord,
  now: Date,
  personEmail: string | null,
): AskedEvent | undefined {
  const result = applyChange(knownRecord, event);
  if (result.kind === 'unknownValue') {
    const message = `changedFields names '${result.name}', whose value is neither given nor known`;
    throw Problem.invalid(message, 'changedFields');
  }
  if (result.kind !== 'changed') return undefined;
  const { record, before, changedFields, changedUdfs } = result;
  const previous = previousValues(result, storedPrevious(result, before));
  const { action, personId, recordId, eventTime } = event;
  const { fields, udfFields } = record;
  const changed = { changedFields, changedUdfs, previous, fields, udfFields };
  return {
    eventID: null,
    action,
    personId,
    personEmail,
    recordId,
    eventTime: eventTime ?? now,
    acceptedAt: now,
    ...changed,
  };
}

/** An id that an event may have, in place of the 0 of samples. */
export const SAMPLE_ID = 1;

/** An event of a sample record: of an update, all subscribed fields have changed. */
export function sampleEvent(
  { action, personId, eventTime }: Pick<DescribedEvent, 'action' | 'personId' | 'eventTime'>,
  { subscription, now }: Pick<JudgedWebhook, 'subscription' | 'now'>,
  entity: EntityDefinition,
  udfs: UserDefinedFields,
  personEmail: string | null,
): AskedEvent {
  return {
    eventID: null,
    action,
    personId,
    personEmail,
    recordId: 0,
    eventTime: eventTime ?? now,
    acceptedAt: now,
    changedFields: subscription.fields.filter((one) => one.isSubscribed).map(({ name }) => name),
    changedUdfs: subscription.udfFields.filter((one) => one.isSubscribed).map(({ udfId }) => udfId),
    ...sampleValues(subscription, entity, udfs.all),
  };
}
