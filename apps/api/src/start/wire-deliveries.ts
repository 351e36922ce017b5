import { scheduleOf } from '@callout/pipeline/settle/retry.rules';
import { nextToPull } from '@callout/pipeline/pull/pull-leases';
import { sharedLookup } from '../http/auth/shared-lookup.ts';
import type { AddRoute } from '../http/route/route-table.ts';
import { createClaimTurns } from '../rest/pull/claim-turns.ts';
import { addPullRoutes } from '../rest/pull/pull-routes.ts';
import { createPullWaiters, type PullWaiters } from '../rest/pull/pull-waiters.ts';
import type { ApiContext } from './context.ts';
import { createSimulationReader } from '@callout/history/log/simulation';
import { createCalloutRepairs } from '@callout/pipeline/repair/callout-repairs';
import { rotateSecret } from '@callout/webhooks/rotate-secret';
import { createRate } from '../http/limits/rate.ts';
import { addRepairRoutes } from '../rest/repair/repair-routes.ts';
import { createCalloutLog } from '@callout/history/log/callouts/callout-log';
import { createErrorLogStore } from '@callout/history/search/tables/error-logs';
import { createEventLog } from '@callout/history/log/event-log';
import { createThresholdReader } from '@callout/history/log/thresholds';
import { createWebhookStatusReader } from '@callout/history/log/webhook-status';
import { addCalloutRoutes } from '../rest/log/callouts/callout-routes.ts';
import { addWebhookCheckRoutes } from '../rest/log/check/webhook-check-routes.ts';
import { addErrorLogRoutes } from '../rest/log/error-logs/error-log-routes.ts';
import { addEventLogRoutes } from '../rest/log/events/event-log-routes.ts';
import { addThresholdRoutes } from '../rest/log/threshold-routes.ts';
import { findWebhookOwner, findWebhookPlaces } from '@callout/tenancy/sessions/webhook-owner';
import { createLiveHub, type LiveHub, type SubscribeLive } from '../live/live-hub.ts';
import { addLiveRoutes } from '../live/live-routes.ts';
import { createStatisticsReader } from '@callout/history/statistics/read-statistics';
import { createWebhookActivityReader } from '@callout/history/statistics/webhook-activity';
import { createWebhookStatesReader } from '@callout/history/statistics/webhook-states';
import { addOverviewRoutes } from '../rest/statistics/overview-routes.ts';
import { addStatisticsRoutes } from '../rest/statistics/statistics-routes.ts';
import { addWebhookListRoutes } from '../rest/statistics/webhook-list-routes.ts';

/** Without signals: waiting requests poll. */
const hearNothing = () => ({ isListening: () => false, close: () => undefined });

/** Callouts that are fetched. */
export function wirePull(context: ApiContext): { waiters: PullWaiters; addRoutes: (add: AddRoute) => void } {
  const { config, catalogue, database, keyRing, log, tracing, listenForPulls = hearNothing, onPullsSettled } = context;
  const waiters = createPullWaiters({ listen: listenForPulls, most: config.PULLS_WAITING });
  return {
    waiters,
    addRoutes: (add) =>
      addPullRoutes(add, {
        catalogue,
        maxBodyBytes: config.MAX_BODY_BYTES,
        pool: database.pool,
        keyRing,
        userAgent: config.USER_AGENT,
        threshold: config.CALLOUT_THRESHOLD,
        tracing,
        log,
        waiters,
        turns: createClaimTurns(),
        look: sharedLookup((webhookKeys) => nextToPull(database.pool, webhookKeys)),
        nowMs: () => performance.now(),
        rules: {
          schedule: scheduleOf(config.RETRY_SCHEDULE),
          userAgent: config.USER_AGENT,
          deactivateAfter: config.DEACTIVATE_AFTER_FAILURES,
          // A fetched callout waits as its program has requested, also after failing for long.
          failingAfterMs: Infinity,
          random: Math.random,
        },
        onSettled: (settled) => onPullsSettled?.(settled),
      }),
  };
}

/** The time of a test besides its call: the way to the worker and back. */
const TEST_MARGIN_MS = 5_000;
const REDELIVERY_WINDOW_S = 3_600;

/** Redelivery, cancelling, tests and the rotation of secrets. */
export function wireRepair(context: ApiContext): (add: AddRoute) => void {
  const { config, catalogue, database, keyRing, queries, enqueueDeliver, makeCounter, isQueueReady, isStopping } =
    context;
  const { pool } = database;
  const redeliveries = createRate(
    makeCounter('redeliveries', REDELIVERY_WINDOW_S),
    (most, endsInS) =>
      `The redelivery limit of this tenant, ${most} ranges per hour, is used up. Try again in ${endsInS} s, or name more callouts at once.`,
  );
  return (add) =>
    addRepairRoutes(add, {
      ...queries,
      catalogue,
      repairs: createCalloutRepairs({ pool, enqueueDeliver }),
      async limitRedeliveries(tenantId) {
        if (config.REDELIVERIES_PER_HOUR > 0) await redeliveries(tenantId, config.REDELIVERIES_PER_HOUR);
      },
      rotateSecret: (webhook, rotation) =>
        rotateSecret({ transaction: database.transaction, keyRing }, webhook, rotation),
      simulation: createSimulationReader(pool, catalogue),
      isQueueReady,
      testWaitMs: config.CALLOUT_TIMEOUT_MS + TEST_MARGIN_MS,
      isStopping,
    });
}

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

/** Without results of workers. */
const watchNothing: SubscribeLive = () => ({
  watch: async () => false,
  unwatch: () => undefined,
  close: () => undefined,
});

/** Results of attempts at the moment they are known. */
export function wireLive(context: ApiContext): { hub: LiveHub; addRoutes: (add: AddRoute) => void } {
  const { catalogue, database, subscribeLive = watchNothing } = context;
  const hub = createLiveHub({ subscribe: subscribeLive, findPlaces: (keys) => findWebhookPlaces(database, keys) });
  return {
    hub,
    addRoutes: (add) =>
      addLiveRoutes(add, {
        catalogue,
        hub,
        findWebhook: (...address) => findWebhookOwner(database, ...address),
      }),
  };
}

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
