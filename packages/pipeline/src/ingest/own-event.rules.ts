import type { Action } from '@callout/domain/event/event';
import type { IngestEvent } from './request.rules.ts';
import type { FieldValues } from '@callout/domain/values/values';

/** An event that was posted without an eventID: its id is the eventID in the response. */
export interface OwnEvent {
  tenantId: number;
  id: string;
  entityType: string;
  recordId: number;
  action: Action;
  personId: number;
  eventTime: Date;
  changedFields: string[];
  changedUdfs: number[];
  fields: FieldValues;
  udfFields: FieldValues;
}

/**
 * Whether an event that is posted under the id of a stored one may be the same event. The earlier request is not
 * stored, only the resulting record; so the values that are given now must be those that the record had right after it.
 */
export function isSameEvent(given: IngestEvent, known: OwnEvent): boolean {
  return (
    given.entityType === known.entityType &&
    given.recordId === known.recordId &&
    given.action === known.action &&
    given.personId === known.personId &&
    (given.eventTime === null || wholeSeconds(given.eventTime) === wholeSeconds(known.eventTime)) &&
    isWithin(given.fields, known.fields) &&
    isWithin(given.udfFields, known.udfFields) &&
    (given.changed === null ||
      (areSame(given.changed.fields, known.changedFields) && areSame(given.changed.udfs, known.changedUdfs)))
  );
}

function wholeSeconds(moment: Date): number {
  return Math.floor(moment.getTime() / 1000);
}

function isWithin(given: FieldValues, known: FieldValues): boolean {
  return Object.keys(given).every((name) => Object.hasOwn(known, name) && given[name] === known[name]);
}

function areSame<T>(some: readonly T[], others: readonly T[]): boolean {
  return some.length === others.length && some.every((one) => others.includes(one));
}
