import type { Action } from '@callout/domain/event/event';
import type { OwnEvent } from './own-event.rules.ts';
import type { KnownRecord } from './record.rules.ts';

/** Names a record. */
export interface RecordKey {
  tenantId: number;
  entityType: string;
  recordId: number;
}

export function recordKeyOf({ tenantId, entityType, recordId }: RecordKey): string {
  return `${tenantId}/${entityType}/${recordId}`;
}

/** The values of a record as JSON text, serialised once: its row and its last event store the same text. */
export interface RecordJson {
  fields: string;
  udfFields: string;
}

/** A record under its row's lock, or a new one: as it was and as it becomes. */
export interface LockedRecord extends RecordKey {
  record: KnownRecord;
  /** Set once it has changed: the JSON to be stored. */
  json: RecordJson | null;
  /** It has no row yet. */
  isNew: boolean;
}

/** One eventID and the event it belongs to. */
export interface EventKey {
  tenantId: number;
  eventKey: string;
  /** The id of the event with this eventID. */
  eventId: string;
  contentHash: Buffer;
  /** False: claimed by this transaction, and free until an event gets it. */
  taken: boolean;
  /** The stored content: that of the first request with the eventID, which may have been refused. */
  storedHash: Buffer;
  /** The event that was posted without an eventID and got this one from the service. */
  ownEvent: OwnEvent | null;
}

export type EventKeys = Map<string, EventKey>;

export function eventKeyOf(tenantId: number, eventKey: string): string {
  return `${tenantId}/${eventKey}`;
}

/** An event to be stored; match processes it next. */
export interface NewEvent {
  id: string;
  tenantId: number;
  entityType: string;
  recordId: number;
  recordVersion: number;
  action: Action;
  personId: number;
  eventKey: string | null;
  eventTime: Date;
  /** The `traceparent` of the request that brought it; null: it was not traced. */
  traceParent: string | null;
  changedFields: string[];
  changedUdfs: number[];
  /** What the changed fields were before, as JSON of `StoredPrevious`; null: not known. */
  previousJson: string | null;
  /** All known values right after the event. Callouts are built from them, whatever happens to the record later. */
  fieldsJson: string;
  udfFieldsJson: string;
}
