import type { Action } from '@callout/core';
import type { Sent, Transaction } from '../connection/database.ts';
import { columns, jsonArray, statementFrom } from '../connection/statement.ts';

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

const storeEvents = statementFrom('ingest/intake_store_events');

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
