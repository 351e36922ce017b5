import { Gauge, type Registry } from 'prom-client';

interface ReadGauge {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  /** Values with their labels, in the order in which those were named. Called on each scrape: it must cost nothing. */
  readonly read: () => Iterable<readonly [value: number, ...labelValues: string[]]>;
}

/** Adds a gauge of a value in memory. Values that need a query are for `addCountedGauges`. */
export function addReadGauge(registry: Registry, { name, help, labels, read }: ReadGauge): void {
  const gauge: Gauge = new Gauge({
    name,
    help,
    labelNames: [...labels],
    registers: [registry],
    collect() {
      gauge.reset();
      for (const [value, ...labelValues] of read()) gauge.labels(...labelValues).set(value);
    },
  });
}
