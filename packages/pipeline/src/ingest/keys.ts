import { eventKeyOf, type EventKeys, type PlacedEvent } from './accept.rules.ts';
import type { IngestRequest } from './request.rules.ts';
import type { Transaction, Client } from '@callout/database/connection/database';
import type { Sent } from '@callout/database/connection/transaction/transaction';
import { newId, timeOfId } from '@callout/database/schema/ids';
import { columns, statementFrom } from '@callout/database/connection/statement/statement';
import {
  isSameEvent,
  type OwnEvent,
  idempotencyKeyName,
  type IdempotencyKeys,
  type RepeatableResponse,
  type RequestedKey,
} from './repeat.rules.ts';

interface EventKeyRow {
  tenant_id: number;
  event_key: string;
  event_id: string;
  content_hash: Buffer;
}

const readEventKeys = statementFrom<EventKeyRow>('ingest/ingest_read_keys');

const dropEventKeys = statementFrom('ingest/ingest_drop_keys');

const correctEventKeys = statementFrom('ingest/ingest_correct_keys');

/** Every eventID of the requests once, as if it were free. */
export function eventKeysOf(requests: readonly IngestRequest[]): EventKeys {
  const keys: EventKeys = new Map();
  for (const { tenantId, events } of requests) {
    for (const { eventKey, contentHash } of events) {
      if (eventKey === null) continue;
      if (contentHash === null) throw new Error('an event with an eventID needs a contentHash');
      const name = eventKeyOf(tenantId, eventKey);
      if (keys.has(name)) continue;
      const made = { eventId: newId(), storedHash: contentHash, taken: false, repeatsOfOwn: null };
      keys.set(name, { tenantId, eventKey, contentHash, ...made });
    }
  }
  return keys;
}

/**
 * Adds the stored data of eventIDs that were not free, and of eventIDs that the service itself assigned.
 * @param events those that have the keys.
 */
