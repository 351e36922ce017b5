import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client';

/** Each sample wakes the process: every 10 ms, the default of Node, costs an idle one 0.7 % of a core, this a tenth. */
const loopSampleMs = 100;

/**
 * Adds metrics of the process itself: CPU, memory, event loop, garbage collection, and its version. All of it is read
 * on a scrape, except the delay of the event loop, which Node samples.
 */
export function addProcessMetrics(registry: Registry, { version }: { readonly version: string }): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: loopSampleMs });
  new Gauge({
    name: 'callout_build_info',
    help: 'Always 1; the label says which version of Callout this process runs.',
    labelNames: ['version'],
    registers: [registry],
  }).set({ version }, 1);
}
