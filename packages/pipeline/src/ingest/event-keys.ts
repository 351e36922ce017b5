import type { Transaction } from '@callout/database/connection/database';
import { columns, statementFrom } from '@callout/database/connection/statement/statement';
import type { Sent } from '@callout/database/connection/transaction/transaction';
import { timeOfId } from '@callout/database/schema/ids';
import { eventKeyOf, isSameEvent, type EventKey, type EventKeys, type OwnEvent } from './event-keys.rules.ts';
import type { PlacedEvent } from './request.rules.ts';

interface EventKeyRow {
  tenant_id: number;
  event_key: string;
  event_id: string;
  content_hash: Buffer;
}

const readEventKeys = statementFrom<EventKeyRow>('ingest/ingest_read_keys');

const dropEventKeys = statementFrom('ingest/ingest_drop_keys');

const correctEventKeys = statementFrom('ingest/ingest_correct_keys');

const findOwnEvents = statementFrom<OwnEvent>('ingest/ingest_find_own_events');

/** Each own event has all values of the record: memory has no more of them at once. */
const ownEventsPerRead = 100;

/**
 * Adds the stored data of eventIDs that were not free, and of eventIDs that the service itself assigned.
 * @param claimed the eventIDs that were free, by `eventKeyOf`.
 * @param events the events with the eventIDs.
 */
export async function readUsedEventKeys(
  transaction: Transaction,
  keys: EventKeys,
  claimed: ReadonlySet<string>,
  events: readonly PlacedEvent[],
): Promise<void> {
  const requested = [...keys.values()];
  const used = requested.filter((key) => !claimed.has(eventKeyOf(key.tenantId, key.eventKey)));
  if (used.length > 0) {
    for (const row of await readEventKeys(transaction, columns(used, ['tenantId', 'eventKey']))) {
      keys.set(eventKeyOf(row.tenant_id, row.event_key), {
        tenantId: row.tenant_id,
        eventKey: row.event_key,
        eventId: row.event_id,
        contentHash: row.content_hash,
        storedHash: row.content_hash,
        hasEvent: true,
        repeatsOfOwn: null,
      });
    }
  }
  const ownKeys = requested.filter(({ eventKey }) => mayBeOwnId(eventKey));
  const eventsOf = ownKeys.length === 0 ? new Map<string, PlacedEvent[]>() : eventsByKey(events);
  for (let at = 0; at < ownKeys.length; at += ownEventsPerRead) {
    const part = ownKeys.slice(at, at + ownEventsPerRead);
    for (const ownEvent of await findOwnEvents(transaction, columns(part, ['tenantId', 'eventKey']))) {
      const name = eventKeyOf(ownEvent.tenantId, ownEvent.id);
      const key = keys.get(name);
      if (!key || key.hasEvent) continue;
      const repeats = (eventsOf.get(name) ?? []).filter((event) => isSameEvent(event, ownEvent));
      keys.set(name, { ...key, repeatsOfOwn: new Set(repeats) });
    }
  }
}

function eventsByKey(events: readonly PlacedEvent[]): Map<string, PlacedEvent[]> {
  const byKey = new Map<string, PlacedEvent[]>();
  for (const event of events) {
    if (event.eventKey === null) continue;
    const name = eventKeyOf(event.tenantId, event.eventKey);
    const ofKey = byKey.get(name);
    if (ofKey) ofKey.push(event);
    else byKey.set(name, [event]);
  }
  return byKey;
}

const rememberedMs = 24 * 3_600_000;
/** As `newId` makes ids: a UUID of version 7 in lower case. */
const ownId = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/**
 * Whether the service itself may have made an eventID in the last 24 hours. Such events are looked up by primary key and
 * without a lock: a caller knows the id from a response, so the event is committed.
 */
function mayBeOwnId(eventKey: string): boolean {
  return ownId.test(eventKey) && timeOfId(eventKey).getTime() > Date.now() - rememberedMs;
}

/** Frees the eventIDs of refused requests, and corrects the stored content of accepted events. */
export function settleEventKeys(transaction: Transaction, keys: EventKeys): Sent {
  const free: EventKey[] = [];
  const corrected: EventKey[] = [];
  for (const key of keys.values()) {
    if (!key.hasEvent) free.push(key);
    else if (!key.storedHash.equals(key.contentHash)) corrected.push(key);
  }
  return [
    ...(free.length > 0 ? [dropEventKeys(transaction, columns(free, ['tenantId', 'eventKey']))] : []),
    ...(corrected.length > 0
      ? [correctEventKeys(transaction, columns(corrected, ['tenantId', 'eventKey', 'contentHash']))]
      : []),
  ];
}
