import { LRUCache } from 'lru-cache';
import { recordKeyOf, type LockedRecord } from './commit-rows.rules.ts';
import type { PlacedEvent } from './accept.rules.ts';
import type { IngestRequest } from './request.rules.ts';
import { isOwnId } from './own-event-ids.ts';

/**
 * Records as this process has committed them last, so that a commit of a few events need not read them before it
 * decides: it stores what follows from them if they are still so, in one round trip in place of two.
 */
export interface KnownRecords {
  /** The records of a commit; null: they must be read. A record that is not among them is new. */
  expect(requests: readonly IngestRequest[], placed: readonly PlacedEvent[]): Map<string, LockedRecord> | null;
  /** Remembers what a commit of so many events has stored. */
  add(records: ReadonlyMap<string, LockedRecord>, events: number): void;
  /** An expectation was wrong. */
  failed(placed: readonly PlacedEvent[]): void;
}

/** With more events the round trip is shared by them, and it is likelier that one of their records has changed. */
const mostEvents = 8;
const mostRecords = 2_000;
const mostCharacters = 8 * 1024 * 1024;
/** Another process may own the record by then. */
const keptMs = 60_000;
/** A wrong expectation costs a transaction: where they are usual, few are made. */
const pauseMs = 1_000;

export function createKnownRecords(nowMs: () => number): KnownRecords {
  const known = new LRUCache<string, LockedRecord>({ max: mostRecords, maxSize: mostCharacters, ttl: keptMs });
  let pausedUntilMs = 0;
  return {
    expect(requests, placed) {
      if (placed.length > mostEvents || nowMs() < pausedUntilMs || requests.some(mustBeRead)) return null;
      const records = new Map<string, LockedRecord>();
      for (const event of placed) {
        const key = recordKeyOf(event);
        const record = known.get(key);
        if (record !== undefined) records.set(key, record);
        else if (event.action !== 'Create') return null;
      }
      return records;
    },
    add(records, events) {
      if (events > mostEvents) return;
      for (const [key, entry] of records) {
        const { json } = entry;
        if (json === null) continue;
        const size = json.fields.length + json.udfFields.length;
        known.set(key, { ...entry, isNew: false, json: null }, { size });
      }
    },
    failed(placed) {
      pausedUntilMs = nowMs() + pauseMs;
      for (const event of placed) known.delete(recordKeyOf(event));
    },
  };
}

/** Whether a request needs to know what was stored under its keys. */
function mustBeRead({ idempotencyKey, events }: IngestRequest): boolean {
  return idempotencyKey !== undefined || events.some(({ eventKey }) => eventKey !== null && isOwnId(eventKey));
}
