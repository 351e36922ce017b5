import { userNameHash } from '@callout/domain/secrets/user-name-hash';
import type { FieldValues } from '@callout/domain/values/values';
import type { Transaction } from '@callout/database/connection/database';
import { AssumptionFailed } from '@callout/database/connection/transaction/transaction';
import { columns, statementFrom } from '@callout/database/connection/statement/statement';
import { newId } from '@callout/database/schema/ids';
import { answerBeforeRecords, needsRecord, type Loaded, type LockedRecord } from './accept.rules.ts';
import { readUsedEventKeys } from './event-keys.ts';
import { eventKeyOf, type EventKeys } from './event-keys.rules.ts';
import { claimIdempotencyKeys } from './idempotency-keys.ts';
import { maxCommitLength, mostUnmeasured, requestsTooLong } from './lengths.rules.ts';
import {
  recordKeyOf,
  type CachedAuthentication,
  type PlacedEvent,
  type PlacedRequest,
  type RecordKey,
} from './request.rules.ts';

/** Locks everything that a commit of the requests may change, and reads what its decisions need. */
export async function loadForIngest(transaction: Transaction, requests: readonly PlacedRequest[]): Promise<Loaded> {
  const events = requests.flatMap((request) => request.events);
  const eventKeys = eventKeysOf(events);
  const recordKeys = recordKeysOf(events);
  const isMeasured = recordKeys.length > mostUnmeasured;
  const authentications = [...new Set(requests.flatMap(({ authentication }) => authentication ?? []))];
  // Sent together, without waiting for results in between: neither needs the result of the other.
  const [idempotencyKeys, locked] = await Promise.all([
    requests.some(({ idempotencyKey }) => idempotencyKey)
      ? claimIdempotencyKeys(transaction, requests)
      : new Map<string, never>(),
    lockRows(transaction, {
      eventKeys,
      recordKeys: isMeasured ? [] : recordKeys,
      authentications,
      // Console sessions, and requests that were authenticated just before.
      tenantIds: [...new Set(requests.flatMap(({ tenantId, authentication }) => (authentication ? [] : tenantId)))],
    }),
  ]);
  if (eventKeys.size > 0) await readUsedEventKeys(transaction, eventKeys, locked.claimedEventKeys, events);
  const answers = requests.map((request) => answerBeforeRecords(request, locked, idempotencyKeys));
  const { records, tooLong } = isMeasured
    ? await readMeasured(
        transaction,
        requests.map((request, index) =>
          answers[index] ? [] : request.events.filter((event) => needsRecord(eventKeys, event)),
        ),
      )
    : { records: locked.records, tooLong: noRequests };
  if (events.some((event) => event.isNewId && records.has(recordKeyOf(event)))) {
    throw new AssumptionFailed('a caller chose an id after it had been reserved for a new record');
  }
  return { eventKeys, idempotencyKeys, records, answers, tooLong };
}

const noRequests: ReadonlySet<number> = new Set();

/** Every eventID once, as if free. */
function eventKeysOf(events: readonly PlacedEvent[]): EventKeys {
  const keys: EventKeys = new Map();
  for (const { tenantId, eventKey, contentHash } of events) {
    if (eventKey === null) continue;
    if (contentHash === null) throw new Error('an event with an eventID needs a contentHash');
    const name = eventKeyOf(tenantId, eventKey);
    if (keys.has(name)) continue;
    const free = { eventId: newId(), storedHash: contentHash, hasEvent: false, repeatsOfOwn: null };
    keys.set(name, { tenantId, eventKey, contentHash, ...free });
  }
  return keys;
}

/** Each record once. */
function recordKeysOf(events: readonly PlacedEvent[]): RecordKey[] {
  return [...new Map(events.map((event) => [recordKeyOf(event), event])).values()];
}

/** A row of `ingest_lock` is about an eventID, an authentication, a record or a tenant. */
type LockRow =
  | { kind: 'claimedEventKey'; tenant_id: number; event_key: string }
  /** `nth` counts from 1. */
  | { kind: 'staleAuthentication'; nth: number }
  | ({ kind: 'record' } & RecordRow)
  | { kind: 'movingTenant'; tenant_id: number };

