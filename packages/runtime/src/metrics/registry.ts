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
 * @param hasExemplars in the form of OpenMetrics, in which values name traces; else in the form that every program
 * reads.
 */
export function createRegistry({ hasExemplars = false } = {}): Registry {
  const registry = new Registry<RegistryContentType>();
  if (hasExemplars) registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
  return registry as Registry;
}

/** The served form of a registry. */
export function metricsOf(registry: Registry): Metrics {
  return { contentType: registry.contentType, text: () => registry.metrics() };
}

/** Whether values that are observed may name the trace that they belong to. */
export function supportsExemplars(registry: Registry): boolean {
  return registry.contentType.startsWith('application/openmetrics-text');
}

/** One line of the text: a value and its labels. */
export interface MetricLine {
  /** Absent: that of the metric. */
  readonly metricName?: string;
  readonly labels: Readonly<Record<string, string | number>>;
  /** Labels of several lines, which come last. */
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
 * Adds a metric whose values are kept here and read on a scrape. prom-client finds a value anew by all its labels on
 * each observation, which a worker makes ten times for each callout. Its registry accepts any object with values, as
 * for the metrics that it aggregates itself (lib/cluster.js).
 */
export function addValues(registry: Registry, { name, help, type, values }: ValuesMetric): void {
  const metric = {
    // In the form of OpenMetrics the registry removes `_total` from it.
    name,
    get: () => Promise.resolve({ name: metric.name, help, type, values: [...values()] }),
    help,
    type,
  };
  registry.registerMetric(metric as unknown as Metric);
}
