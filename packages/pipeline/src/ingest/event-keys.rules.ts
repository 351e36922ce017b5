import type { Action } from '@callout/domain/event';
import { Problem } from '@callout/domain/problem';
import type { FieldValues } from '@callout/domain/values/values';
import type { IngestEvent, PlacedEvent } from './request.rules.ts';

/** One eventID and the event with the eventID. */
export interface EventKey {
  tenantId: number;
  eventKey: string;
  /** The id of the event. */
  eventId: string;
  contentHash: Buffer;
  /** False: claimed by this transaction, and free until an event of the commit is accepted under the eventID. */
  hasEvent: boolean;
  /** The stored content: that of the first request with the eventID, which may have been refused. */
  storedHash: Buffer;
  /** Set if the eventID is the id of a stored event that was posted without one: the posted events that repeat it. */
  repeatsOfOwn: ReadonlySet<PlacedEvent> | null;
}

export type EventKeys = Map<string, EventKey>;

export function eventKeyOf(tenantId: number, eventKey: string): string {
  return `${tenantId}/${eventKey}`;
}

/** Whether an event has the eventID already, which a caller chose or the service assigned. */
export function isUsed({ hasEvent, repeatsOfOwn }: EventKey): boolean {
  return hasEvent || repeatsOfOwn !== null;
}

/** Whether an event repeats the event that has the eventID. */
export function isRepeat({ repeatsOfOwn, contentHash }: EventKey, event: PlacedEvent): boolean {
  if (repeatsOfOwn !== null) return repeatsOfOwn.has(event);
  return event.contentHash !== null && contentHash.equals(event.contentHash);
}

/** The refusal of an event under an eventID that belongs to a different event. */
export function clash({ eventKey }: EventKey): Problem {
  return Problem.conflict(
    `eventID '${eventKey}' is known with other content: give a different event an eventID of its own`,
    'eventID',
  );
}

/** An event that was posted without an eventID: the response named the event's id as eventID. */
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
 * Whether an event that is posted under the id of a stored event may be the same event. The earlier request is not
 * stored, only the resulting record; so the posted values must be values that the record had right after the event.
 */
export function isSameEvent(posted: IngestEvent, stored: OwnEvent): boolean {
  return (
    posted.entityType === stored.entityType &&
    posted.recordId === stored.recordId &&
    posted.action === stored.action &&
    posted.personId === stored.personId &&
    (posted.eventTime === null || wholeSeconds(posted.eventTime) === wholeSeconds(stored.eventTime)) &&
    isWithin(posted.fields, stored.fields) &&
    isWithin(posted.udfFields, stored.udfFields) &&
    (posted.changed === null ||
      (isSameList(posted.changed.fields, stored.changedFields) && isSameList(posted.changed.udfs, stored.changedUdfs)))
  );
}

function wholeSeconds(moment: Date): number {
  return Math.floor(moment.getTime() / 1000);
}

function isWithin(posted: FieldValues, stored: FieldValues): boolean {
  return Object.keys(posted).every((name) => Object.hasOwn(stored, name) && posted[name] === stored[name]);
}

function isSameList<T>(posted: readonly T[], stored: readonly T[]): boolean {
  return posted.length === stored.length && posted.every((name) => stored.includes(name));
}
