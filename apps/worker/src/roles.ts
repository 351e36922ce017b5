import type { WorkerConfig } from '@callout/runtime/config/worker';
import type { StopStep } from '@callout/runtime/process/lifecycle';
import { startDeliver } from '@callout/pipeline/deliver/start';
import { startMatch } from '@callout/pipeline/match/start';
import { startNotify } from '@callout/pipeline/notify/start';
import { startWithoutRedis } from '@callout/pipeline/sweep/without-redis';
import type { WorkerMetrics } from './worker-metrics.ts';
import type { RoleDeps } from '@callout/pipeline/stage';
import { startSweep } from './maintenance/start.ts';

/**
 * Starts the roles of the process. A process that both matches and delivers sends matched callouts without asking Redis
 * or PostgreSQL.
 * @returns the steps that stop the roles, in order: producers of work before consumers.
 */
export function startRoles(
  roles: WorkerConfig['WORKER_ROLES'],
  deps: RoleDeps & { metrics: WorkerMetrics; hasFastWays: boolean },
): StopStep[] {
  const delivery = roles.includes('deliver') ? startDeliver(deps) : null;
  const matching = roles.includes('match') ? startMatch(deps, delivery?.engine ?? null) : null;
  const withoutRedis = startWithoutRedis(deps, {
    match: matching && ((eventIds) => matching.match(eventIds)),
    deliver: delivery && ((webhookKeys) => delivery.engine.enqueue(webhookKeys)),
  });
  return [
    withoutRedis,
    ...(matching?.steps ?? []),
    ...(delivery?.steps ?? []),
    ...(roles.includes('notify') ? startNotify(deps) : []),
    ...(roles.includes('sweep') ? startSweep(deps) : []),
  ];
}
