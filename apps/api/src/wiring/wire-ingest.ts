import { isDatabaseAway } from '@callout/db/connection';
import { createIntakeCommit, findAnswers, repeatKeyOf } from '@callout/db/ingest';
import { createRecordStore } from '@callout/db/records';
import { createRecordSearch } from '@callout/db/search';
import { sharedLookup } from '../http/auth/shared-lookup.ts';
import { createTenantBudget } from '../http/limits/tenant-budget.ts';
import type { AddRoute } from '../http/route/route-table.ts';
import { addEventRoutes } from '../ingest/events/event-routes.ts';
import { createIntake, type Intake, type IntakeDeps } from '../ingest/intake.ts';
import { addRecordRoutes } from '../ingest/records/record-routes.ts';
import type { ApiMetrics } from '../metrics/api-metrics.ts';
import type { ApiContext } from './context.ts';

/** Events and records: what changes, and what is known of it. */
export function wireIngest(context: ApiContext): { intake: Intake; addRoutes: (add: AddRoute) => void } {
  const { config, catalogue, database, queries, search, enqueueMatch } = context;
  const { pool } = database;
  const commit = createIntakeCommit(pool);
  const intake = createIntake({
    commit: context.metrics === undefined ? commit : measured(commit, context.metrics.onCommit),
    isDatabaseAway,
    enqueueMatch,
    maxEventsPerCommit: config.INTAKE_BATCH_EVENTS,
    waiting: createTenantBudget(config.INTAKE_MAX_WAITING_EVENTS, {
      unavailable: 'Too many events are waiting to be stored: send this request again.',
      tooManyRequests: 'Too many events of this tenant are waiting to be stored.',
    }),
  });
  const records = createRecordStore(database);
  const findAnswer = sharedLookup((names) => findAnswers(pool, names), repeatKeyOf);
  return {
    intake,
    addRoutes(add) {
      const shared = { ...queries, catalogue, intake, findAnswer };
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

/** The same commit, with its events and its time told when it has ended. */
function measured(commit: IntakeDeps['commit'], onCommit: ApiMetrics['onCommit']): IntakeDeps['commit'] {
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
