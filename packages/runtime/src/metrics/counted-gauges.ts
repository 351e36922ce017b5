import { Gauge, type Registry } from 'prom-client';
import { keepFor } from '../concurrency/keep-for.ts';

/** A gauge, and its value from the count. */
export interface CountedGauge<Counted> {
  /** With its unit, as Prometheus names things: `callout_oldest_pending_event_seconds`. */
  readonly name: string;
  readonly help: string;
  /** The name of the label; absent: no label. */
  readonly label?: string;
  /**
   * A number, or with a label a number for each value of the label. `countedMs` is the time of the count, for ages.
   */
  readonly value: (counted: Counted, countedMs: number) => number | Readonly<Record<string, number>>;
}

interface CountedGaugesDeps<Counted> {
  readonly count: () => Promise<Counted>;
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
  /** Called with the error when there is no count. */
  readonly onError: (error: unknown) => void;
  /** The gauge that shows whether there is a count: 1 or 0. */
  readonly known: { readonly name: string; readonly help: string };
}

/** A count may read many rows, and a scrape may come at any time from anywhere. */
const KEPT_MS = 15_000;

/**
 * Adds gauges that are counted on a scrape, all by one count, and at most every 15 s: scrapes in between get the last
 * count. While counting fails the gauges have no value, and the other metrics are served all the same.
 */
export function addCountedGauges<Counted>(
  registry: Registry,
  { count, nowMs, onError, known: countedAt }: CountedGaugesDeps<Counted>,
  gauges: readonly CountedGauge<Counted>[],
): void {
  const tried = async (): Promise<{ counted: Counted; countedMs: number } | undefined> => {
    try {
      // Ages are those at the time of the count: the work may be done since, and would seem to grow older until the
      // next.
      return { counted: await count(), countedMs: nowMs() };
    } catch (error) {
      onError(error);
      return undefined;
    }
  };
  const counts = keepFor(KEPT_MS, tried, nowMs);
  const knownGauge: Gauge = new Gauge({
    ...countedAt,
    registers: [registry],
    collect: async () => knownGauge.set((await counts()) === undefined ? 0 : 1),
  });
  for (const { name, help, label, value } of gauges) {
    const gauge: Gauge = new Gauge({
      name,
      help,
      labelNames: label === undefined ? [] : [label],
      registers: [registry],
      async collect() {
        const latest = await counts();
        gauge.reset();
        if (latest === undefined) {
          if (label === undefined) gauge.remove();
          return;
        }
        const now = value(latest.counted, latest.countedMs);
        if (typeof now === 'number') gauge.set(now);
        else for (const [of, amount] of Object.entries(now)) gauge.set({ [label ?? '']: of }, amount);
      },
    });
  }
}
