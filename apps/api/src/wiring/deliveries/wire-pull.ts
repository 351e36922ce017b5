import { scheduleOf } from '@callout/core/deliver';
import { nextToPull } from '@callout/db/pull';
import { sharedLookup } from '../../http/auth/shared-lookup.ts';
import type { AddRoute } from '../../http/route/route-table.ts';
import { createClaimTurns } from '../../pull/claim-turns.ts';
import { addPullRoutes } from '../../pull/pull-routes.ts';
import { createPullWaiters, type PullWaiters } from '../../pull/pull-waiters.ts';
import type { ApiContext } from '../context.ts';

/** Where no ring is heard: those who wait look on their own. */
const hearNothing = () => ({ isHearing: () => false, close: () => undefined });

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
          random: Math.random,
        },
        onSettled: (settled) => onPullsSettled?.(settled),
      }),
  };
}
