import { createSubscriptionReader } from '@callout/db/match';
import { createEventConsumer, createPullBell } from '@callout/queue';
import type { StopStep } from '@callout/runtime/process';
import { matchEvents, type MatchDeps } from './match.ts';
import type { Lanes } from '../deliver/lanes/lanes.ts';
import type { RoleDeps } from '../role.ts';
import { createLeaseAtMatch } from './lease-at-match.ts';

const eventsPerMatch = 500;
/** Two, so that one judges while the other commits. */
const matchesAtOnce = 2;
const maxKeptSubscriptions = 20_000;

/**
 * The role that turns pending events into callouts.
 * @param lanes of this process, when it delivers too: what has a slot there goes out as soon as it is matched.
 */
export function startMatch(
  { config, catalogue, pool, producer, redis, log, metrics }: RoleDeps,
  lanes: Lanes | null = null,
): StopStep[] {
  const readSubscriptions = createSubscriptionReader(catalogue, maxKeptSubscriptions);
  const deps: MatchDeps = {
    pool,
    catalogue,
    readSubscriptions,
    maxEvents: eventsPerMatch,
    onError: (err) => log.error({ err }, 'events could not be matched; the sweep enqueues them again'),
    leaseAtMatch:
      lanes &&
      createLeaseAtMatch({
        pool,
        lanes,
        leaseMs: config.LEASE_MS,
        threshold: config.CALLOUT_THRESHOLD,
        nowMs: () => performance.now(),
        onHeld: metrics.onHeld,
      }),
  };
  const enqueueDeliver = (webhookKeys: readonly number[]): void => {
    // What finds no slot here is for a process that has one.
    const [here, elsewhere]: [number[], number[]] = [[], []];
    for (const key of webhookKeys) (lanes !== null && lanes.roomFor(key) > 0 ? here : elsewhere).push(key);
    if (here.length > 0) lanes?.enqueue(here);
    if (elsewhere.length > 0) producer.enqueue('deliver', { webhookKeys: elsewhere });
  };
  const bell = createPullBell({ redis: producer.redis, prefix: redis.prefix });
  const consumer = createEventConsumer({
    ...redis,
    producer,
    maxEvents: eventsPerMatch,
    concurrency: matchesAtOnce,
    async work(eventIds, priority) {
      const startedAtMs = performance.now();
      const result = await matchEvents(deps, eventIds).catch((error: unknown) => {
        metrics.onMatchFailed(performance.now() - startedAtMs);
        throw error;
      });
      const { matched, callouts, webhookKeys, pulledKeys, leftEventIds } = result;
      const durationMs = performance.now() - startedAtMs;
      metrics.onMatch({ events: matched, callouts, durationMs, tracesOf: () => result.traceParents });
      log.debug({ matched, webhooks: webhookKeys.length }, 'matched');
      enqueueDeliver(webhookKeys);
      if (pulledKeys.length > 0) bell.ring(pulledKeys);
      if (leftEventIds.length > 0) producer.enqueueEvents(leftEventIds, priority);
    },
    onFailed: (err) => log.warn({ err }, 'a match failed; the sweep enqueues its events again'),
  });
  return [{ name: 'match', stop: () => consumer.close() }];
}
