import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client';

/**
 * Adds what is known of the process itself: CPU, memory, event loop, garbage collection, and its version. All of it is
 * read when a scrape asks, but for the delay of the event loop, which Node samples.
 */
export function addProcessMetrics(registry: Registry, { version }: { readonly version: string }): void {
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'callout_build_info',
    help: 'Always 1; the label says which version of Callout this process runs.',
    labelNames: ['version'],
    registers: [registry],
  }).set({ version }, 1);
}
