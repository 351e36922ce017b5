import { createIngestCommit } from '@callout/pipeline/ingest/commit';
import type { ApiParts } from '../api-context.ts';
import { createTenantBudget } from '../http/limits/tenant-budget.ts';
import type { ApiMetrics } from '../api-metrics.ts';
import { createIngest, type Ingest, type IngestDeps } from '../rest/events/ingest.ts';

/** The group commit of this process. */
export function ingestOf({ config, database, enqueueMatch, metrics }: ApiParts): Ingest {
  const commit = createIngestCommit(database.pool);
  return createIngest({
    commit: metrics === undefined ? commit : measured(commit, metrics.onCommit),
    enqueueMatch,
    maxEventsPerCommit: config.INTAKE_BATCH_EVENTS,
    waiting: createTenantBudget(config.INTAKE_MAX_WAITING_EVENTS, {
      unavailable: 'Too many events are waiting to be stored: send this request again.',
      tooManyRequests: 'Too many events of this tenant are waiting to be stored.',
      retryAfterS: 1,
    }),
  });
}

/** The same commit, with its events and its duration reported when it has ended. */
function measured(commit: IngestDeps['commit'], onCommit: ApiMetrics['onCommit']): IngestDeps['commit'] {
  return async (requests) => {
    const startedAtMs = performance.now();
    const tracesOf = () => requests.map(({ traceParent }) => traceParent);
    const events = requests.reduce((sum, request) => sum + request.events.length, 0);
    try {
      const committed = await commit(requests);
      onCommit(events, performance.now() - startedAtMs, true, tracesOf);
      return committed;
    } catch (error) {
      onCommit(events, performance.now() - startedAtMs, false, tracesOf);
      throw error;
    }
  };
}
