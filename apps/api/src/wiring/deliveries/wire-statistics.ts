import { createCalloutLog, createThresholdReader } from '@callout/db/log';
import { createStatisticsReader, createWebhookStatesReader } from '@callout/db/statistics';
import type { AddRoute } from '../../http/route/route-table.ts';
import { addOverviewRoutes } from '../../statistics/overview-routes.ts';
import { addStatisticsRoutes } from '../../statistics/statistics-routes.ts';
import { addWebhookListRoutes } from '../../statistics/webhook-list-routes.ts';
import type { ApiContext } from '../context.ts';

/** What was delivered, by minute and hour, and what needs attention. */
export function wireStatistics(context: ApiContext): (add: AddRoute) => void {
  const { config, catalogue, database, keyRing, search } = context;
  const calloutLog = createCalloutLog(search, database.pool);
  const webhookStates = createWebhookStatesReader(search);
  const now = () => new Date();
  return (add) => {
    addStatisticsRoutes(add, {
      catalogue,
      statistics: createStatisticsReader(search),
      findWebhookKey: (...address) => calloutLog.findWebhookKey(...address),
      now,
    });
    addOverviewRoutes(add, {
      catalogue,
      webhookStates,
      thresholds: createThresholdReader(search),
      calloutThreshold: config.CALLOUT_THRESHOLD,
      keyIds: keyRing.keyIds,
      now,
    });
    const { apiRoot, baseUrlOf } = context.queries;
    addWebhookListRoutes(add, { catalogue, webhookStates, keyIds: keyRing.keyIds, apiRoot, baseUrlOf });
  };
}
