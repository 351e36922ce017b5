import { createSimulationReader } from '@callout/history/log/simulation';
import { createCalloutRepairs } from '@callout/pipeline/repair/callout-repairs';
import { rotateSecret } from '@callout/webhooks/rotate-secret';
import type { AddRoute } from '../../http/route/route-table.ts';
import { createRate } from '../../http/limits/rate.ts';
import { addRepairRoutes } from '../../rest/repair/repair-routes.ts';
import type { ApiContext } from '../context.ts';

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
