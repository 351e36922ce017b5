import { storedPrevious } from '@callout/domain/previous-values';
import { Problem } from '@callout/domain/problem';
import type { Action } from '@callout/domain/event';
import { clash, eventKeyOf, isRepeat, isUsed, type EventKey, type EventKeys } from './event-keys.rules.ts';
import { acceptOnce, resultOfRepeat, type IdempotencyKeys } from './idempotency-keys.rules.ts';
import {
  maxCommitLength,
  maxRecordLength,
  recordsTooLong,
  recordTooLong,
  requestTooLong,
  tooMuchTogether,
} from './lengths.rules.ts';
import { applyChange, unseenRecord, type ChangeResult, type KnownRecord } from './record.rules.ts';
import {
  recordKeyOf,
  type CachedAuthentication,
  type IngestItem,
  type IngestResult,
  type PlacedEvent,
  type PlacedRequest,
  type RecordKey,
} from './request.rules.ts';

/** The values of a record as JSON text, serialised once: the record's row and the last event store the same text. */
export interface RecordJson {
  fields: string;
  udfFields: string;
}

/** A record under the lock of its row, or a new one: the values before the commit, and after it. */
export interface LockedRecord extends RecordKey {
  record: KnownRecord;
  /** The JSON to be stored; null: the commit has not changed the record. */
  json: RecordJson | null;
  /** Whether the record has no row yet. */
  isNew: boolean;
}

/** An event to be stored; match processes it next. */
export interface NewEvent extends RecordKey {
  id: string;
  recordVersion: number;
  action: Action;
  personId: number;
  eventKey: string | null;
  eventTime: Date;
  /** The `traceparent` of the request; null: the request was not traced. */
  traceParent: string | null;
  changedFields: string[];
  changedUdfs: number[];
  /** The earlier values of the changed fields, as JSON of `StoredPrevious`; null: not known. */
  previousJson: string | null;
  /** All known values right after the event. Callouts are built from them, whatever happens to the record later. */
  fieldsJson: string;
  udfFieldsJson: string;
}

/** The rows that a commit has locked and read. */
export interface Loaded {
  eventKeys: EventKeys;
  idempotencyKeys: IdempotencyKeys;
  /** The records that exist, by `recordKeyOf`. */
  records: Map<string, LockedRecord>;
  /** For each request the result of `answerBeforeRecords`. */
  answers: readonly (IngestResult | undefined)[];
  /** The requests, by their index, whose records are too long to be read. */
  tooLong: ReadonlySet<number>;
}

/** The decision about the requests of a commit, to be stored. */
export interface Accepted extends Pick<Loaded, 'eventKeys' | 'idempotencyKeys' | 'records'> {
  /** One result per request, in the order of the requests. */
  results: IngestResult[];
  /** Oldest first. */
  events: NewEvent[];
}

/** The answer to a request that may not be made, or was made before; undefined: the records decide. */
export function answerBeforeRecords(
  { tenantId, authentication, idempotencyKey }: PlacedRequest,
  locked: { staleAuthentications: ReadonlySet<CachedAuthentication>; movingTenantIds: ReadonlySet<number> },
  idempotencyKeys: IdempotencyKeys,
): IngestResult | undefined {
  if (authentication && locked.staleAuthentications.has(authentication)) return { kind: 'staleAuthentication' };
  if (!authentication && locked.movingTenantIds.has(tenantId)) return { kind: 'moving' };
  return idempotencyKey && resultOfRepeat(idempotencyKeys, idempotencyKey);
}

/** Whether the decision about an event needs the record: not for an eventID that an event has already. */
export function needsRecord(keys: EventKeys, { tenantId, eventKey }: PlacedEvent): boolean {
  const key = eventKey === null ? undefined : keys.get(eventKeyOf(tenantId, eventKey));
  return key === undefined || !isUsed(key);
}

/**
 * Decides about the requests of one commit, in their order: an accepted request is known to the requests after it.
 * @param newId makes time-ordered ids.
 * @throws when the requests are too much together, so that they need separate commits.
 */
