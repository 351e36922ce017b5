import { applyChange, Problem, unseenRecord, type KnownRecord } from '@callout/core';
import type { Pool } from 'pg';
import { inTransaction, type Transaction } from '../database.ts';
import { newId } from '../ids.ts';
import { claimEventKeys, eventKeyOf, settleEventKeys, type EventKey, type EventKeys } from './event-keys.ts';
import { storeAllEvents, type NewEvent } from './events.ts';
import { raiseAboveAll, reserveRecordIds, type RecordIds } from './record-ids.ts';
import { lockAll, recordKeyOf, storeAll, type LockedRecord, type RecordJson, type RecordKey } from './records.ts';
import type { IntakeEvent, IntakeItem, IntakeRequest, IntakeResult } from './request.ts';

/** What one commit did. */
export interface IntakeCommit {
  /** One result for each request, in their order. */
  results: IntakeResult[];
  /** The events now pending, oldest first. */
  eventIds: string[];
}

/**
 * Takes the events of several requests in one transaction. Each request is taken as a whole or refused as a whole, and a
 * refused one leaves no trace and does not touch the others. What is 'accepted' is committed when this returns.
 *
 * Everything is locked in one order (eventIDs, records, each sorted), so that any number of commits may run at
 * once without deadlock, and the events of one record get their versions one after another: that is their order.
 */
export function createIntakeCommit(pool: Pool): (requests: readonly IntakeRequest[]) => Promise<IntakeCommit> {
  const seenCounters = new Map<string, number>();
  const commitOnce = async (requests: readonly IntakeRequest[]): Promise<IntakeCommit> => {
    const recordIds = await reserveRecordIds(pool, requests, seenCounters);
    const placed = requests.map((request) => place(request, recordIds));
    return inTransaction(pool, async (transaction) => {
      const keys = await claimEventKeys(transaction, requests);
      const records = await lockAll(transaction, recordsOf(placed));
      const intake: Intake = { acceptedAt: new Date(), keys, records, events: [] };
      const results = placed.map((request) => take(intake, request));
      await store(transaction, intake);
      return { results, eventIds: intake.events.map((event) => event.id) };
    });
  };
  return async (requests) => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await commitOnce(requests);
      } catch (error) {
        if (!(error instanceof IdTaken) || tries >= maxTries) throw error;
        await raiseAboveAll(pool, error.tenantId, error.entityType);
      }
    }
  };
}

/** A caller chose an id after it had been reserved for a new record and before that was stored. */
class IdTaken extends Error {
  readonly tenantId: number;
  readonly entityType: string;

  constructor({ tenantId, entityType, recordId }: RecordKey) {
    super(`id ${recordId} of ${entityType} was taken while it was given away`);
    this.tenantId = tenantId;
    this.entityType = entityType;
  }
}

/** Callers that go on choosing ids just above the highest are not waited for longer than this. */
const maxTries = 10;

/** An event whose record has an id. */
type PlacedEvent = IntakeEvent & RecordKey & { recordId: number; isNewId: boolean };

/** The state of one commit: what is locked, and what will be stored. */
interface Intake {
  acceptedAt: Date;
  keys: EventKeys;
  records: Map<string, LockedRecord>;
  events: NewEvent[];
}

function place({ tenantId, events }: IntakeRequest, recordIds: RecordIds): PlacedEvent[] {
  return events.map((event) => {
    const isNewId = event.recordId === null;
    return { ...event, tenantId, recordId: recordIds(tenantId, event), isNewId };
  });
}

/** Each record once. Only those that an event may make get a place held for them. */
function recordsOf(requests: readonly PlacedEvent[][]): (RecordKey & { mayBeNew: boolean })[] {
  const records = new Map<string, RecordKey & { mayBeNew: boolean }>();
  for (const event of requests.flat()) {
    const key = recordKeyOf(event);
    const mayBeNew = event.expects !== 'present' || (records.get(key)?.mayBeNew ?? false);
    const { tenantId, entityType, recordId } = event;
    records.set(key, { tenantId, entityType, recordId, mayBeNew });
  }
  return [...records.values()];
}