export async function readKnownKeys(
  transaction: Transaction,
  keys: EventKeys,
  claimed: ReadonlySet<string>,
  events: readonly PlacedEvent[],
): Promise<void> {
  const wanted = [...keys.values()];
  const known = wanted.filter((key) => !claimed.has(eventKeyOf(key.tenantId, key.eventKey)));
  if (known.length > 0) {
    for (const row of await readEventKeys(transaction, columns(known, ['tenantId', 'eventKey']))) {
      keys.set(eventKeyOf(row.tenant_id, row.event_key), {
        tenantId: row.tenant_id,
        eventKey: row.event_key,
        eventId: row.event_id,
        contentHash: row.content_hash,
        storedHash: row.content_hash,
        taken: true,
        repeatsOfOwn: null,
      });
    }
  }
  const own = ownKeys(wanted);
  const eventsOf = own.length === 0 ? new Map<string, PlacedEvent[]>() : eventsByKey(events);
  for (let at = 0; at < own.length; at += ownEventsPerRead) {
    const part = own.slice(at, at + ownEventsPerRead);
    for (const ownEvent of await findEvents(transaction, columns(part, ['tenantId', 'eventKey']))) {
      const name = eventKeyOf(ownEvent.tenantId, ownEvent.id);
      const key = keys.get(name);
      if (!key || key.taken) continue;
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
    const others = byKey.get(name);
    if (others) others.push(event);
    else byKey.set(name, [event]);
  }
  return byKey;
}

/** Frees the eventIDs of refused requests, and corrects the stored content of the others. */
export function settleEventKeys(transaction: Transaction, keys: EventKeys): Sent {
  const all = [...keys.values()];
  const free = all.filter((key) => !key.taken);
  const others = all.filter((key) => key.taken && !key.storedHash.equals(key.contentHash));
  return [
    ...(free.length > 0 ? [dropEventKeys(transaction, columns(free, ['tenantId', 'eventKey']))] : []),
    ...(others.length > 0
      ? [correctEventKeys(transaction, columns(others, ['tenantId', 'eventKey', 'contentHash']))]
      : []),
  ];
}

const rememberedMs = 24 * 3_600_000;
/** As `newId` makes them: a UUID of version 7 in lower case. */
const ownId = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Whether an eventID has the form of an id that the service makes. */
export function isOwnId(eventKey: string): boolean {
  return ownId.test(eventKey);
}

const findEvents = statementFrom<OwnEvent>('ingest/ingest_find_own_events');

/** Each has all values of its record: memory has no more of them at once. */
const ownEventsPerRead = 100;

/**
 * The given eventIDs that the service itself may have made in the last 24 hours. Only text of the form of its own ids is
 * looked for, by primary key. Needs no lock: such an id is known only from a response, so its event is committed.
 */
function ownKeys<Key extends { eventKey: string }>(keys: readonly Key[]): Key[] {
  const since = Date.now() - rememberedMs;
  return keys.filter(({ eventKey }) => isOwnId(eventKey) && timeOfId(eventKey).getTime() > since);
}

interface StoredResponseRow {
  /** Counts from 1. */
  nth: number;
  request_hash: Buffer;
  status: number;
  body: string | null;
}

const claimKeys = statementFrom<{ credential_id: number; route: string; key: string }>(
  'ingest/ingest_claim_idempotency_keys',
);

const readResponses = statementFrom<StoredResponseRow>('ingest/ingest_read_idempotency_keys');

const storeResponses = statementFrom('ingest/ingest_store_responses');

const releaseKeys = statementFrom('ingest/ingest_drop_idempotency_keys');

const keyColumns = ['credentialId', 'route', 'key'] as const;

/**
 * Claims the keys of the requests that are free, and reads the responses under the others. Comes before everything
 * else that a commit locks.
 */
export async function claimIdempotencyKeys(
  transaction: Transaction,
  requests: readonly IngestRequest[],
): Promise<IdempotencyKeys> {
  const keys: IdempotencyKeys = new Map();
  for (const { idempotencyKey } of requests) {
    if (!idempotencyKey) continue;
    const { credentialId, route, key, requestHash } = idempotencyKey;
    keys.set(idempotencyKeyName(idempotencyKey), {
      credentialId,
      route,
      key,
      requestHash,
      response: null,
      isOurs: true,
    });
  }
  if (keys.size === 0) return keys;
  const requested = [...keys.values()];
  const claimed = await claimKeys(transaction, columns(requested, [...keyColumns, 'requestHash']));
  if (claimed.length === requested.length) return keys;
  const ours = new Set(claimed.map((row) => idempotencyKeyName({ ...row, credentialId: row.credential_id })));
  const known = requested.filter((key) => !ours.has(idempotencyKeyName(key)));
  // Requests of this commit that share a key may differ.
  const ofAnyRequest = known.map((key) => ({ ...key, requestHash: null }));
  for (const [key, kept] of await findResponses(transaction, ofAnyRequest)) {
    keys.set(idempotencyKeyName(key), { ...key, ...kept, isOurs: false });
  }
  return keys;
}

/**
 * The stored responses under the given keys. A key may be given with several requests. Without its body where the key
 * belongs to a request with another hash: a short request must not make this process read a long response.
 */
export async function findResponses<Name extends RequestedKey>(
  client: Client,
  names: readonly Name[],
): Promise<Map<Name, RepeatableResponse>> {
  const found = new Map<Name, RepeatableResponse>();
  const rows = await readResponses(client, columns(names, [...keyColumns, 'requestHash']));
  for (const { nth, request_hash: requestHash, status, body } of rows) {
    found.set(names[nth - 1] as Name, { requestHash, response: { status, body: body ?? '' } });
  }
  return found;
}

/** Stores the responses to accepted requests, and releases the keys of refused ones. */
export function settleIdempotencyKeys(transaction: Transaction, keys: IdempotencyKeys): Sent {
  const ours = [...keys.values()].filter(({ isOurs }) => isOurs);
  const taken = ours.flatMap(({ response, ...key }) => (response ? [{ ...key, ...response }] : []));
  const free = ours.filter(({ response }) => response === null);
  const answers = (): unknown[][] => columns(taken, [...keyColumns, 'requestHash', 'status', 'body']);
  return [
    ...(taken.length > 0 ? [storeResponses(transaction, answers())] : []),
    ...(free.length > 0 ? [releaseKeys(transaction, columns(free, keyColumns))] : []),
  ];
}
