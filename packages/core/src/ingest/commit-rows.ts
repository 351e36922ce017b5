import type { Action } from './event.ts';
import type { OwnEvent } from './own-event.ts';
import type { KnownRecord } from './record.ts';

/** Names a record. */
export interface RecordKey {
  tenantId: number;
  entityType: string;
  recordId: number;
}

export function recordKeyOf({ tenantId, entityType, recordId }: RecordKey): string {
  return `${tenantId}/${entityType}/${recordId}`;
}

/** The values of a record as text, made once: its row and its last event store the same. */
export interface RecordJson {
  fields: string;
  udfFields: string;
}

/** A record under its row's lock, as it is and as it becomes. */
export interface LockedRecord extends RecordKey {
  record: KnownRecord;
  /** Set once it has changed: what is to be stored. */
  json: RecordJson | null;
  /** A row of version 0 holds its place. */
  isPlaceholder: boolean;
}

/** What is known of one eventID. */
export interface EventKey {
  tenantId: number;
  eventKey: string;
  /** The id of the event that bears it. */
  eventId: string;
  contentHash: Buffer;
  /** False: claimed by this transaction, and free until an event takes it. */
  taken: boolean;
  /** The content in the table: that of the first request with the eventID, which may have been refused. */
  storedHash: Buffer;
  /** The event that got this very text from the service as its eventID, being posted without one. */
  ownEvent: OwnEvent | null;
}

export type EventKeys = Map<string, EventKey>;

export function eventKeyOf(tenantId: number, eventKey: string): string {
  return `${tenantId}/${eventKey}`;
}

/** An event as it is stored, together with the work it leaves to be done. */
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
  /** All known values right after the event: what callouts are built from, whatever happens to the record later. */
  fieldsJson: string;
  udfFieldsJson: string;
}
