import { userNameHash } from '@callout/domain/secrets/user-name-hash';
import {
  eventKeyOf,
  recordKeyOf,
  type EventKeys,
  type LockedRecord,
  type RecordKey,
  type NewEvent,
  type RecordJson,
  type PlacedEvent,
} from './accept.rules.ts';
import type { CachedAuthentication, IngestRequest } from './request.rules.ts';
import type { FieldValues } from '@callout/domain/values/values';
import type { Transaction } from '@callout/database/connection/database';
import { columns, statementFrom } from '@callout/database/connection/statement/statement';
import type { Sent } from '@callout/database/connection/transaction/transaction';
import { rowSet } from '@callout/database/connection/statement/row-set';
import { foldedValues, termsOf } from '@callout/domain/query/searched-record';
import { LRUCache } from 'lru-cache';
import { isOwnId } from './keys.ts';

/** Each row has either `event_key`, `stale_authentication` or `id`, or only the tenant. */
type LockRow = ClaimedRow | StaleAuthenticationRow | RecordRow | MovingTenantRow;

interface ClaimedRow {
  event_key: string;
  stale_authentication: null;
  tenant_id: number;
}

interface StaleAuthenticationRow {
  event_key: null;
  /** Counts from 1. */
  stale_authentication: number;
}

interface MovingTenantRow {
  event_key: null;
  stale_authentication: null;
  tenant_id: number;
  entity_type: null;
}

interface RecordRow {
  event_key: null;
  stale_authentication: null;
  tenant_id: number;
  entity_type: string;
  id: number;
  version: number;
  fields: FieldValues;
  udf_fields: FieldValues;
  is_deleted: boolean;
}

const lock = statementFrom<LockRow>('ingest/ingest_lock');

/** What a commit locks and checks. */
export interface LockRequest {
  eventKeys: EventKeys;
  /** Each once. */
  records: readonly RecordKey[];
  authentications: readonly CachedAuthentication[];
  /** Tenants of requests without a cached authentication. */
  tenantIds: readonly number[];
}

/** The result of locking. */
export interface Locked {
  /** The eventIDs that were free. */
  claimedKeys: Set<string>;
  /** Those that exist. */
  records: Map<string, LockedRecord>;
  /** The given authentications that are no longer valid. */
  staleAuthentications: Set<CachedAuthentication>;
  /** The tenants of `tenantIds` that are being moved to another zone, or are served there. */
  movingTenantIds: Set<number>;
}

/** Claims eventIDs, locks records and confirms authentications, in one statement. */
export async function lockAll(transaction: Transaction, request: LockRequest): Promise<Locked> {
  const rows = await lock(transaction, [...parametersOf(request), null]);
  const { authentications } = request;
  const claimedKeys = new Set<string>();
  const records = new Map<string, LockedRecord>();
  const staleAuthentications = new Set<CachedAuthentication>();
  const movingTenantIds = new Set<number>();
  for (const row of rows) {
    if (row.event_key !== null) claimedKeys.add(eventKeyOf(row.tenant_id, row.event_key));
    else if (row.stale_authentication !== null)
      staleAuthentications.add(authentications[row.stale_authentication - 1] as CachedAuthentication);
    else if (row.entity_type === null) movingTenantIds.add(row.tenant_id);
    else {
      const locked = lockedRecord(row);
      records.set(recordKeyOf(locked), locked);
    }
  }
  return { claimedKeys, records, staleAuthentications, movingTenantIds };
}

const lockManyRecords = statementFrom<RecordRow & { length: number; is_read: boolean }>('ingest/ingest_lock_many');

/** Many records that are locked. */
export interface LockedMany {
  /** Those that exist; null: they are longer together than what may be read. */
  records: Map<string, LockedRecord> | null;
  /** Of those that exist: how long their values are, in characters of JSON, by `recordKeyOf`. */
  lengths: Map<string, number>;
}

/**
 * Locks the records that exist.
 * @param mostCharacters of JSON that are read.
 */
