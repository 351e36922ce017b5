import type { Action } from './event.ts';
import type { IntakeEvent } from './request.ts';
import type { FieldValues } from './values/values.ts';

/** An event that was posted without an eventID, so that its id is the eventID that its caller was told. */
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
 * Whether an event that is posted under the id of a known one may be that one. What was posted then is not kept, only
 * what it made of the record; so the values that are given now must be those that the record had right after it.
 */
export function tellsTheSame(given: IntakeEvent, known: OwnEvent): boolean {
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