/** Takes one request: all of its events, or none. */
function take(intake: Intake, request: readonly PlacedEvent[]): IntakeResult {
  const draft: Draft = { records: new Map(), keys: new Map(), events: [] };
  const items: IntakeItem[] = [];
  for (const [index, event] of request.entries()) {
    const item = takeEvent(intake, draft, event);
    if (item instanceof Problem) return { kind: 'refused', index, problem: item };
    items.push(item);
  }
  for (const [key, record] of draft.records) intake.records.set(key, record);
  for (const [name, key] of draft.keys) intake.keys.set(name, key);
  intake.events.push(...draft.events);
  return { kind: 'accepted', items };
}

/** What a request would change; kept only when all of it is taken. */
interface Draft {
  records: Map<string, LockedRecord>;
  keys: EventKeys;
  events: NewEvent[];
}

function takeEvent(intake: Intake, draft: Draft, event: PlacedEvent): IntakeItem | Problem {
  const key = ownKey(intake, draft, event);
  if (key instanceof Problem) return key;
  const { recordId } = event;
  if (key?.taken) return { eventId: key.eventKey, recordId, status: 'duplicate' };

  const name = recordKeyOf(event);
  const locked = draft.records.get(name) ?? intake.records.get(name);
  const known = locked?.record ?? unseenRecord;
  if (event.isNewId && known.version > 0) throw new IdTaken(event);
  const unexpected = checkExpectation(event, known);
  if (unexpected) return unexpected;

  const result = applyChange(known, event);
  if (result.kind === 'unknownValue') {
    return Problem.invalid(
      `changedFields names '${result.name}', whose value is neither given nor known`,
      'changedFields',
    );
  }
  const eventId = key?.eventId ?? newId();
  if (key) draft.keys.set(eventKeyOf(event.tenantId, key.eventKey), { ...key, taken: true });
  if (result.kind === 'changed') {
    const json = { fields: JSON.stringify(result.record.fields), udfFields: JSON.stringify(result.record.udfFields) };
    draft.records.set(name, {
      tenantId: event.tenantId,
      entityType: event.entityType,
      recordId,
      isPlaceholder: locked?.isPlaceholder ?? false,
      record: result.record,
      json,
    });
    draft.events.push(newEvent(eventId, event, result, json, intake.acceptedAt));
  }
  const status = result.kind === 'changed' ? 'accepted' : 'unchanged';
  return { eventId: key?.eventKey ?? eventId, recordId, status };
}

/** The eventID's entry, or the reason why it cannot be this event's. */
function ownKey(intake: Intake, draft: Draft, event: PlacedEvent): EventKey | null | Problem {
  if (event.eventKey === null || event.contentHash === null) return null;
  const name = eventKeyOf(event.tenantId, event.eventKey);
  const key = draft.keys.get(name) ?? intake.keys.get(name);
  if (!key) throw new Error(`eventID ${event.eventKey} was not claimed`);
  if (!key.taken) return { ...key, contentHash: event.contentHash };
  if (key.contentHash.equals(event.contentHash)) return key;
  return Problem.conflict(
    `eventID '${event.eventKey}' is known with other content: give a different event an eventID of its own`,
    'eventID',
  );
}

function checkExpectation({ expects, recordId }: PlacedEvent, known: KnownRecord): Problem | null {
  const isPresent = known.version > 0 && !known.isDeleted;
  if (expects === 'present' && !isPresent) return Problem.notFound();
  if (expects === 'absent' && known.version > 0) {
    return Problem.conflict(`id ${recordId} is taken: leave it out to get the next free one`, 'id');
  }
  return null;
}

function newEvent(
  id: string,
  event: PlacedEvent,
  result: { record: KnownRecord; changedFields: string[]; changedUdfs: number[] },
  json: RecordJson,
  acceptedAt: Date,
): NewEvent {
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
    changedFields: result.changedFields,
    changedUdfs: result.changedUdfs,
    fieldsJson: json.fields,
    udfFieldsJson: json.udfFields,
  };
}

/** Callouts tell whole seconds, cut; PostgreSQL would round them. */
function cutToSeconds(moment: Date): Date {
  return new Date(Math.floor(moment.getTime() / 1000) * 1000);
}

async function store(transaction: Transaction, { records, keys, events }: Intake): Promise<void> {
  await storeAll(transaction, records.values());
  await storeAllEvents(transaction, events);
  await settleEventKeys(transaction, keys);
}
