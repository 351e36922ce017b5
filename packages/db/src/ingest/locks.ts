import {
  eventKeyOf,
  recordKeyOf,
  unseenRecord,
  type EventKeys,
  type FieldValues,
  type LockedRecord,
  type RecordKey,
  type SignInProof,
} from '@callout/core/ingest';
import type { Transaction } from '../connection/database.ts';
import { columns, statementFrom } from '../connection/statement/statement.ts';
import { userNameHash } from '../tenants/sign-in-failures.ts';

/** Of each row either `event_key`, `stale_sign_in` or `id` is there, or only the tenant. */
type LockRow = ClaimedRow | StaleSignInRow | RecordRow | MovingTenantRow;

interface ClaimedRow {
  event_key: string;
  stale_sign_in: null;
  tenant_id: number;
}

interface StaleSignInRow {
  event_key: null;
  /** Counts from 1. */
  stale_sign_in: number;
}

interface MovingTenantRow {
  event_key: null;
  stale_sign_in: null;
  tenant_id: number;
  entity_type: null;
}

interface RecordRow {
  event_key: null;
  stale_sign_in: null;
  tenant_id: number;
  entity_type: string;
  id: number;
  version: number;
  /** Null for the place of a record that has never been seen. */
  fields: FieldValues | null;
  udf_fields: FieldValues | null;
  is_deleted: boolean;
}

const lock = statementFrom<LockRow>('ingest/intake_lock');

/** What a commit wants to hold. */
export interface Wanted {
  eventKeys: EventKeys;
  /** Each once; `mayBeNew` are those that need not be there yet. */
  records: readonly (RecordKey & { mayBeNew: boolean })[];
  signIns: readonly SignInProof[];
  /** Tenants of requests that have no sign-in to confirm. */
  tenantIds: readonly number[];
}

/** What it holds. */
export interface Locked {
  /** The eventIDs that were free. */
  claimedKeys: Set<string>;
  records: Map<string, LockedRecord>;
  /** Those that are no longer as they were; the objects that were given. */
  staleSignIns: Set<SignInProof>;
  /** Those of `tenantIds` that are being moved to another zone, or are served there. */
  movingTenantIds: Set<number>;
  /** A record that may be new is neither there nor was its place free; see `RecordAppeared`. */
  isIncomplete: boolean;
}

/**
 * Another transaction made a record while this one was about to add its placeholder. The commit has to start over, which then
 * sees it: to lock it now would be out of order.
 */
export class RecordAppeared extends Error {
  constructor() {
    super('another transaction made a record at the same time');
  }
}

/** Claims eventIDs, locks records and confirms sign-ins, in one statement. */
export async function lockAll(
  transaction: Transaction,
  { eventKeys, records: wanted, signIns, tenantIds }: Wanted,
): Promise<Locked> {
  const names = signIns.map(({ foldedUserName }) => foldedUserName);
  const rows = await lock(transaction, [
    ...columns([...eventKeys.values()], ['tenantId', 'eventKey', 'eventId', 'contentHash']),
    ...columns(wanted, ['tenantId', 'entityType', 'recordId', 'mayBeNew']),
    names,
    names.map(userNameHash),
    ...columns(signIns, ['address', 'stamp']),
    tenantIds,
  ]);
  const claimedKeys = new Set<string>();
  const records = new Map<string, LockedRecord>();
  const staleSignIns = new Set<SignInProof>();
  const movingTenantIds = new Set<number>();
  for (const row of rows) {
    if (row.event_key !== null) claimedKeys.add(eventKeyOf(row.tenant_id, row.event_key));
    else if (row.stale_sign_in !== null) staleSignIns.add(signIns[row.stale_sign_in - 1] as SignInProof);
    else if (row.entity_type === null) movingTenantIds.add(row.tenant_id);
    else {
      const locked = lockedRecord(row);
      records.set(recordKeyOf(locked), locked);
    }
  }
  const isIncomplete = wanted.some((key) => key.mayBeNew && !records.has(recordKeyOf(key)));
  return { claimedKeys, records, staleSignIns, movingTenantIds, isIncomplete };
}

function lockedRecord(row: RecordRow): LockedRecord {
  const { tenant_id: tenantId, entity_type: entityType, id: recordId, version, fields, udf_fields: udfFields } = row;
  const isPlaceholder = fields === null || udfFields === null;
  const record = isPlaceholder ? unseenRecord : { version, fields, udfFields, isDeleted: row.is_deleted };
  return { tenantId, entityType, recordId, record, json: null, isPlaceholder };
}
