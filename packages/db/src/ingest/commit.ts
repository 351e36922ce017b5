import {
  type CommitState,
  IdTaken,
  type IntakeRequest,
  type IntakeResult,
  type PlacedEvent,
  type RecordKey,
  recordKeyOf,
  takeRequest,
} from '@callout/core/ingest';
import type { Pool } from 'pg';
import { inTransactionEndingWith, type Sent, type Transaction } from '../connection/database.ts';
import { claimEventKeys, settleEventKeys } from './event-keys.ts';
import { storeAllEvents } from './events.ts';
import { raiseAboveAll, reserveRecordIds, type RecordIds } from './record-ids.ts';
import { newId } from '../schema/ids.ts';
import { lockAll, storeAll } from './records.ts';
import { claimRepeatKeys, settleRepeatKeys, takeOnce, type RepeatKeys } from './repeat-keys.ts';

/** What one commit did. */
export interface IntakeCommit {
  /** One result for each request, in their order. */
  results: IntakeResult[];
  /** The events now pending, oldest first. */
  eventIds: string[];
  /** Whose they are, in the same order. */
  tenantIds: number[];
}

/**
 * Takes the events of several requests in one transaction. Each request is taken as a whole or refused as a whole, and a
 * refused one leaves no trace and does not touch the others. What is 'accepted' is committed when this returns.
 *
 * Everything is locked in one order (idempotency keys, eventIDs, records, each sorted), so that any number of commits may
 * run at once without deadlock, and the events of one record get their versions one after another: that is their order.
 */
export function createIntakeCommit(pool: Pool): (requests: readonly IntakeRequest[]) => Promise<IntakeCommit> {
  const seenCounters = new Map<string, number>();
  const commitOnce = async (requests: readonly IntakeRequest[]): Promise<IntakeCommit> => {
    const recordIds = await reserveRecordIds(pool, requests, seenCounters);
    const placed = requests.map((request) => place(request, recordIds));
    return inTransactionEndingWith(pool, async (transaction) => {
      // Sent one behind the other, without waiting for answers: none of them needs what another one finds.
      const [repeatKeys, keys, records] = await Promise.all([
        claimRepeatKeys(transaction, requests),
        claimEventKeys(transaction, requests),
        lockAll(transaction, recordsOf(placed)),
      ]);
      const intake: CommitState = { acceptedAt: new Date(), keys, records, events: [], length: 0, newId };
      const results = placed.map((events, index) => {
        const request = requests[index] ?? {};
        return takeOnce(repeatKeys, request, () => takeRequest(intake, events));
      });
      const { events } = intake;
      const eventIds = events.map(({ id }) => id);
      const result = { results, eventIds, tenantIds: events.map(({ tenantId }) => tenantId) };
      return { result, last: store(transaction, intake, repeatKeys) };
    });
  };
  return async (requests) => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await commitOnce(requests);
      } catch (error) {
        if (!(error instanceof IdTaken) || tries >= maxTries) throw error;
        await raiseAboveAll(pool, error.tenantId, error.entityType);
      }
    }
  };
}

/** Callers that go on choosing ids just above the highest are not waited for longer than this. */
const maxTries = 10;

function place({ tenantId, events }: IntakeRequest, recordIds: RecordIds): PlacedEvent[] {
  return events.map((event) => {
    const isNewId = event.recordId === null;
    return { ...event, tenantId, recordId: recordIds(tenantId, event), isNewId };
  });
}

/** Each record once. Only those that an event may make get a place held for them. */
function recordsOf(requests: readonly PlacedEvent[][]): (RecordKey & { mayBeNew: boolean })[] {
  const records = new Map<string, RecordKey & { mayBeNew: boolean }>();
  for (const event of requests.flat()) {
    const key = recordKeyOf(event);
    const mayBeNew = event.expects !== 'present' || (records.get(key)?.mayBeNew ?? false);
    const { tenantId, entityType, recordId } = event;
    records.set(key, { tenantId, entityType, recordId, mayBeNew });
  }
  return [...records.values()];
}

function store(transaction: Transaction, { records, keys, events }: CommitState, repeatKeys: RepeatKeys): Sent {
  return [
    ...storeAll(transaction, records.values()),
    ...storeAllEvents(transaction, events),
    ...settleEventKeys(transaction, keys),
    ...settleRepeatKeys(transaction, repeatKeys),
  ];
}
