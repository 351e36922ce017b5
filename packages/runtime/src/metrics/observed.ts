import { Counter, Histogram, type Registry } from 'prom-client';
import { takesExemplars } from './registry.ts';

/** Buckets of what ends with a commit to PostgreSQL, in seconds: alike everywhere, so that steps can be compared. */
export const commitBucketsS: readonly number[] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

interface ObservedOptions {
  /** With its unit, as Prometheus names things: `callout_http_request_duration_seconds`. */
  readonly name: string;
  readonly help: string;
  /** Whose values are few: a route, a status, never a path or an id. */
  readonly labels?: readonly string[];
}

interface HistogramOptions extends ObservedOptions {
  readonly buckets: readonly number[];
}

/** Adds a histogram. @returns takes one value, with its labels in the order in which they were named. */
export function addHistogram(
  registry: Registry,
  options: HistogramOptions,
): (value: number, ...labelValues: string[]) => void {
  const histogram = histogramOf(registry, options, false);
  return (value, ...labelValues) => histogram.labels(...labelValues).observe(value);
}

/**
 * Adds a histogram whose buckets name the trace of the value that came last, where the registry takes exemplars.
 * @returns takes one value, the id of its trace if it has one, and its labels in the order in which they were named.
 */
export function addTracedHistogram(
  registry: Registry,
  options: HistogramOptions,
): (value: number, traceId: string | undefined, ...labelValues: string[]) => void {
  if (!takesExemplars(registry)) {
    const observe = addHistogram(registry, options);
    return (value, _traceId, ...labelValues) => observe(value, ...labelValues);
  }
  const names = options.labels ?? [];
  const histogram = histogramOf(registry, options, true);
  return (value, traceId, ...labelValues) => {
    const labels = Object.fromEntries(names.map((name, nth) => [name, labelValues[nth] ?? '']));
    histogram.observe({ labels, value, exemplarLabels: traceId === undefined ? {} : { trace_id: traceId } });
  };
}

function histogramOf(
  registry: Registry,
  { name, help, labels = [], buckets }: HistogramOptions,
  enableExemplars: boolean,
): Histogram {
  return new Histogram({
    name,
    help,
    labelNames: labels,
    buckets: [...buckets],
    registers: [registry],
    enableExemplars,
  });
}

/** Adds a counter. @returns adds to it, with its labels in the order in which they were named. */
export function addCounter(
  registry: Registry,
  { name, help, labels = [] }: ObservedOptions,
): (by: number, ...labelValues: string[]) => void {
  const counter = new Counter({ name, help, labelNames: labels, registers: [registry] });
  return (by, ...labelValues) => counter.labels(...labelValues).inc(by);
}
