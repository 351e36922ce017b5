import { eventKeyOf, type EventKeys } from './commit-rows.rules.ts';
import type { IngestRequest } from './request.rules.ts';
import type { Transaction } from '@callout/database/connection/database';
import type { Sent } from '@callout/database/connection/transaction/transaction';
import { newId } from '@callout/database/schema/ids';
import { columns, statementFrom } from '@callout/database/connection/statement/statement';
import { findOwnEvents } from './own-event-ids.ts';

interface KeyRow {
  tenant_id: number;
  event_key: string;
  event_id: string;
  content_hash: Buffer;
}

const readKeys = statementFrom<KeyRow>('ingest/ingest_read_keys');

const dropKeys = statementFrom('ingest/ingest_drop_keys');

const correctKeys = statementFrom('ingest/ingest_correct_keys');

/** Every eventID of the requests once, as if it were free. */
export function eventKeysOf(requests: readonly IngestRequest[]): EventKeys {
  const keys: EventKeys = new Map();
  for (const { tenantId, events } of requests) {
    for (const { eventKey, contentHash } of events) {
      if (eventKey === null) continue;
      if (contentHash === null) throw new Error('an event with an eventID needs a contentHash');
      const name = eventKeyOf(tenantId, eventKey);
      if (keys.has(name)) continue;
      const made = { eventId: newId(), storedHash: contentHash, taken: false, ownEvent: null };
      keys.set(name, { tenantId, eventKey, contentHash, ...made });
    }
  }
  return keys;
}

/** Adds the stored data of eventIDs that were not free, and of eventIDs that the service itself assigned. */
export async function readKnownKeys(
  transaction: Transaction,
  keys: EventKeys,
  claimed: ReadonlySet<string>,
): Promise<void> {
  const wanted = [...keys.values()];
  const known = wanted.filter((key) => !claimed.has(eventKeyOf(key.tenantId, key.eventKey)));
  if (known.length > 0) {
    for (const row of await readKeys(transaction, columns(known, ['tenantId', 'eventKey']))) {
      keys.set(eventKeyOf(row.tenant_id, row.event_key), {
        tenantId: row.tenant_id,
        eventKey: row.event_key,
        eventId: row.event_id,
        contentHash: row.content_hash,
        storedHash: row.content_hash,
        taken: true,
        ownEvent: null,
      });
    }
  }
  for (const ownEvent of await findOwnEvents(transaction, wanted)) {
    const name = eventKeyOf(ownEvent.tenantId, ownEvent.id);
    const key = keys.get(name);
    if (key && !key.taken) keys.set(name, { ...key, ownEvent });
  }
}

/** Frees the eventIDs of refused requests, and corrects the stored content of the others. */
export function settleEventKeys(transaction: Transaction, keys: EventKeys): Sent {
  const all = [...keys.values()];
  const free = all.filter((key) => !key.taken);
  const others = all.filter((key) => key.taken && !key.storedHash.equals(key.contentHash));
  return [
    ...(free.length > 0 ? [dropKeys(transaction, columns(free, ['tenantId', 'eventKey']))] : []),
    ...(others.length > 0 ? [correctKeys(transaction, columns(others, ['tenantId', 'eventKey', 'contentHash']))] : []),
  ];
}
