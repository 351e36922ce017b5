import { isDatabaseAway } from '@callout/database/connection/database-away';
import { type Batches, createBatches } from '@callout/runtime/concurrency/batches';
import type { IngestCommit } from './commit.ts';
import type { IngestRequest, IngestResult } from './request.rules.ts';

export interface GroupCommitDeps {
  /** Takes several requests in one transaction. */
  commit: (requests: readonly IngestRequest[]) => Promise<IngestCommit>;
  /** Enqueues the pending events for the workers, with their tenants. Must not wait. */
  enqueueMatch: (eventIds: string[], tenantIds: number[]) => void;
  /** Events in one commit at most; one request is never split. */
  maxEventsPerCommit: number;
}

/**
 * Two, so that one batch is locked and compared while the other is written to disk; but a few single events are cheaper
 * in the next commit than in one of their own, whose statements cost the same for one event as for many. A slow commit
 * waits for the locks of another process, and delays no other commit.
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
