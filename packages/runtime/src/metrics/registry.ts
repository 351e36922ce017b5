import { Registry, type RegistryContentType } from 'prom-client';

export type { Registry } from 'prom-client';

/** The metrics of a process, as served. */
export interface Metrics {
  /** Says in which of its two forms the text is. */
  readonly contentType: string;
  readonly text: () => Promise<string>;
}

/**
 * The metrics of a process, still empty; `metrics()` is the text.
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

/** Whether observed values may name their trace. */
export function supportsExemplars(registry: Registry): boolean {
  return registry.contentType.startsWith('application/openmetrics-text');
}
