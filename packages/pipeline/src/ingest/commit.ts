import {
  acceptRequest,
  type CommitState,
  maxCommitLength,
  mostUnmeasured,
  needsRecord,
  type PlacedEvent,
  type RecordKey,
  recordKeyOf,
  recordsTooLong,
  requestsTooLong,
} from './accept.rules.ts';
import type { IngestRequest, IngestResult, CachedAuthentication } from './request.rules.ts';
import type { Pool } from 'pg';
import type { Transaction } from '@callout/database/connection/database';
import {
  inTransactionEndingWith,
  AssumptionFailed,
  isAssumptionFailed,
} from '@callout/database/connection/transaction/transaction';
import { nameTransactionTrace } from '@callout/database/connection/transaction/transaction-trace';
import { eventKeysOf, readKnownKeys, settleEventKeys, claimIdempotencyKeys, settleIdempotencyKeys } from './keys.ts';
import { createKnownRecords, lockAll, lockExpected, lockMany, readLocked, storeAll } from './rows.ts';
import { reserveRecordIds, type Assign } from './record-ids.ts';
import { newId } from '@callout/database/schema/ids';
import { acceptOnce, resultOfRepeat } from './repeat.rules.ts';

/** The result of one commit. */
export interface IngestCommit {
  /** One result per request, in their order. */
  results: IngestResult[];
  /** The events now pending, oldest first. */
  eventIds: string[];
  /** Tenants of the events, in the same order. */
  tenantIds: number[];
}

/**
 * Accepts the events of several requests in one transaction. Each request is accepted or refused as a whole, and a
 * refused one leaves no trace and does not affect the others. Everything 'accepted' is committed when this returns.
 *
 * Everything is locked in one order (idempotency keys, eventIDs, records, each sorted), so that any number of commits
 * may run at once without deadlock, and the events of one record get their versions one after another: that is their
 * order.
 */
export function createIngestCommit(pool: Pool): (requests: readonly IngestRequest[]) => Promise<IngestCommit> {
  const madeCounters = new Set<string>();
  const knownRecords = createKnownRecords(() => performance.now());
  const commitOnce = async (requests: readonly IngestRequest[]): Promise<IngestCommit> => {
    const assign = await reserveRecordIds(pool, requests, madeCounters);
    const placed = requests.map((request) => assignIds(request, assign));
    const all = placed.flat();
    const keys = eventKeysOf(requests);
    const expected = knownRecords.expect(requests, all);
    const named = recordsOf(all);
    const isMeasured = named.length > mostUnmeasured;
    const committed = inTransactionEndingWith(pool, async (transaction) => {
      nameTransactionTrace(transaction, 'commit', () => requests.map(({ traceParent }) => traceParent));
      const toLock = {
        eventKeys: keys,
        records: isMeasured ? [] : named,
        authentications: authenticationsOf(requests),
        tenantIds: tenantsToConfirm(requests),
      };
      // Sent together, without waiting for results in between: neither needs the result of the other.
      const [idempotencyKeys, { locked, sent }] = await Promise.all([
        claimIdempotencyKeys(transaction, requests),
        expected === null
          ? lockAll(transaction, toLock).then((read) => ({ locked: read, sent: null }))
          : lockExpected(transaction, toLock, expected),
      ]);
      const { claimedKeys, staleAuthentications, movingTenantIds } = locked;
      if (keys.size > 0) await readKnownKeys(transaction, keys, claimedKeys, all);
      // Of requests that may not be made, or were made before: they need no record.
      const answers = requests.map(({ tenantId, idempotencyKey, authentication }): IngestResult | undefined => {
        if (authentication && staleAuthentications.has(authentication)) return { kind: 'staleAuthentication' };
        if (!authentication && movingTenantIds.has(tenantId)) return { kind: 'moving' };
        return idempotencyKey && resultOfRepeat(idempotencyKeys, idempotencyKey);
      });
      const { records, tooLong } = isMeasured
        ? await readMeasured(
            transaction,
            placed.map((events, index) => (answers[index] ? [] : events.filter((event) => needsRecord(keys, event)))),
          )
        : { records: locked.records, tooLong: none };
      if (all.some((event) => event.isNewId && records.has(recordKeyOf(event)))) {
        throw new AssumptionFailed('a caller chose an id after it had been reserved for a new record');
      }
      const state: CommitState = { acceptedAt: new Date(), keys, records, events: [], length: 0, newId };
      const results = placed.map((events, index): IngestResult => {
        const answer = answers[index];
        if (answer) return answer;
        const idempotencyKey = requests[index]?.idempotencyKey;
        const accept = () => (tooLong.has(index) ? recordsTooLong() : acceptRequest(state, events));
        return idempotencyKey ? acceptOnce(idempotencyKeys, idempotencyKey, accept) : accept();
      });
      const { events } = state;
      const eventIds = events.map(({ id }) => id);
      const tenantIds = events.map(({ tenantId }) => tenantId);
      const result = { commit: { results, eventIds, tenantIds }, records };
      const last = [
        ...(sent === null ? [] : [sent]),
        ...storeAll(transaction, records, events),
        ...settleEventKeys(transaction, keys),
        ...settleIdempotencyKeys(transaction, idempotencyKeys),
      ];
      return { result, last };
    });
    try {
      const { commit, records } = await committed;
      knownRecords.add(records, all.length);
      return commit;
    } catch (error) {
      if (expected !== null) knownRecords.failed(all);
      throw error;
    }
  };
  return async (requests) => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await commitOnce(requests);
      } catch (error) {
        if (!(isAssumptionFailed(error) || isRecordCreated(error)) || tries >= maxTries) throw error;
      }
    }
  };
}

/** Limits the retries while other callers keep choosing ids just above the highest, or creating the same records. */
const maxTries = 10;

/** Whether another transaction has created a record that this one took for new. */
function isRecordCreated(error: unknown): boolean {
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  return code === '23505' && constraint === 'records_pkey';
}

function assignIds({ tenantId, events, traceParent }: IngestRequest, assign: Assign): PlacedEvent[] {
  return events.map((event) => {
    const isNewId = event.recordId === null;
    return { ...event, tenantId, traceParent: traceParent ?? null, ...assign(tenantId, event), isNewId };
  });
}

const none: ReadonlySet<number> = new Set();

/**
 * Locks and reads the records of many events, except those of requests that need too many long ones.
 * @param needed the events of each request that need their record.
 */
async function readMeasured(transaction: Transaction, needed: readonly (readonly PlacedEvent[])[]) {
  const { records, lengths } = await lockMany(transaction, recordsOf(needed.flat()), maxCommitLength);
  if (records !== null) return { tooLong: none, records };
  const tooLong = requestsTooLong(needed, lengths);
  const read = needed.flatMap((events, index) => (tooLong.has(index) ? [] : events));
  return { tooLong, records: await readLocked(transaction, recordsOf(read)) };
}

/** Each record once. */
function recordsOf(events: readonly PlacedEvent[]): RecordKey[] {
  return [...new Map(events.map((event) => [recordKeyOf(event), event])).values()];
}

/** Each authentication once: requests of one caller share it. */
function authenticationsOf(requests: readonly IngestRequest[]): CachedAuthentication[] {
  return [...new Set(requests.flatMap(({ authentication }) => authentication ?? []))];
}

/** Tenants of console sessions and of requests that were authenticated just before their commit. */
function tenantsToConfirm(requests: readonly IngestRequest[]): number[] {
  return [...new Set(requests.flatMap(({ tenantId, authentication }) => (authentication ? [] : tenantId)))];
}
