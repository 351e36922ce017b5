import type { OwnEvent } from './own-event.rules.ts';
import type { Transaction } from '@callout/database/connection/database';
import { columns, statementFrom } from '@callout/database/connection/statement/statement';

const rememberedMs = 24 * 3_600_000;
/** As `newId` makes them: a UUID of version 7 in lower case. */
const ownId = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Whether an eventID has the form of an id that the service makes. */
export function isOwnId(eventKey: string): boolean {
  return ownId.test(eventKey);
}

const findEvents = statementFrom<OwnEvent>('ingest/ingest_find_own_events');

/**
 * The given eventIDs that the service itself made in the last 24 hours. Only text of the form of its own ids is
 * looked for, by primary key. Needs no lock: such an id is known only from a response, so its event is committed.
 */
export async function findOwnEvents(
  transaction: Transaction,
  keys: readonly { tenantId: number; eventKey: string }[],
): Promise<OwnEvent[]> {
  const since = Date.now() - rememberedMs;
  const wanted = keys.filter(({ eventKey }) => isOwnId(eventKey) && madeAtMs(eventKey) > since);
  return wanted.length === 0 ? [] : findEvents(transaction, columns(wanted, ['tenantId', 'eventKey']));
}

/** The first 48 bits of a UUID of version 7 are its time. */
function madeAtMs(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}
