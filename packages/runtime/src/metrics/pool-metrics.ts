import type { Registry } from 'prom-client';
import { addReadGauge } from './read-gauge.ts';

/** What is used of a pool of connections. */
export interface PoolUse {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
}

/** Adds how the pools of connections of a process are used. @param pools by what they are for. */
export function addPoolMetrics(registry: Registry, pools: Readonly<Record<string, PoolUse>>): void {
  addReadGauge(registry, {
    name: 'callout_database_pool_connections',
    help: 'Connections of this process to PostgreSQL.',
    labels: ['pool', 'state'],
    *read() {
      for (const [pool, { totalCount, idleCount }] of Object.entries(pools)) {
        yield [idleCount, pool, 'idle'];
        yield [totalCount - idleCount, pool, 'busy'];
      }
    },
  });
  addReadGauge(registry, {
    name: 'callout_database_pool_waiting',
    help: 'Statements and transactions that wait for a connection.',
    labels: ['pool'],
    read: () => Object.entries(pools).map(([pool, { waitingCount }]) => [waitingCount, pool] as const),
  });
}
