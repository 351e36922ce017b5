import { eventKeyOf, type EventKeys, type IntakeRequest } from '@callout/core/ingest';
import type { Sent, Transaction } from '../connection/database.ts';
import { newId } from '../schema/ids.ts';
import { columns, statementFrom } from '../connection/statement.ts';
import { findOwnEvents } from './own-event-ids.ts';

interface KeyRow {
  tenant_id: number;
  event_key: string;
  event_id: string;
  content_hash: Buffer;
}

const claimKeys = statementFrom<Pick<KeyRow, 'tenant_id' | 'event_key'>>('ingest/intake_claim_keys');

const readKeys = statementFrom<KeyRow>('ingest/intake_read_keys');

const dropKeys = statementFrom('ingest/intake_drop_keys');

const correctKeys = statementFrom('ingest/intake_correct_keys');

/** Claims every eventID of the requests that is free and tells the content of those that are not. */
export async function claimEventKeys(transaction: Transaction, requests: readonly IntakeRequest[]): Promise<EventKeys> {
  const keys: EventKeys = new Map();
  for (const { tenantId, events } of requests) {
    for (const { eventKey, contentHash } of events) {
      if (eventKey === null) continue;
      if (contentHash === null) throw new Error('an event with an eventID needs a contentHash');
      const name = eventKeyOf(tenantId, eventKey);
      if (!keys.has(name)) {
        const made = { eventId: newId(), storedHash: contentHash, taken: false, ownEvent: null };
        keys.set(name, { tenantId, eventKey, contentHash, ...made });
      }
    }
  }
  if (keys.size === 0) return keys;
  const wanted = [...keys.values()];
  const claimed = await claimKeys(transaction, columns(wanted, ['tenantId', 'eventKey', 'eventId', 'contentHash']));
  const ours = new Set(claimed.map((row) => eventKeyOf(row.tenant_id, row.event_key)));
  const known = wanted.filter((key) => !ours.has(eventKeyOf(key.tenantId, key.eventKey)));
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
  return keys;
}

/** Frees the eventIDs that no event took after all, since their requests were refused, and tells the others' content. */
export function settleEventKeys(transaction: Transaction, keys: EventKeys): Sent {
  const all = [...keys.values()];
  const free = all.filter((key) => !key.taken);
  const others = all.filter((key) => key.taken && !key.storedHash.equals(key.contentHash));
  return [
    ...(free.length > 0 ? [dropKeys(transaction, columns(free, ['tenantId', 'eventKey']))] : []),
    ...(others.length > 0 ? [correctKeys(transaction, columns(others, ['tenantId', 'eventKey', 'contentHash']))] : []),
  ];
}
