import { LRUCache } from 'lru-cache';
import { createSubscriptionReader } from './load.ts';
import { createEventConsumer } from '@callout/queue/event-consumer';
import { createPullNotifier } from '@callout/queue/pull-signals';
import type { StopStep } from '@callout/runtime/process/lifecycle';
import { matchEvents, type MatchDeps, matchPlainly } from './match.ts';
import type { Engine } from '../deliver/engine/engine.ts';
import type { DeliveryMetrics } from '../settle/delivery-metrics.ts';
import type { MatchMetrics } from './match-metrics.ts';
import type { RoleDeps } from '../stage.ts';
import { createFastMatch } from './match.fast.ts';

const eventsPerMatch = 500;
/** 500 events of 8 KB. Read and parsed, they take some times as many bytes. */
const charactersPerMatch = 4 * 1024 * 1024;
/** Two, so that one judges while the other commits. */
const matchesAtOnce = 2;
/** Usual ones take some kilobytes, the costliest some hundreds. */
const keptSubscriptions = { maxKept: 20_000, maxBytes: 48 * 1024 * 1024 };
const maxKeptLayouts = 50_000;

/** The role, started. */
interface Match {
  /** Matches events that Redis did not name. @returns those that are still pending. */
  match(eventIds: readonly string[]): Promise<string[]>;
  readonly steps: StopStep[];
}

/**
 * The role that turns pending events into callouts.
 * @param engine the engine of this process, when the process also delivers: callouts with a free slot are sent as soon as
 * they are matched, where the process `hasFastWays` (see the runtime).
 */
export function startMatch(
  {
    config,
    paces,
    catalogue,
    pool,
    producer,
    redis,
    log,
    metrics,
    hasFastWays,
  }: RoleDeps & { metrics: MatchMetrics & Pick<DeliveryMetrics, 'onHeld'>; hasFastWays: boolean },
  engine: Engine | null = null,
): Match {
  const readSubscriptions = createSubscriptionReader(catalogue, keptSubscriptions);
  const deps: MatchDeps = {
    pool,
    catalogue,
    readSubscriptions,
    storedLayouts: new LRUCache<string, true>({ max: maxKeptLayouts }),
    maxEvents: eventsPerMatch,
    maxCharacters: charactersPerMatch,
    onError: (err) => log.error({ err }, 'events could not be matched; the sweep enqueues them again'),
  };
  const matchTogether =
    engine !== null && hasFastWays
      ? createFastMatch({
          pool,
          engine,
          leaseMs: paces.leaseMs,
          threshold: config.CALLOUT_THRESHOLD,
          nowMs: () => performance.now(),
          onHeld: metrics.onHeld,
        })
      : matchPlainly;
  const enqueueDeliver = (webhookKeys: readonly number[]): void => {
    // Callouts without a slot here are for a process that has one.
    const [here, elsewhere]: [number[], number[]] = [[], []];
    for (const key of webhookKeys) (engine !== null && engine.capacityFor(key) > 0 ? here : elsewhere).push(key);
    if (here.length > 0) engine?.enqueue(here);
    if (elsewhere.length > 0) producer.enqueueWebhooks(elsewhere);
  };
  const pullNotifier = createPullNotifier({ redis: producer.redis, prefix: redis.prefix });
  async function match(eventIds: readonly string[]): Promise<string[]> {
    const startedAtMs = performance.now();
    const result = await matchEvents(deps, eventIds, matchTogether).catch((error: unknown) => {
      metrics.onMatchFailed(performance.now() - startedAtMs);
      throw error;
    });
    const { matched, callouts, webhookKeys, pulledKeys, leftEventIds } = result;
    const durationMs = performance.now() - startedAtMs;
    metrics.onMatch({ events: matched, callouts, durationMs, tracesOf: () => result.traceParents });
    log.debug({ matched, webhooks: webhookKeys.length }, 'matched');
    enqueueDeliver(webhookKeys);
    if (pulledKeys.length > 0) pullNotifier.notify(pulledKeys);
    return leftEventIds;
  }
  const consumer = createEventConsumer({
    ...redis,
    producer,
    maxEvents: eventsPerMatch,
    concurrency: matchesAtOnce,
    async work(eventIds, priority) {
      const leftEventIds = await match(eventIds);
      if (leftEventIds.length > 0) producer.enqueueEvents(leftEventIds, priority);
    },
    onFailed: (err) => log.warn({ err }, 'a match failed; the sweep enqueues its events again'),
  });
  return { match, steps: [{ name: 'match', stop: () => consumer.close() }] };
}
