import { storedPrevious } from '@callout/domain/previous-values';
import { Problem } from '@callout/domain/problem';
import { applyChange, unseenRecord, type ChangeResult, type KnownRecord } from './record.rules.ts';
import type { IngestItem, IngestEvent, IngestResult } from './request.rules.ts';
import type { Action } from '@callout/domain/event';

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
  /**
   * Set if an event was posted without an eventID and got this one from the service: which of the events that are
   * accepted now are the same.
   */
  repeatsOfOwn: ReadonlySet<PlacedEvent> | null;
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

/**
 * The known values of a record are stored with each of its events, so many short events of a long record need much
 * space: both are bounded, counted in characters of the JSON that is stored. A record with every text of the catalogue
 * at its maximum length has a third of it.
 */
const maxRecordLength = 256 * 1024;
/** Of all events of a commit together: twice the size of the largest body. */
export const maxCommitLength = 32 * 1024 * 1024;

/** So many records are never more than that, so they are read without a look at their length. */
export const mostUnmeasured = maxCommitLength / maxRecordLength;

/** An event whose record has an id. */
export type PlacedEvent = IngestEvent &
  RecordKey &
  Pick<NewEvent, 'traceParent'> & { recordId: number; isNewId: boolean };

/** The state of one commit: what is locked, and what will be stored. */
export interface CommitState {
  acceptedAt: Date;
  keys: EventKeys;
  records: Map<string, LockedRecord>;
  events: NewEvent[];
  /** Characters that are to be stored with the events. */
  length: number;
  /** Makes time-ordered ids. */
  newId: () => string;
}

/** Whether the decision about an event needs its record: not that about one whose eventID is known. */
export function needsRecord(keys: EventKeys, { tenantId, eventKey }: PlacedEvent): boolean {
  const key = eventKey === null ? undefined : keys.get(eventKeyOf(tenantId, eventKey));
  return key === undefined || !isKnown(key);
}

/**
 * The requests, by their index, whose records are too long to be read at once.
 * @param needed the events of each request that need their record.
 * @param lengths of the records that exist, by `recordKeyOf`.
 * @throws when the records of the others are too much together, so that they need separate commits.
 */
export function requestsTooLong(
  needed: readonly (readonly PlacedEvent[])[],
  lengths: ReadonlyMap<string, number>,
): ReadonlySet<number> {
  const lengthOf = (records: ReadonlySet<string>) =>
    [...records].reduce((sum, record) => sum + (lengths.get(record) ?? 0), 0);
  const tooLong = new Set<number>();
  const read = new Set<string>();
  for (const [index, events] of needed.entries()) {
    const records = new Set(events.map(recordKeyOf));
    if (lengthOf(records) > maxCommitLength) tooLong.add(index);
    else for (const record of records) read.add(record);
  }
  if (lengthOf(read) > maxCommitLength) throw tooMuchTogether();
  return tooLong;
}

/** Separate commits of the same requests succeed. */
function tooMuchTogether(): Error {
  return new Error('these requests are too much for one commit');
}

/**
 * Accepts one request: all of its events, or none.
 * @throws when it is too much together with the requests before it, so that they need separate commits.
 */
export function acceptRequest(commit: CommitState, request: readonly PlacedEvent[]): IngestResult {
  const draft: Draft = { records: new Map(), keys: new Map(), events: [], length: 0 };
  const items: IngestItem[] = [];
  for (const [index, event] of request.entries()) {
    const item = acceptEvent(commit, draft, event);
    if (item instanceof Problem) return { kind: 'refused', index, problem: item };
    if (draft.length > maxCommitLength) return { kind: 'refused', index: null, problem: requestTooLong() };
    items.push(item);
  }
  commit.length += draft.length;
  if (commit.length > maxCommitLength) throw tooMuchTogether();
  for (const [key, record] of draft.records) commit.records.set(key, record);
  for (const [name, key] of draft.keys) commit.keys.set(name, key);
  commit.events.push(...draft.events);
  return { kind: 'accepted', items };
}

/** The changes of one request; applied only when all of it is accepted. */
interface Draft {
  records: Map<string, LockedRecord>;
  keys: EventKeys;
  events: NewEvent[];
  length: number;
}

