import type { Action, FieldValues } from '@callout/core';
import type { Transaction } from '../connection/database.ts';
import { columns, statementFrom } from '../connection/statement.ts';
import type { IntakeEvent } from './request.ts';

/** An event that was posted without an eventID, so that its id is the eventID that its caller was told. */
export interface OwnEvent {
  tenantId: number;
  id: string;
  entityType: string;
  recordId: number;
  action: Action;
  personId: number;
  eventTime: Date;
  changedFields: string[];
  changedUdfs: number[];
  fields: FieldValues;
  udfFields: FieldValues;
}

const rememberedMs = 24 * 3_600_000;
/** As `newId` makes them: a UUID of version 7 in lower case. */
const ownId = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const findEvents = statementFrom<OwnEvent>('ingest/intake_find_own_events');

/**
 * Those of the given eventIDs that the service made itself in the last 24 hours. Only text of the form of its own ids is
 * looked for, by primary key. Needs no lock: whoever knows such an id was answered with it, so its event is committed.
 */
export async function findOwnEvents(
  transaction: Transaction,
  keys: readonly { tenantId: number; eventKey: string }[],
): Promise<OwnEvent[]> {
  const since = Date.now() - rememberedMs;
  const wanted = keys.filter(({ eventKey }) => ownId.test(eventKey) && madeAtMs(eventKey) > since);
  return wanted.length === 0 ? [] : findEvents(transaction, columns(wanted, ['tenantId', 'eventKey']));
}

/**
 * Whether an event that is posted under the id of a known one may be that one. What was posted then is not kept, only
 * what it made of the record; so the values that are given now must be those that the record had right after it.
 */
export function tellsTheSame(given: IntakeEvent, known: OwnEvent): boolean {
  return (
    given.entityType === known.entityType &&
    given.recordId === known.recordId &&
    given.action === known.action &&
    given.personId === known.personId &&
    (given.eventTime === null || wholeSeconds(given.eventTime) === wholeSeconds(known.eventTime)) &&
    isWithin(given.fields, known.fields) &&
    isWithin(given.udfFields, known.udfFields) &&
    (given.changed === null ||
      (areSame(given.changed.fields, known.changedFields) && areSame(given.changed.udfs, known.changedUdfs)))
  );
}

/** The first 48 bits of a UUID of version 7 are its time. */
function madeAtMs(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

function wholeSeconds(moment: Date): number {
  return Math.floor(moment.getTime() / 1000);
}

function isWithin(given: FieldValues, known: FieldValues): boolean {
  return Object.keys(given).every((name) => Object.hasOwn(known, name) && given[name] === known[name]);
}

function areSame<T>(some: readonly T[], others: readonly T[]): boolean {
  return some.length === others.length && some.every((one) => others.includes(one));
}
