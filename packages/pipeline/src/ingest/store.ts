import type { LockedRecord, NewEvent, RecordJson } from './commit-rows.rules.ts';
import type { Transaction } from '@callout/database/connection/database';
import type { Sent } from '@callout/database/connection/transaction/transaction';
import { rowSet } from '@callout/database/connection/statement/row-set';
import { statementFrom } from '@callout/database/connection/statement/statement';
import { foldedValues, termsOf } from '@callout/domain/query/searched-record';

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
  { column: 'fields', documents: 'json', from: 'fieldsJson' },
  { column: 'udf_fields', documents: 'json', from: 'udfFieldsJson' },
]);

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
