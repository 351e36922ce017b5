import { isDatabaseAway } from '@callout/database/connection/database-away';
import { createIngestCommit } from '@callout/pipeline/ingest/commit';
import { findResponses } from '@callout/pipeline/ingest/idempotency-keys';
import { idempotencyKeyName } from '@callout/pipeline/ingest/repeat.rules';
import { createRecordStore } from '@callout/history/records/records';
import { createRecordSearch } from '@callout/history/search/records/record-search';
import { sharedLookup } from '../http/auth/shared-lookup.ts';
import { createTenantBudget } from '../http/limits/tenant-budget.ts';
import type { AddRoute } from '../http/route/route-table.ts';
import { addEventRoutes } from '../rest/events/event-routes.ts';
import { createIngest, type Ingest, type IngestDeps } from '../rest/events/ingest.ts';
import { addRecordRoutes } from '../rest/records/record-routes.ts';
import type { ApiMetrics } from '../metrics/api-metrics.ts';
import type { ApiContext } from './context.ts';

/** Events and records: changes, and known values. */
export function wireIngest(context: ApiContext): { ingest: Ingest; addRoutes: (add: AddRoute) => void } {
  const { config, catalogue, database, queries, search, enqueueMatch } = context;
  const { pool } = database;
  const commit = createIngestCommit(pool);
  const ingest = createIngest({
    commit: context.metrics === undefined ? commit : measured(commit, context.metrics.onCommit),
    isDatabaseAway,
    enqueueMatch,
    maxEventsPerCommit: config.INTAKE_BATCH_EVENTS,
    waiting: createTenantBudget(config.INTAKE_MAX_WAITING_EVENTS, {
      unavailable: 'Too many events are waiting to be stored: send this request again.',
      tooManyRequests: 'Too many events of this tenant are waiting to be stored.',
      retryAfterS: 1,
    }),
  });
  const records = createRecordStore(database);
  const findResponse = sharedLookup((names) => findResponses(pool, names), idempotencyKeyName);
  return {
    ingest,
    addRoutes(add) {
      const shared = { ...queries, catalogue, ingest, findResponse };
      addEventRoutes(add, { ...shared, maxEventsBodyBytes: config.MAX_EVENTS_BODY_BYTES });
      addRecordRoutes(add, {
        ...shared,
        recordSearch: createRecordSearch(search),
        findRecord: (tenantId, entityType, id) => records.find(tenantId, entityType, id),
        now: () => new Date(),
      });
    },
  };
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
