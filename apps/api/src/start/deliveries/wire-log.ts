import { createCalloutLog } from '@callout/history/log/callouts/callout-log';
import { createErrorLogStore } from '@callout/history/search/tables/error-logs';
import { createEventLog } from '@callout/history/log/event-log';
import { createSimulationReader } from '@callout/history/log/simulation';
import { createThresholdReader } from '@callout/history/log/thresholds';
import { createWebhookStatusReader } from '@callout/history/log/webhook-status';
import type { AddRoute } from '../../http/route/route-table.ts';
import { addCalloutRoutes } from '../../rest/log/callouts/callout-routes.ts';
import { addWebhookCheckRoutes } from '../../rest/log/check/webhook-check-routes.ts';
import { addErrorLogRoutes } from '../../rest/log/error-logs/error-log-routes.ts';
import { addEventLogRoutes } from '../../rest/log/events/event-log-routes.ts';
import { addThresholdRoutes } from '../../rest/log/threshold-routes.ts';
import type { ApiContext } from '../context.ts';

/** The log of events and callouts, explanations, and simulations. */
export function wireLog(context: ApiContext): (add: AddRoute) => void {
  const { config, catalogue, database, keyRing, queries, search } = context;
  const { pool } = database;
  const deps = {
    ...queries,
    catalogue,
    keyRing,
    calloutLog: createCalloutLog(search, pool),
    eventLog: createEventLog(search),
    thresholds: createThresholdReader(search),
    calloutThreshold: config.CALLOUT_THRESHOLD,
    webhookStatus: createWebhookStatusReader(search),
    simulation: createSimulationReader(pool, catalogue),
    userAgent: config.USER_AGENT,
  };
  return (add) => {
    addErrorLogRoutes(add, { ...queries, catalogue, errorLogs: createErrorLogStore(database) });
    addCalloutRoutes(add, deps);
    addEventLogRoutes(add, deps);
    addWebhookCheckRoutes(add, deps);
    addThresholdRoutes(add, deps);
  };
}
