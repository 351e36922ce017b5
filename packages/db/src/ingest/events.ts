import type { NewEvent } from '@callout/core/ingest';
import type { Sent, Transaction } from '../connection/database.ts';
import { rowSet } from '../connection/row-set.ts';
import { statementFrom } from '../connection/statement.ts';

/** What `intake_store_events` stores. */
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
  // Array literals: unnest would take arrays of arrays apart.
  { column: 'changed_fields', type: 'text', from: ({ changedFields }) => `{${changedFields.join(',')}}` },
  { column: 'changed_udfs', type: 'text', from: ({ changedUdfs }) => `{${changedUdfs.join(',')}}` },
  { column: 'fields', documents: 'json', from: 'fieldsJson' },
  { column: 'udf_fields', documents: 'json', from: 'udfFieldsJson' },
]);

const storeEvents = statementFrom('ingest/intake_store_events');

/** Stores events and books each as pending, in one statement. */
export function storeAllEvents(transaction: Transaction, events: readonly NewEvent[]): Sent {
  return events.length === 0 ? [] : [storeEvents(transaction, eventSet.valuesOf(events))];
}
