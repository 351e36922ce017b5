import {
  type FieldValues,
  type LockedRecord,
  type RecordJson,
  type RecordKey,
  recordKeyOf,
  unseenRecord,
} from '@callout/core/ingest';
import type { Sent, Transaction } from '../connection/database.ts';
import { foldedRecord } from '../search/folded-record.ts';
import { rowSet } from '../connection/row-set.ts';
import { columns, statementFrom } from '../connection/statement.ts';

interface RecordRow {
  tenant_id: number;
  entity_type: string;
  id: number;
  version: number;
  fields: FieldValues;
  udf_fields: FieldValues;
  is_deleted: boolean;
}

const insertPlaceholders = statementFrom('ingest/intake_insert_placeholders');

const lockRecords = statementFrom<RecordRow>('ingest/intake_lock_records');

/** What `intake_store_records` stores. */
export const recordSet = rowSet<LockedRecord & { json: RecordJson }>([
  { column: 'tenant_id', type: 'int', from: 'tenantId' },
  { column: 'entity_type', type: 'text', from: 'entityType' },
  { column: 'id', type: 'bigint', from: 'recordId' },
  { column: 'version', type: 'bigint', from: ({ record }) => record.version },
  { column: 'is_deleted', type: 'bool', from: ({ record }) => record.isDeleted },
  { column: 'fields', documents: 'json', from: ({ json }) => json.fields },
  { column: 'udf_fields', documents: 'json', from: ({ json }) => json.udfFields },
  { column: 'folded', documents: 'jsonb', from: (entry) => foldedRecord(entry, entry.record) },
]);

const storeRecords = statementFrom('ingest/intake_store_records');

const dropPlaceholders = statementFrom('ingest/intake_drop_placeholders');

const keyColumns = ['tenantId', 'entityType', 'recordId'] as const;

/** Locks records in one order. `mayBeNew` are those that need not be there yet. */
export async function lockAll(
  transaction: Transaction,
  keys: readonly (RecordKey & { mayBeNew: boolean })[],
): Promise<Map<string, LockedRecord>> {
  const locked = new Map<string, LockedRecord>();
  if (keys.length === 0) return locked;
  const mayBeNew = keys.filter((key) => key.mayBeNew);
  const [, rows] = await Promise.all([
    mayBeNew.length > 0 && insertPlaceholders(transaction, columns(mayBeNew, keyColumns)),
    lockRecords(transaction, columns(keys, keyColumns)),
  ]);
  for (const row of rows) {
    const key = { tenantId: row.tenant_id, entityType: row.entity_type, recordId: row.id };
    const isPlaceholder = row.version === 0;
    const record = isPlaceholder
      ? unseenRecord
      : { version: row.version, fields: row.fields, udfFields: row.udf_fields, isDeleted: row.is_deleted };
    locked.set(recordKeyOf(key), { ...key, record, json: null, isPlaceholder });
  }
  return locked;
}

/** Writes what became of the locked records, and takes away the places that nothing came to fill. */
export function storeAll(transaction: Transaction, locked: Iterable<LockedRecord>): Sent {
  const all = [...locked];
  const changed = all.flatMap((entry) => (entry.json ? [{ ...entry, json: entry.json }] : []));
  const empty = all.filter((entry) => entry.isPlaceholder && !entry.json);
  return [
    ...(changed.length > 0 ? [storeRecords(transaction, recordSet.valuesOf(changed))] : []),
    ...(empty.length > 0 ? [dropPlaceholders(transaction, columns(empty, keyColumns))] : []),
  ];
}
