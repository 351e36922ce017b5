import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client';
import { addReadGauge } from './read-gauge.ts';

/**
 * Each sample wakes the process: every 10 ms, the default of Node, costs an idle process 0.7 % of a core, 100 ms a
 * tenth.
 */
const loopSampleMs = 100;

interface OfProcess {
  /** The version of Callout. */
  readonly version: string;
  /** How far the clock of the machine is ahead of PostgreSQL's; null: not known. */
  readonly clockAheadMs: () => number | null;
}

/**
 * Adds metrics of the process itself: CPU, memory, event loop, garbage collection, and its version. All of it is read
 * on a scrape, except the delay of the event loop, which Node samples.
 */
export function addProcessMetrics(registry: Registry, { version, clockAheadMs }: OfProcess): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: loopSampleMs });
  new Gauge({
    name: 'callout_build_info',
    help: 'Always 1; the label says which version of Callout this process runs.',
    labelNames: ['version'],
    registers: [registry],
  }).set({ version }, 1);
  addReadGauge(registry, {
    name: 'callout_clock_ahead_seconds',
    help: 'Seconds by which the clock of this machine is ahead of that of PostgreSQL; below 0: behind.',
    labels: [],
    read() {
      const aheadMs = clockAheadMs();
      return aheadMs === null ? [] : [[aheadMs / 1_000]];
    },
  });
}