function acceptEvent(commit: CommitState, draft: Draft, event: PlacedEvent): IngestItem | Problem {
  const { recordId } = event;
  const key = keyOf(commit, draft, event);
  if (key && isKnown(key)) {
    return isRepeat(key, event) ? { eventId: key.eventKey, recordId, status: 'duplicate' } : clash(key);
  }
  const name = recordKeyOf(event);
  const locked = draft.records.get(name) ?? commit.records.get(name);
  const known = locked?.record ?? unseenRecord;
  const unexpected = checkExpectation(event, known);
  if (unexpected) return unexpected;

  const result = applyChange(known, event);
  if (result.kind === 'unknownValue') {
    return Problem.invalid(
      `changedFields names '${result.name}', whose value is neither given nor known`,
      'changedFields',
    );
  }
  const eventId = key?.eventId ?? commit.newId();
  if (key) {
    const contentHash = event.contentHash ?? key.contentHash;
    draft.keys.set(eventKeyOf(event.tenantId, key.eventKey), { ...key, contentHash, taken: true });
  }
  if (result.kind !== 'unchanged') {
    const { tenantId, entityType } = event;
    const { record } = result;
    const json = { fields: JSON.stringify(record.fields), udfFields: JSON.stringify(record.udfFields) };
    const length = json.fields.length + json.udfFields.length;
    if (length > maxRecordLength) return recordTooLong();
    draft.length += length;
    const isNew = locked?.isNew ?? true;
    draft.records.set(name, { tenantId, entityType, recordId, isNew, record, json });
    if (result.kind === 'changed') {
      const stored = newEvent(eventId, event, result, json, commit.acceptedAt);
      draft.length += stored.previousJson?.length ?? 0;
      draft.events.push(stored);
    }
  }
  const status = result.kind === 'changed' ? 'accepted' : 'unchanged';
  return { eventId: key?.eventKey ?? eventId, recordId, status };
}

/** The data of the event's eventID; null when it has none. */
function keyOf(commit: CommitState, draft: Draft, { tenantId, eventKey }: PlacedEvent): EventKey | null {
  if (eventKey === null) return null;
  const name = eventKeyOf(tenantId, eventKey);
  const key = draft.keys.get(name) ?? commit.keys.get(name);
  if (!key) throw new Error(`eventID ${eventKey} was not claimed`);
  return key;
}

/** Whether an event has this eventID already: its caller chose it, or the service assigned it. */
function isKnown({ taken, repeatsOfOwn }: EventKey): boolean {
  return taken || repeatsOfOwn !== null;
}

function isRepeat({ repeatsOfOwn, contentHash }: EventKey, event: PlacedEvent): boolean {
  if (repeatsOfOwn !== null) return repeatsOfOwn.has(event);
  return event.contentHash !== null && contentHash.equals(event.contentHash);
}

function clash({ eventKey }: EventKey): Problem {
  return Problem.conflict(
    `eventID '${eventKey}' is known with other content: give a different event an eventID of its own`,
    'eventID',
  );
}

function recordTooLong(): Problem {
  const message = `the values known of this record would be more than ${maxRecordLength} characters of JSON`;
  return new Problem('invalid', [{ code: 'tooLong', message }]);
}

/** The refusal of a request whose records are too long together. */
export function recordsTooLong(): IngestResult {
  const message =
    `The values known of these records are more than ${maxCommitLength} characters of JSON: ` +
    'send the events in parts, with fewer records in each.';
  return { kind: 'refused', index: null, problem: Problem.tooLarge(message) };
}

function requestTooLong(): Problem {
  const message =
    `The values known of these records, once for each event, are more than ${maxCommitLength} characters of JSON: ` +
    'send fewer events at a time.';
  return Problem.tooLarge(message);
}

function checkExpectation({ expects, recordId }: PlacedEvent, known: KnownRecord): Problem | null {
  const isPresent = known.version > 0 && !known.isDeleted;
  if (expects === 'present' && !isPresent) return Problem.notFound();
  if (expects === 'absent' && known.version > 0) {
    return Problem.duplicate(`id ${recordId} is taken: leave it out to get the next free one`, 'id');
  }
  return null;
}

function newEvent(
  id: string,
  event: PlacedEvent,
  result: Extract<ChangeResult, { kind: 'changed' }>,
  json: RecordJson,
  acceptedAt: Date,
): NewEvent {
  const previous = storedPrevious(result, result.before);
  return {
    id,
    tenantId: event.tenantId,
    entityType: event.entityType,
    recordId: event.recordId,
    recordVersion: result.record.version,
    action: event.action,
    personId: event.personId,
    eventKey: event.eventKey,
    eventTime: cutToSeconds(event.eventTime ?? acceptedAt),
    traceParent: event.traceParent,
    changedFields: result.changedFields,
    changedUdfs: result.changedUdfs,
    previousJson: previous && JSON.stringify(previous),
    fieldsJson: json.fields,
    udfFieldsJson: json.udfFields,
  };
}

/** Callouts contain whole seconds, truncated; PostgreSQL would round them. */
function cutToSeconds(moment: Date): Date {
  return new Date(Math.floor(moment.getTime() / 1000) * 1000);
}
