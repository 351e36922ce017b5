import { Counter, Histogram } from 'prom-client';
import { type Registry, supportsExemplars } from './registry.ts';

/** Buckets of durations that end with a commit to PostgreSQL, in seconds: the same everywhere, for comparison. */
export const commitBucketsS: readonly number[] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

interface ObservedOptions {
  /** With its unit, as Prometheus names things: `callout_http_request_duration_seconds`. */
  readonly name: string;
  readonly help: string;
  /** Whose values are few: a route, a status, never a path or an id. */
  readonly labels?: readonly string[];
  /**
   * With a label: the values of the label that are 0 from the start. The first value of a series has no rate, and a
   * first failure would not be seen.
   */
  readonly known?: readonly string[];
}

interface HistogramOptions extends ObservedOptions {
  /** Upper bounds, rising. */
  readonly buckets: readonly number[];
}

/** Adds a histogram. @returns a function that observes a value, with labels in the order of their names. */
export function addHistogram(
  registry: Registry,
  options: HistogramOptions,
): (value: number, ...labelValues: string[]) => void {
  const observe = addTracedHistogram(registry, options);
  return (value, ...labelValues) => observe(value, noTraces, ...labelValues);
}

/** Returns the `traceparent`s of a value; called only where values name a trace. */
export type TracesOf = () => Iterable<string | null | undefined>;

const noTraces: TracesOf = () => [];

/**
 * Adds a histogram whose buckets name a trace of the last value, where the registry supports exemplars: the first
 * recorded trace.
 * @returns a function that observes a value, with traces, and with labels in the order of their names.
 */
export function addTracedHistogram(
  registry: Registry,
  { name, help, labels: names = [], known: values = [], buckets }: HistogramOptions,
): (value: number, tracesOf: TracesOf, ...labelValues: string[]) => void {
  const enableExemplars = supportsExemplars(registry);
  const base = { name, help, labelNames: [...names], registers: [registry] };
  const histogram = new Histogram({ ...base, buckets: [...buckets], enableExemplars });
  for (const value of values) histogram.zero(labelled(names, [value]));
  return (value, tracesOf, ...labelValues) => {
    const labels = labelled(names, labelValues);
    if (!enableExemplars) return histogram.observe(labels, value);
    const traceId = recordedTrace(tracesOf());
    return histogram.observe({ labels, value, exemplarLabels: traceId === undefined ? {} : { trace_id: traceId } });
  };
}

/** Adds a counter. @returns a function that adds to the counter, with labels in the order of their names. */
export function addCounter(
  registry: Registry,
  { name, help, labels: names = [], known: values = [] }: ObservedOptions,
): (by: number, ...labelValues: string[]) => void {
  const counter = new Counter({ name, help, labelNames: [...names], registers: [registry] });
  for (const value of values) counter.inc(labelled(names, [value]), 0);
  return (by, ...labelValues) => counter.inc(labelled(names, labelValues), by);
}

function labelled(names: readonly string[], values: readonly string[]): Record<string, string> {
  if (names.length !== values.length) throw new Error(`labels are ${names.join(', ')}, not ${values.join()}`);
  return Object.fromEntries(names.map((name, nth) => [name, values[nth] ?? '']));
}

/** The trace of the first recorded `traceparent`; undefined: no recorded `traceparent`. */
export function recordedTrace(traceParents: Iterable<string | null | undefined>): string | undefined {
  for (const traceParent of traceParents) if (traceParent?.endsWith('-01')) return traceParent.split('-', 2)[1];
  return undefined;
}
