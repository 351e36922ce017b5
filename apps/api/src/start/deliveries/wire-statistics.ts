import { createCalloutLog } from '@callout/history/log/callouts/callout-log';
import { createThresholdReader } from '@callout/history/log/thresholds';
import { createStatisticsReader } from '@callout/history/statistics/read-statistics';
import { createWebhookActivityReader } from '@callout/history/statistics/webhook-activity';
import { createWebhookStatesReader } from '@callout/history/statistics/webhook-states';
import type { AddRoute } from '../../http/route/route-table.ts';
import { addOverviewRoutes } from '../../rest/statistics/overview-routes.ts';
import { addStatisticsRoutes } from '../../rest/statistics/statistics-routes.ts';
import { addWebhookListRoutes } from '../../rest/statistics/webhook-list-routes.ts';
import type { ApiContext } from '../context.ts';

/** Deliveries by minute and hour, and webhooks that need attention. */
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
    addWebhookListRoutes(add, {
      catalogue,
      webhookStates,
      webhookActivity: createWebhookActivityReader(search),
      keyIds: keyRing.keyIds,
      apiRoot,
      baseUrlOf,
      now,
    });
  };
}
