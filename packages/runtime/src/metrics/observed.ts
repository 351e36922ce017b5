import { Counter, Histogram, type Registry } from 'prom-client';

interface ObservedOptions {
  /** With its unit, as Prometheus names things: `callout_http_request_duration_seconds`. */
  readonly name: string;
  readonly help: string;
  /** Whose values are few: a route, a status, never a path or an id. */
  readonly labels?: readonly string[];
}

/** Adds a histogram. @returns takes one value, with its labels in the order in which they were named. */
export function addHistogram(
  registry: Registry,
  { name, help, labels = [], buckets }: ObservedOptions & { readonly buckets: readonly number[] },
): (value: number, ...labelValues: string[]) => void {
  const histogram = new Histogram({ name, help, labelNames: labels, buckets: [...buckets], registers: [registry] });
  return (value, ...labelValues) => histogram.labels(...labelValues).observe(value);
}

/** Adds a counter. @returns adds to it, with its labels in the order in which they were named. */
export function addCounter(
  registry: Registry,
  { name, help, labels = [] }: ObservedOptions,
): (by: number, ...labelValues: string[]) => void {
  const counter = new Counter({ name, help, labelNames: labels, registers: [registry] });
  return (by, ...labelValues) => counter.labels(...labelValues).inc(by);
}
