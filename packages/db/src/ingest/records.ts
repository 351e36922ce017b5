import { unseenRecord, type FieldValues, type KnownRecord } from '@callout/core';
import type { Sent, Transaction } from '../connection/database.ts';
import { foldedRecord } from '../search/folded-record.ts';
import { columns, jsonArray, statement } from '../connection/statement.ts';

export interface RecordKey {
  tenantId: number;
  entityType: string;
  recordId: number;
}

interface RecordRow {
  tenant_id: number;
  entity_type: string;
  id: number;
  version: number;
  fields: FieldValues;
  udf_fields: FieldValues;
  is_deleted: boolean;
}

// Sorted, like everything that locks records: whoever wants the same ones waits instead of deadlocking. A placeholder
// (version 0) holds the place of a record that nobody has seen, so that two first events of it cannot both be first.
const insertPlaceholders = statement(
  'intake_insert_placeholders',
  `INSERT INTO records (tenant_id, entity_type, id, version, fields, udf_fields)
   SELECT k.tenant_id, k.entity_type, k.id, 0, '{}', '{}'
   FROM unnest($1::int[], $2::text[], $3::bigint[]) AS k (tenant_id, entity_type, id)
   WHERE NOT EXISTS (SELECT FROM records r WHERE (r.tenant_id, r.entity_type, r.id) = (k.tenant_id, k.entity_type, k.id))
   ORDER BY 1, 2, 3 ON CONFLICT DO NOTHING`,
);

const lockRecords = statement<RecordRow>(
  'intake_lock_records',
  `SELECT r.* FROM (
     SELECT * FROM unnest($1::int[], $2::text[], $3::bigint[]) AS k (tenant_id, entity_type, id) ORDER BY 1, 2, 3
   ) AS k, LATERAL (
     SELECT tenant_id, entity_type, id, version, fields, udf_fields, deleted_at IS NOT NULL AS is_deleted FROM records
     WHERE (tenant_id, entity_type, id) = (k.tenant_id, k.entity_type, k.id) FOR NO KEY UPDATE
   ) AS r`,
);

// Documents come as one JSON array of each kind: as elements of PostgreSQL arrays, each of their quotes would have to be
// escaped here and unescaped there, which costs more than all else that is done with them.
const storeRecords = statement(
  'intake_store_records',
  `INSERT INTO records (tenant_id, entity_type, id, version, fields, udf_fields, folded, deleted_at)
   SELECT tenant_id, entity_type, id, version, fields, udf_fields, folded, CASE WHEN is_deleted THEN now() END
   FROM ROWS FROM (
     unnest($1::int[], $2::text[], $3::bigint[], $4::bigint[], $5::bool[]),
     json_array_elements($6::json), json_array_elements($7::json), jsonb_array_elements($8::jsonb)
   ) AS r (tenant_id, entity_type, id, version, is_deleted, fields, udf_fields, folded)
   ORDER BY 1, 2, 3
   ON CONFLICT (tenant_id, entity_type, id) DO UPDATE SET version = excluded.version, fields = excluded.fields,
     udf_fields = excluded.udf_fields, folded = excluded.folded, deleted_at = excluded.deleted_at`,
);

const dropPlaceholders = statement(
  'intake_drop_placeholders',
  `DELETE FROM records r USING unnest($1::int[], $2::text[], $3::bigint[]) AS k (tenant_id, entity_type, id)
   WHERE (r.tenant_id, r.entity_type, r.id) = (k.tenant_id, k.entity_type, k.id) AND r.version = 0`,
);

const keyColumns = ['tenantId', 'entityType', 'recordId'] as const;

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
    ...(changed.length > 0 ? [storeRecords(transaction, recordColumns(changed))] : []),
    ...(empty.length > 0 ? [dropPlaceholders(transaction, columns(empty, keyColumns))] : []),
  ];
}

function recordColumns(changed: readonly (LockedRecord & { json: RecordJson })[]): unknown[] {
  return [
    ...columns(changed, keyColumns),
    changed.map(({ record }) => record.version),
    changed.map(({ record }) => record.isDeleted),
    jsonArray(changed.map(({ json }) => json.fields)),
    jsonArray(changed.map(({ json }) => json.udfFields)),
    jsonArray(changed.map((entry) => foldedRecord(entry, entry.record))),
  ];
}
