import {
  createCalloutLog,
  createErrorLogStore,
  createEventLog,
  createSimulationReader,
  createThresholdReader,
  createWebhookStatusReader,
} from '@callout/db/log';
import type { AddRoute } from '../../http/route/route-table.ts';
import { addDeliveryLogRoutes } from '../../log/delivery-log-routes.ts';
import { addErrorLogRoutes } from '../../log/error-logs/error-log-routes.ts';
import type { ApiContext } from '../context.ts';

/** What has happened, why, and what would. */
export function wireLog(context: ApiContext): (add: AddRoute) => void {
  const { config, catalogue, database, keyRing, queries, search } = context;
  const { pool } = database;
  return (add) => {
    addErrorLogRoutes(add, { ...queries, catalogue, errorLogs: createErrorLogStore(database) });
    addDeliveryLogRoutes(add, {
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
    });
  };
}
