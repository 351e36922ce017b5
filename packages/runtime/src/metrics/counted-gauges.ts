import { Gauge, type Registry } from 'prom-client';
import { keepFor } from '../concurrency/keep-for.ts';

/** One gauge, and its value by what was counted. */
export interface CountedGauge<Counted> {
  /** With its unit, as Prometheus names things: `callout_oldest_pending_event_seconds`. */
  readonly name: string;
  readonly help: string;
  /** The name of its label; absent: it has none. */
  readonly label?: string;
  /** One number, or with a label one for each of its values. `nowMs` is the time of the scrape, for ages. */
  readonly value: (counted: Counted, nowMs: number) => number | Readonly<Record<string, number>>;
}

interface CountedGaugesDeps<Counted> {
  readonly count: () => Promise<Counted>;
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
}

/** A count may read many rows, and a scrape may come at any time from anywhere. */
const KEPT_MS = 15_000;

/**
 * Adds gauges that are counted when a scrape asks for them, all by one count, and at most every 15 s: scrapes in between
 * get the same count. A scrape fails when the count does.
 */
export function addCountedGauges<Counted>(
  registry: Registry,
  { count, nowMs }: CountedGaugesDeps<Counted>,
  gauges: readonly CountedGauge<Counted>[],
): void {
  const counts = keepFor(KEPT_MS, count, nowMs);
  for (const { name, help, label, value } of gauges) {
    const gauge: Gauge = new Gauge({
      name,
      help,
      labelNames: label === undefined ? [] : [label],
      registers: [registry],
      async collect() {
        const now = value(await counts(), nowMs());
        if (typeof now === 'number') gauge.set(now);
        else for (const [of, amount] of Object.entries(now)) gauge.set({ [label ?? '']: of }, amount);
      },
    });
  }
}
