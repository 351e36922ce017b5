import {
  addPoolMetrics,
  addProcessMetrics,
  addReadGauge,
  createRegistry,
  type Metrics,
  metricsOf,
  type PoolUse,
} from '@callout/runtime/metrics';
import { addBacklogMetrics, type BacklogMetricsDeps } from './backlog-metrics.ts';
import { addChoreMetrics, type ChoreMetrics } from './chore-metrics.ts';
import { addDeliveryMetrics, type DeliveryMetrics } from './delivery-metrics.ts';
import { addMatchMetrics, type MatchMetrics } from './match-metrics.ts';

export interface WorkerMetricsDeps {
  /** Of Callout itself. */
  readonly version: string;
  readonly pool: PoolUse;
  readonly isRedisReady: () => boolean;
  readonly backlog: BacklogMetricsDeps;
  /** Whether values name the trace that they belong to. */
  readonly hasExemplars: boolean;
}

/** What the roles of a worker tell of themselves. */
export interface WorkerMetrics extends MatchMetrics, DeliveryMetrics, ChoreMetrics, Metrics {}

/**
 * What a worker does, and what the installation has to do. Every worker says the same of the latter: scrape one, or take
 * the highest.
 */
export function createWorkerMetrics(deps: WorkerMetricsDeps): WorkerMetrics {
  const registry = createRegistry({ hasExemplars: deps.hasExemplars });
  // In this order they are read: counting the backlog has statements wait for a connection until the next tick, and each
  // scrape would find the pool exhausted.
  addPoolMetrics(registry, { sets: deps.pool });
  addBacklogMetrics(registry, deps.backlog);
  addReadGauge(registry, {
    name: 'callout_redis_connected',
    help: 'Whether this process has a connection to Redis: 1 or 0.',
    labels: [],
    read: () => [[deps.isRedisReady() ? 1 : 0]],
  });
  addProcessMetrics(registry, { version: deps.version });
  return {
    ...addMatchMetrics(registry),
    ...addDeliveryMetrics(registry),
    ...addChoreMetrics(registry, deps.backlog.nowMs),
    ...metricsOf(registry),
  };
}
