import type { Registry } from 'prom-client';
import { addReadGauge } from './read-gauge.ts';

/** The use of a pool of connections. */
export interface PoolUse {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
}

/** Adds the use of a process's connection pools. @param pools by their purpose. */
export function addPoolMetrics(registry: Registry, pools: Readonly<Record<string, PoolUse>>): void {
  addReadGauge(registry, {
    name: 'callout_database_pool_connections',
    help: 'Connections of this process to PostgreSQL, by pool and state.',
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
    help: 'Statements and transactions that wait for a connection, by pool.',
    labels: ['pool'],
    read: () => Object.entries(pools).map(([pool, { waitingCount }]) => [waitingCount, pool] as const),
  });
}
