import { userNameHash } from '@callout/domain/secrets/user-name-hash';
import { eventKeyOf, recordKeyOf, type EventKeys, type LockedRecord, type RecordKey } from './commit-rows.rules.ts';
import type { CachedAuthentication } from './request.rules.ts';
import type { FieldValues } from '@callout/domain/values/values';
import type { Transaction } from '@callout/database/connection/database';
import { columns, statementFrom } from '@callout/database/connection/statement/statement';

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
