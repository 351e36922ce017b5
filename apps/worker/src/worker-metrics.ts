import type { Producer } from '@callout/queue/producer';
import { addPoolMetrics, type PoolUse } from '@callout/runtime/metrics/pool-metrics';
import { addProcessMetrics } from '@callout/runtime/metrics/process-metrics';
import { addReadGauge } from '@callout/runtime/metrics/read-gauge';
import { createRegistry, type Metrics, metricsOf } from '@callout/runtime/metrics/registry';
import { addBacklogMetrics, type BacklogMetricsDeps } from './backlog-metrics.ts';
import { addMaintenanceMetrics, type MaintenanceMetrics } from '@callout/pipeline/sweep/maintenance-metrics';
import { addDeliveryMetrics, type DeliveryMetrics } from '@callout/pipeline/settle/delivery-metrics';
import { addMatchMetrics, type MatchMetrics } from '@callout/pipeline/match/match-metrics';

export interface WorkerMetricsDeps {
  /** The version of Callout. */
  readonly version: string;
  readonly pool: PoolUse;
  readonly redis: Pick<Producer, 'isConnected' | 'refusal'>;
  /** How far the clock of the machine is ahead; null: unknown. */
  readonly clockAheadMs: () => number | null;
  readonly backlog: BacklogMetricsDeps;
  /** Whether values have exemplars with their traces. */
  readonly hasExemplars: boolean;
}

/** The metrics of a worker's roles. */
export interface WorkerMetrics extends MatchMetrics, DeliveryMetrics, MaintenanceMetrics, Metrics {}

/**
 * The activity of a worker, and the backlog of the installation, which is equal in all workers: scrape a single worker, or
 * use the maximum.
 */
export function createWorkerMetrics(deps: WorkerMetricsDeps): WorkerMetrics {
  const registry = createRegistry({ hasExemplars: deps.hasExemplars });
  // The order matters: counting the backlog makes statements wait for a connection until the next tick, and each scrape
  // would find the pool exhausted.
  addPoolMetrics(registry, { sets: deps.pool });
  addBacklogMetrics(registry, deps.backlog);
  addReadGauge(registry, {
    name: 'callout_redis_connected',
    help: 'Whether this process has a connection to Redis: 1 or 0.',
    labels: [],
    read: () => [[deps.redis.isConnected() ? 1 : 0]],
  });
  addReadGauge(registry, {
    name: 'callout_redis_refuses_writes',
    help: 'Whether Redis, although connected, takes no writes of this process: 1 with the reason, or 0.',
    labels: ['reason'],
    read() {
      const refusal = deps.redis.refusal();
      return [refusal === null ? [0, ''] : [1, refusal.reason]];
    },
  });
  addProcessMetrics(registry, deps);
  return {
    ...addMatchMetrics(registry),
    ...addDeliveryMetrics(registry),
    ...addMaintenanceMetrics(registry, deps.backlog.nowMs),
    ...metricsOf(registry),
  };
}