export function acceptRequests(
  requests: readonly PlacedRequest[],
  { eventKeys, idempotencyKeys, records, answers, tooLong }: Loaded,
  { acceptedAt, newId }: Pick<CommitState, 'acceptedAt' | 'newId'>,
): Accepted {
  const commit: CommitState = { acceptedAt, newId, eventKeys, records, events: [], length: 0 };
  const results = requests.map(({ events, idempotencyKey }, index): IngestResult => {
    const answer = answers[index];
    if (answer) return answer;
    const accept = () => (tooLong.has(index) ? recordsTooLong() : acceptRequest(commit, events));
    return idempotencyKey ? acceptOnce(idempotencyKeys, idempotencyKey, accept) : accept();
  });
  return { results, events: commit.events, eventKeys, idempotencyKeys, records };
}

/** The state of one commit: the locked rows, with the changes of the requests accepted so far. */
interface CommitState extends Pick<Loaded, 'eventKeys' | 'records'> {
  acceptedAt: Date;
  events: NewEvent[];
  /** Characters that are to be stored with the events. */
  length: number;
  /** Makes time-ordered ids. */
  newId: () => string;
}

/** Accepts one request: all events, or no event. */
function acceptRequest(commit: CommitState, request: readonly PlacedEvent[]): IngestResult {
  const draft: Draft = { records: new Map(), eventKeys: new Map(), events: [], length: 0 };
  const items: IngestItem[] = [];
  for (const [index, event] of request.entries()) {
    const item = acceptEvent(commit, draft, event);
    if (item instanceof Problem) return { kind: 'refused', index, problem: item };
    if (draft.length > maxCommitLength) return requestTooLong();
    items.push(item);
  }
  commit.length += draft.length;
  if (commit.length > maxCommitLength) throw tooMuchTogether();
  for (const [key, record] of draft.records) commit.records.set(key, record);
  for (const [name, key] of draft.eventKeys) commit.eventKeys.set(name, key);
  commit.events.push(...draft.events);
  return { kind: 'accepted', items };
}

/** The changes of one request; applied only when the whole request is accepted. */
type Draft = Pick<CommitState, 'records' | 'eventKeys' | 'events' | 'length'>;

function acceptEvent(commit: CommitState, draft: Draft, event: PlacedEvent): IngestItem | Problem {
  const { recordId } = event;
  const key = keyOf(commit, draft, event);
  if (key && isUsed(key)) {
    return isRepeat(key, event) ? { eventId: key.eventKey, recordId, status: 'duplicate' } : clash(key);
  }
  const name = recordKeyOf(event);
  const locked = draft.records.get(name) ?? commit.records.get(name);
  const before = locked?.record ?? unseenRecord;
  const unexpected = checkExpectation(event, before);
  if (unexpected) return unexpected;

  const result = applyChange(before, event);
  if (result.kind === 'unknownValue') {
    return Problem.invalid(
      `changedFields names '${result.name}', whose value is neither given nor known`,
      'changedFields',
    );
  }
  const eventId = key?.eventId ?? commit.newId();
  if (key) {
    const contentHash = event.contentHash ?? key.contentHash;
    draft.eventKeys.set(eventKeyOf(event.tenantId, key.eventKey), { ...key, contentHash, hasEvent: true });
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

/** The data of the event's eventID; null for an event without one. */
function keyOf(commit: CommitState, draft: Draft, { tenantId, eventKey }: PlacedEvent): EventKey | null {
  if (eventKey === null) return null;
  const name = eventKeyOf(tenantId, eventKey);
  const key = draft.eventKeys.get(name) ?? commit.eventKeys.get(name);
  if (!key) throw new Error(`eventID ${eventKey} was not claimed`);
  return key;
}

function checkExpectation({ expects, recordId }: PlacedEvent, before: KnownRecord): Problem | null {
  const isPresent = before.version > 0 && !before.isDeleted;
  if (expects === 'present' && !isPresent) return Problem.notFound();
  if (expects === 'absent' && before.version > 0) {
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

/** Callouts contain whole seconds, truncated; PostgreSQL would round. */
function cutToSeconds(moment: Date): Date {
  return new Date(Math.floor(moment.getTime() / 1000) * 1000);
}