export async function lockMany(
  transaction: Transaction,
  records: readonly RecordKey[],
  mostCharacters: number,
): Promise<LockedMany> {
  const keys = columns(records, ['tenantId', 'entityType', 'recordId']);
  const rows = await lockManyRecords(transaction, [...keys, mostCharacters]);
  const locked = rows.map((row): [string, LockedRecord] => {
    const one = lockedRecord(row);
    return [recordKeyOf(one), one];
  });
  return {
    records: rows.every((row) => row.is_read) ? new Map(locked) : null,
    lengths: new Map(locked.map(([key], nth) => [key, rows[nth]?.length ?? 0])),
  };
}

const readRecords = statementFrom<RecordRow>('ingest/ingest_read_records');

/** The records among these that exist: `lockMany` has locked them. */
export async function readLocked(
  transaction: Transaction,
  records: readonly RecordKey[],
): Promise<Map<string, LockedRecord>> {
  const rows = await readRecords(transaction, columns(records, ['tenantId', 'entityType', 'recordId']));
  return new Map(rows.map(lockedRecord).map((locked) => [recordKeyOf(locked), locked]));
}

/**
 * The same for what is expected: all eventIDs are free, the authentications are valid, the tenants are served here, and
 * of the records those exist that are given, in these versions. The statement need not be awaited: it raises
 * `AssumptionFailed` when it is not so.
 */
export function lockExpected(
  transaction: Transaction,
  request: LockRequest,
  records: Map<string, LockedRecord>,
): { locked: Locked; sent: Promise<unknown> } {
  const versions = request.records.map((key) => records.get(recordKeyOf(key))?.record.version ?? 0);
  const sent = lock(transaction, [...parametersOf(request), versions]);
  // It is awaited with the last statements; one that fails before them is the reason why they fail.
  sent.catch(() => undefined);
  const claimedKeys = new Set(request.eventKeys.keys());
  return { locked: { claimedKeys, records, staleAuthentications: new Set(), movingTenantIds: new Set() }, sent };
}

function parametersOf({ eventKeys, records, authentications, tenantIds }: LockRequest): unknown[] {
  const names = authentications.map(({ foldedUserName }) => foldedUserName);
  return [
    ...columns([...eventKeys.values()], ['tenantId', 'eventKey', 'eventId', 'contentHash']),
    ...columns(records, ['tenantId', 'entityType', 'recordId']),
    names,
    names.map(userNameHash),
    ...columns(authentications, ['address', 'version']),
    tenantIds,
  ];
}

function lockedRecord(row: RecordRow): LockedRecord {
  const { tenant_id: tenantId, entity_type: entityType, id: recordId, version, fields, udf_fields: udfFields } = row;
  const record = { version, fields, udfFields, isDeleted: row.is_deleted };
  return { tenantId, entityType, recordId, record, json: null, isNew: false };
}

type ChangedRecord = LockedRecord & { json: RecordJson };

/** The records that `ingest_store` writes. */
export const recordSet = rowSet<ChangedRecord>([
  { column: 'tenant_id', type: 'int', from: 'tenantId' },
  { column: 'entity_type', type: 'text', from: 'entityType' },
  { column: 'id', type: 'bigint', from: 'recordId' },
  { column: 'version', type: 'bigint', from: ({ record }) => record.version },
  { column: 'is_deleted', type: 'bool', from: ({ record }) => record.isDeleted },
  { column: 'is_new', type: 'bool', from: 'isNew' },
  { column: 'folded', type: 'jsonb', from: ({ record }) => foldedValues(record) },
  // Array literals: unnest would flatten arrays of arrays.
  { column: 'terms', type: 'text', from: (entry) => termsOf(entry, entry.record) },
  { column: 'fields', documents: 'jsonb', from: ({ json }) => json.fields },
  { column: 'udf_fields', documents: 'jsonb', from: ({ json }) => json.udfFields },
]);

