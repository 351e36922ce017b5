import type { Action } from '@callout/core';
import type { Sent, Transaction } from '../connection/database.ts';
import { columns, jsonArray, statement } from '../connection/statement.ts';

/** An event as it is stored, together with the work it leaves to be done. */
export interface NewEvent {
  id: string;
  tenantId: number;
  entityType: string;
  recordId: number;
  recordVersion: number;
  action: Action;
  personId: number;
  eventKey: string | null;
  eventTime: Date;
  changedFields: string[];
  changedUdfs: number[];
  /** All known values right after the event: what callouts are built from, whatever happens to the record later. */
  fieldsJson: string;
  udfFieldsJson: string;
}

/** The sweep leaves an event alone this long: the job that its intake put into Redis comes first. */
const firstWake = "interval '5 seconds'";

// Lists go in as array literals in text: unnest takes arrays of arrays apart. Documents go in as one JSON array: as
// elements of an array of PostgreSQL, each of their quotes would have to be escaped.
const storeEvents = statement(
  'intake_store_events',
  `WITH new AS (
     SELECT * FROM ROWS FROM (
       unnest($1::uuid[], $2::int[], $3::text[], $4::bigint[], $5::bigint[], $6::text[], $7::int[], $8::text[],
         $9::timestamptz[], $10::text[], $11::text[]),
       json_array_elements($12::json), json_array_elements($13::json)
     ) AS e (id, tenant_id, entity_type, record_id, record_version, action, person_id, event_key, event_time,
       changed_fields, changed_udfs, fields, udf_fields)
   ), stored AS (
     INSERT INTO events (id, tenant_id, entity_type, record_id, record_version, action, person_id, event_key, event_time,
       changed_fields, changed_udfs, fields, udf_fields)
     SELECT id, tenant_id, entity_type, record_id, record_version, action, person_id, event_key, event_time,
       changed_fields::text[], changed_udfs::int[], fields, udf_fields FROM new
   )
   INSERT INTO pending_events (event_id, tenant_id, entity_type, record_id, record_version, wake_at)
   SELECT id, tenant_id, entity_type, record_id, record_version, now() + ${firstWake} FROM new`,
);

/** Stores events and books each as pending, in one statement. */
export function storeAllEvents(transaction: Transaction, events: readonly NewEvent[]): Sent {
  return events.length === 0 ? [] : [storeEvents(transaction, eventColumns(events))];
}

function eventColumns(events: readonly NewEvent[]): unknown[] {
  return [
    ...columns(events, [
      'id',
      'tenantId',
      'entityType',
      'recordId',
      'recordVersion',
      'action',
      'personId',
      'eventKey',
      'eventTime',
    ]),
    events.map((event) => `{${event.changedFields.join(',')}}`),
    events.map((event) => `{${event.changedUdfs.join(',')}}`),
    jsonArray(events.map((event) => event.fieldsJson)),
    jsonArray(events.map((event) => event.udfFieldsJson)),
  ];
}
