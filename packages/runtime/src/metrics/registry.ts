import { type Metric, Registry, type RegistryContentType } from 'prom-client';

export type { Registry } from 'prom-client';

/** The metrics of one process, as they are served. */
export interface Metrics {
  /** Says in which of its two forms the text is. */
  readonly contentType: string;
  readonly text: () => Promise<string>;
}

/**
 * The metrics of one process, none of them yet; `metrics()` is their text.
 * @param hasExemplars in the form of OpenMetrics, in which values name traces; else in the one that everything reads.
 */
export function createRegistry({ hasExemplars = false } = {}): Registry {
  const registry = new Registry<RegistryContentType>();
  if (hasExemplars) registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
  return registry as Registry;
}

/** What is served of a registry. */
export function metricsOf(registry: Registry): Metrics {
  return { contentType: registry.contentType, text: () => registry.metrics() };
}

/** Whether values that are observed may name the trace that they belong to. */
export function takesExemplars(registry: Registry): boolean {
  return registry.contentType.startsWith('application/openmetrics-text');
}

/** One line of the text: a value and its labels. */
export interface MetricLine {
  /** Absent: that of the metric. */
  readonly metricName?: string;
  readonly labels: Readonly<Record<string, string | number>>;
  /** Those that several lines have: they come last. */
  readonly sharedLabels?: Readonly<Record<string, string>>;
  readonly value: number;
  readonly exemplar?: unknown;
}

interface ValuesMetric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'histogram';
  readonly values: () => Iterable<MetricLine>;
}

/**
 * Adds a metric whose values are kept here and read when a scrape asks. prom-client finds a value anew by all its labels,
 * for each that is observed, which a worker does ten times for each callout. Its registry takes whatever can tell its
 * values, as it does itself with those that it sums up (lib/cluster.js).
 */
export function addValues(registry: Registry, { name, help, type, values }: ValuesMetric): void {
  const metric = {
    // Where it writes OpenMetrics the registry takes `_total` from it.
    name,
    get: () => Promise.resolve({ name: metric.name, help, type, values: [...values()] }),
    help,
    type,
  };
  registry.registerMetric(metric as unknown as Metric);
}