/** The events that `ingest_store` stores. */
export const eventSet = rowSet<NewEvent>([
  { column: 'id', type: 'uuid', from: 'id' },
  { column: 'tenant_id', type: 'int', from: 'tenantId' },
  { column: 'entity_type', type: 'text', from: 'entityType' },
  { column: 'record_id', type: 'bigint', from: 'recordId' },
  { column: 'record_version', type: 'bigint', from: 'recordVersion' },
  { column: 'action', type: 'text', from: 'action' },
  { column: 'person_id', type: 'int', from: 'personId' },
  { column: 'event_key', type: 'text', from: 'eventKey' },
  { column: 'event_time', type: 'timestamptz', from: 'eventTime' },
  { column: 'trace_parent', type: 'text', from: 'traceParent' },
  { column: 'changed_fields', type: 'text', from: ({ changedFields }) => `{${changedFields.join(',')}}` },
  { column: 'changed_udfs', type: 'text', from: ({ changedUdfs }) => `{${changedUdfs.join(',')}}` },
  // Mostly a few characters, or none.
  { column: 'previous', type: 'text', from: 'previousJson' },
  { column: 'characters', type: 'int', from: charactersOf },
  { column: 'fields', documents: 'json', from: 'fieldsJson' },
  { column: 'udf_fields', documents: 'json', from: 'udfFieldsJson' },
]);

function charactersOf({ fieldsJson, udfFieldsJson, previousJson }: NewEvent): number {
  return fieldsJson.length + udfFieldsJson.length + (previousJson?.length ?? 0);
}

const store = statementFrom('ingest/ingest_store');

/** Writes the changed records, and stores the events. */
export function storeAll(
  transaction: Transaction,
  records: ReadonlyMap<string, LockedRecord>,
  events: readonly NewEvent[],
): Sent {
  const changed = [...records.values()].filter(hasChanged);
  // Without a changed record there is no event.
  if (changed.length === 0) return [];
  return [store(transaction, [...recordSet.valuesOf(changed), ...eventSet.valuesOf(events)])];
}

function hasChanged(entry: LockedRecord): entry is ChangedRecord {
  return entry.json !== null;
}

/** With more events the round trip is shared by them, and it is likelier that one of their records has changed. */
const mostEvents = 8;
const mostRecords = 2_000;
const mostCharacters = 8 * 1024 * 1024;
/** Another process may own the record by then. */
const keptMs = 60_000;
/** A wrong expectation costs a transaction: where they are usual, few are made. */
const pauseMs = 1_000;

/**
 * Records as this process has committed them last, so that a commit of a few events need not read them before it
 * decides: it stores what follows from them if they are still so, in one round trip in place of two.
 */
export function createKnownRecords(nowMs: () => number) {
  const known = new LRUCache<string, LockedRecord>({ max: mostRecords, maxSize: mostCharacters, ttl: keptMs });
  let pausedUntilMs = 0;
  return {
    /** The records of a commit; null: they must be read. A record that is not among them is new. */
    expect(requests: readonly IngestRequest[], placed: readonly PlacedEvent[]): Map<string, LockedRecord> | null {
      if (placed.length > mostEvents || nowMs() < pausedUntilMs || requests.some(mustBeRead)) return null;
      const records = new Map<string, LockedRecord>();
      for (const event of placed) {
        const key = recordKeyOf(event);
        const record = known.get(key);
        if (record !== undefined) records.set(key, record);
        else if (event.action !== 'Create') return null;
      }
      return records;
    },
    /** Remembers what a commit of so many events has stored. */
    add(records: ReadonlyMap<string, LockedRecord>, events: number): void {
      if (events > mostEvents) return;
      for (const [key, entry] of records) {
        const { json } = entry;
        if (json === null) continue;
        const size = json.fields.length + json.udfFields.length;
        known.set(key, { ...entry, isNew: false, json: null }, { size });
      }
    },
    /** An expectation was wrong. */
    failed(placed: readonly PlacedEvent[]): void {
      pausedUntilMs = nowMs() + pauseMs;
      for (const event of placed) known.delete(recordKeyOf(event));
    },
  };
}

/** Whether a request needs to know what was stored under its keys. */
function mustBeRead({ idempotencyKey, events }: IngestRequest): boolean {
  return idempotencyKey !== undefined || events.some(({ eventKey }) => eventKey !== null && isOwnId(eventKey));
}
