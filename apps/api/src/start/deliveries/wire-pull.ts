import { scheduleOf } from '@callout/pipeline/settle/retry.rules';
import { nextToPull } from '@callout/pipeline/pull/pull-leases';
import { sharedLookup } from '../../http/auth/shared-lookup.ts';
import type { AddRoute } from '../../http/route/route-table.ts';
import { createClaimTurns } from '../../rest/pull/claim-turns.ts';
import { addPullRoutes } from '../../rest/pull/pull-routes.ts';
import { createPullWaiters, type PullWaiters } from '../../rest/pull/pull-waiters.ts';
import type { ApiContext } from '../context.ts';

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
