import type { Pool } from 'pg';
import { isDatabaseAway } from '@callout/database/connection/database-away';
import { AssumptionFailed, inTransactionEndingWith } from '@callout/database/connection/transaction/transaction';
import { nameTransactionTrace } from '@callout/database/connection/transaction/transaction-trace';
import { newId } from '@callout/database/schema/ids';
import { type Batches, createBatches } from '@callout/runtime/concurrency/batches';
import { acceptRequests } from './accept.rules.ts';
import { loadForIngest } from './load.ts';
import { reserveRecordIds, type Assign } from './record-ids.ts';
import type { IngestRequest, IngestResult, PlacedRequest } from './request.rules.ts';
import { storeAccepted } from './store.ts';

/** The result of one commit. */
export interface IngestCommit {
  /** One result per request, in the order of the requests. */
  results: IngestResult[];
  /** The events now pending, oldest first. */
  eventIds: string[];
  /** Tenants of the events, in the order of `eventIds`. */
  tenantIds: number[];
}

export interface GroupCommitDeps {
  /** Takes several requests in one transaction. */
  commit: (requests: readonly IngestRequest[]) => Promise<IngestCommit>;
  /** Enqueues the pending events for the workers, with their tenants. Must not wait. */
  enqueueMatch: (eventIds: string[], tenantIds: number[]) => void;
  /** Events in one commit at most; one request is never split. */
  maxEventsPerCommit: number;
}

/**
 * Two, so that one batch is locked and compared while another is written to disk; but a few single events are cheaper in
 * the next commit than in a commit of their own, whose statements cost the same for one event as for many. A slow commit
 * waits for the locks of another process, and delays no commit beside it.
 */
const commitsAtOnce = 2;
const besideAnother = { leastWeight: 100, patienceMs: 50 };

/**
 * Group commit: requests that come during a commit share the next one. Without load nothing waits for other requests,
 * and with more load more requests share a commit.
 */
export function createGroupCommit(deps: GroupCommitDeps): Batches<IngestRequest, IngestResult> {
  return createBatches<IngestRequest, IngestResult>({
    gatherMs: 0,
    maxWeight: deps.maxEventsPerCommit,
    weigh: (request) => request.events.length,
    concurrency: commitsAtOnce,
    beside: besideAnother,
    isOneToBlame: (error) => !isDatabaseAway(error),
    write: (requests) => commitTogether(deps, requests),
  });
}

async function commitTogether(
  { commit, enqueueMatch }: GroupCommitDeps,
  requests: readonly IngestRequest[],
): Promise<readonly IngestResult[]> {
  const { results, eventIds, tenantIds } = await commit(requests);
  if (eventIds.length > 0) enqueueMatch(eventIds, tenantIds);
  return results;
}

/**
 * Accepts the events of several requests in one transaction: load, decide, store. Each request is accepted or refused as
 * a whole, and a refused request leaves no trace and does not affect the rest. Everything 'accepted' is committed when
 * the promise resolves.
 *
 * Rows are locked in one order (idempotency keys, eventIDs, records, each sorted), so that any number of commits may run
 * at once without deadlock. The events of one record get their versions one after another: the versions are their order.
 */
export function createIngestCommit(pool: Pool): (requests: readonly IngestRequest[]) => Promise<IngestCommit> {
  const createdCounters = new Set<string>();
  return async (requests) => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await ingest(pool, requests, createdCounters);
      } catch (error) {
        if (!(error instanceof AssumptionFailed || isRecordCreated(error)) || tries >= maxTries) throw error;
      }
    }
  };
}

/** Limits the retries while other callers keep choosing ids just above the highest, or creating the same records. */
const maxTries = 10;

async function ingest(
  pool: Pool,
  requests: readonly IngestRequest[],
  createdCounters: Set<string>,
): Promise<IngestCommit> {
  const assign = await reserveRecordIds(pool, requests, createdCounters);
  const placed = requests.map((request) => placeEvents(request, assign));
  return inTransactionEndingWith(pool, async (transaction) => {
    nameTransactionTrace(transaction, 'commit', () => requests.map(({ traceParent }) => traceParent));
    const loaded = await loadForIngest(transaction, placed);
    const accepted = acceptRequests(placed, loaded, { acceptedAt: new Date(), newId });
    const eventIds = accepted.events.map(({ id }) => id);
    const tenantIds = accepted.events.map(({ tenantId }) => tenantId);
    const result = { results: accepted.results, eventIds, tenantIds };
    return { result, last: storeAccepted(transaction, accepted) };
  });
}

function placeEvents(request: IngestRequest, assign: Assign): PlacedRequest {
  const { tenantId, traceParent = null } = request;
  const events = request.events.map((event) => {
    return { ...event, tenantId, traceParent, ...assign(tenantId, event), isNewId: event.recordId === null };
  });
  return { ...request, events };
}

/** Whether another transaction has created a record that was new to the failed transaction. */
function isRecordCreated(error: unknown): boolean {
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  return code === '23505' && constraint === 'records_pkey';
}
