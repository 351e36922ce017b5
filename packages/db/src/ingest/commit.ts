import {
  type CommitState,
  IdTaken,
  type IntakeRequest,
  type IntakeResult,
  type PlacedEvent,
  type RecordKey,
  recordKeyOf,
  type SignInProof,
  takeRequest,
} from '@callout/core/ingest';
import type { Pool } from 'pg';
import { inTransactionEndingWith } from '../connection/database.ts';
import { nameTransactionTrace } from '../connection/transaction/transaction-trace.ts';
import { eventKeysOf, readKnownKeys, settleEventKeys } from './event-keys.ts';
import { lockAll, RecordAppeared } from './locks.ts';
import { reserveRecordIds, type RecordIds } from './record-ids.ts';
import { newId } from '../schema/ids.ts';
import { claimRepeatKeys, settleRepeatKeys, takeOnce } from './repeat-keys.ts';
import { storeAll } from './store.ts';

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
  const madeCounters = new Set<string>();
  const commitOnce = async (requests: readonly IntakeRequest[]): Promise<IntakeCommit> => {
    const recordIds = await reserveRecordIds(pool, requests, madeCounters);
    const placed = requests.map((request) => place(request, recordIds));
    const keys = eventKeysOf(requests);
    return inTransactionEndingWith(pool, async (transaction) => {
      nameTransactionTrace(transaction, 'commit', () => requests.map(({ traceParent }) => traceParent));
      // Sent one behind the other, without waiting for answers: neither needs what the other one finds.
      const [repeatKeys, { claimedKeys, records, staleSignIns, movingTenantIds, isIncomplete }] = await Promise.all([
        claimRepeatKeys(transaction, requests),
        lockAll(transaction, {
          eventKeys: keys,
          records: recordsOf(placed),
          signIns: signInsOf(requests),
          tenantIds: unprovenTenants(requests),
        }),
      ]);
      if (isIncomplete) throw new RecordAppeared();
      if (keys.size > 0) await readKnownKeys(transaction, keys, claimedKeys);
      const intake: CommitState = { acceptedAt: new Date(), keys, records, events: [], length: 0, newId };
      const results = placed.map((events, index): IntakeResult => {
        const { tenantId = 0, repeatKey, signIn, traceParent } = requests[index] ?? {};
        if (signIn && staleSignIns.has(signIn)) return { kind: 'staleSignIn' };
        if (!signIn && movingTenantIds.has(tenantId)) return { kind: 'moving' };
        return takeOnce(repeatKeys, repeatKey, () => takeRequest(intake, events, traceParent));
      });
      const { events } = intake;
      const eventIds = events.map(({ id }) => id);
      const result = { results, eventIds, tenantIds: events.map(({ tenantId }) => tenantId) };
      const last = [
        ...storeAll(transaction, records, events),
        ...settleEventKeys(transaction, keys),
        ...settleRepeatKeys(transaction, repeatKeys),
      ];
      return { result, last };
    });
  };
  return async (requests) => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await commitOnce(requests);
      } catch (error) {
        if (!(error instanceof IdTaken || error instanceof RecordAppeared) || tries >= maxTries) throw error;
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

/** Each sign-in once: requests of one caller share it. */
function signInsOf(requests: readonly IntakeRequest[]): SignInProof[] {
  return [...new Set(requests.flatMap(({ signIn }) => signIn ?? []))];
}

/** Sessions of the console, and requests that were looked up before their commit: what changed since is not in a stamp. */
function unprovenTenants(requests: readonly IntakeRequest[]): number[] {
  return [...new Set(requests.flatMap(({ tenantId, signIn }) => (signIn ? [] : tenantId)))];
}