interface RecordRow {
  tenant_id: number;
  entity_type: string;
  id: number;
  version: number;
  fields: FieldValues;
  udf_fields: FieldValues;
  is_deleted: boolean;
}

const lock = statementFrom<LockRow>('ingest/ingest_lock');

interface LockRequest {
  eventKeys: EventKeys;
  /** Each record once. */
  recordKeys: readonly RecordKey[];
  authentications: readonly CachedAuthentication[];
  /** Tenants of requests without a cached authentication. */
  tenantIds: readonly number[];
}

interface Locked {
  /** The eventIDs that were free. */
  claimedEventKeys: Set<string>;
  /** The records that exist. */
  records: Map<string, LockedRecord>;
  /** The given authentications that are no longer valid. */
  staleAuthentications: Set<CachedAuthentication>;
  /** The tenants of `tenantIds` that are being moved to another zone, or are served there. */
  movingTenantIds: Set<number>;
}

/** Claims eventIDs, locks records and confirms authentications, in one statement. */
async function lockRows(
  transaction: Transaction,
  { eventKeys, recordKeys, authentications, tenantIds }: LockRequest,
): Promise<Locked> {
  const names = authentications.map(({ foldedUserName }) => foldedUserName);
  const rows = await lock(transaction, [
    ...columns([...eventKeys.values()], ['tenantId', 'eventKey', 'eventId', 'contentHash']),
    ...columns(recordKeys, ['tenantId', 'entityType', 'recordId']),
    names,
    names.map(userNameHash),
    ...columns(authentications, ['address', 'version']),
    tenantIds,
  ]);
  const locked: Locked = {
    claimedEventKeys: new Set(),
    records: new Map(),
    staleAuthentications: new Set(),
    movingTenantIds: new Set(),
  };
  for (const row of rows) {
    if (row.kind === 'claimedEventKey') locked.claimedEventKeys.add(eventKeyOf(row.tenant_id, row.event_key));
    else if (row.kind === 'staleAuthentication')
      locked.staleAuthentications.add(authentications[row.nth - 1] as CachedAuthentication);
    else if (row.kind === 'movingTenant') locked.movingTenantIds.add(row.tenant_id);
    else locked.records.set(...recordEntry(row));
  }
  return locked;
}

const lockManyRecords = statementFrom<RecordRow & { length: number; is_read: boolean }>('ingest/ingest_lock_many');

const readRecords = statementFrom<RecordRow>('ingest/ingest_read_records');

/**
 * Locks the records of many events and reads the values, except for requests whose records are too long together.
 * @param needed the events of each request whose decision needs the record.
 */
async function readMeasured(
  transaction: Transaction,
  needed: readonly (readonly PlacedEvent[])[],
): Promise<Pick<Loaded, 'records' | 'tooLong'>> {
  const keyColumns = (events: readonly PlacedEvent[]) =>
    columns(recordKeysOf(events), ['tenantId', 'entityType', 'recordId']);
  const rows = await lockManyRecords(transaction, [...keyColumns(needed.flat()), maxCommitLength]);
  if (rows.every((row) => row.is_read)) return { tooLong: noRequests, records: new Map(rows.map(recordEntry)) };
  const tooLong = requestsTooLong(needed, new Map(rows.map((row) => [recordEntry(row)[0], row.length])));
  const readable = needed.flatMap((events, index) => (tooLong.has(index) ? [] : events));
  const records = await readRecords(transaction, keyColumns(readable));
  return { tooLong, records: new Map(records.map(recordEntry)) };
}

function recordEntry(row: RecordRow): [string, LockedRecord] {
  const key = { tenantId: row.tenant_id, entityType: row.entity_type, recordId: row.id };
  const record = { version: row.version, fields: row.fields, udfFields: row.udf_fields, isDeleted: row.is_deleted };
  return [recordKeyOf(key), { ...key, record, json: null, isNew: false }];
}
