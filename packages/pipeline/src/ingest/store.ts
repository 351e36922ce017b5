import { foldedValues, termsOf } from '@callout/domain/query/searched-record';
import type { Transaction } from '@callout/database/connection/database';
import { rowSet } from '@callout/database/connection/statement/row-set';
import { statementFrom } from '@callout/database/connection/statement/statement';
import type { Sent } from '@callout/database/connection/transaction/transaction';
import type { Accepted, LockedRecord, NewEvent, RecordJson } from './accept.rules.ts';
import { settleEventKeys } from './event-keys.ts';
import { settleIdempotencyKeys } from './idempotency-keys.ts';

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
  { column: 'terms', type: 'bigint[]', from: (entry) => termsOf(entry, entry.record) },
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
  { column: 'changed_fields', type: 'text[]', from: 'changedFields' },
  { column: 'changed_udfs', type: 'int[]', from: 'changedUdfs' },
  { column: 'previous', type: 'json', from: 'previousJson' },
  { column: 'characters', type: 'int', from: charactersOf },
  { column: 'fields', documents: 'json', from: 'fieldsJson' },
  { column: 'udf_fields', documents: 'json', from: 'udfFieldsJson' },
]);

function charactersOf({ fieldsJson, udfFieldsJson, previousJson }: NewEvent): number {
  return fieldsJson.length + udfFieldsJson.length + (previousJson?.length ?? 0);
}

const store = statementFrom('ingest/ingest_store');

/**
 * Writes the changed records, stores the events, stores or releases the keys. Without waiting for a result: COMMIT
 * follows at once.
 */
export function storeAccepted(
  transaction: Transaction,
  { records, events, eventKeys, idempotencyKeys }: Accepted,
): Sent {
  const changed = [...records.values()].filter(hasChanged);
  return [
    // Without a changed record there is no event.
    ...(changed.length > 0 ? [store(transaction, [...recordSet.jsonOf(changed), ...eventSet.jsonOf(events)])] : []),
    ...(eventKeys.size > 0 ? settleEventKeys(transaction, eventKeys) : []),
    ...(idempotencyKeys.size > 0 ? settleIdempotencyKeys(transaction, idempotencyKeys) : []),
  ];
}

function hasChanged(entry: LockedRecord): entry is ChangedRecord {
  return entry.json !== null;
}
