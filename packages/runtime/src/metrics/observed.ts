import { type Buckets, bucketsOf, bucketValues, observeIn } from './buckets.ts';
import { recordedTrace } from '../tracing/recorded-trace.ts';
import { addValues, type Registry, supportsExemplars } from './registry.ts';
import { createSeries } from './series.ts';

/**
 * Buckets of durations that end with a commit to PostgreSQL, in seconds: the same everywhere, so that steps can be
 * compared.
 */
export const commitBucketsS: readonly number[] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

interface ObservedOptions {
  /** With its unit, as Prometheus names things: `callout_http_request_duration_seconds`. */
  readonly name: string;
  readonly help: string;
  /** Whose values are few: a route, a status, never a path or an id. */
  readonly labels?: readonly string[];
  /** With one label: the values that it will have, which are 0 from the start. */
  readonly known?: readonly string[];
}

interface HistogramOptions extends ObservedOptions {
  /** Upper bounds, rising. */
  readonly buckets: readonly number[];
}

/**
 * Adds a histogram. @returns a function that observes one value, with its labels in the order in which they were named.
 */
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
 * Adds a histogram whose buckets name a trace of their last value, where the registry supports exemplars: the first one
 * that is recorded.
 * @returns a function that observes one value, with its traces, and its labels in the order in which they were named.
 */
export function addTracedHistogram(
  registry: Registry,
  { name, help, labels = [], known, buckets: bounds }: HistogramOptions,
): (value: number, tracesOf: TracesOf, ...labelValues: string[]) => void {
  const hasExemplars = supportsExemplars(registry);
  const series = createSeries<Buckets>(labels, () => bucketsOf(bounds), known);
  addValues(registry, {
    name,
    help,
    type: 'histogram',
    *values() {
      for (const [labelsOf, buckets] of series) yield* bucketValues(name, bounds, labelsOf, buckets);
    },
  });
  return (value, tracesOf, ...labelValues) => {
    observeIn(series.of(labelValues), bounds, value, hasExemplars ? recordedTrace(tracesOf()) : undefined);
  };
}

/** Adds a counter. @returns adds to it, with its labels in the order in which they were named. */
export function addCounter(
  registry: Registry,
  { name, help, labels = [], known }: ObservedOptions,
): (by: number, ...labelValues: string[]) => void {
  const series = createSeries(labels, () => ({ count: 0 }), known);
  addValues(registry, {
    name,
    help,
    type: 'counter',
    *values() {
      for (const [labelsOf, { count }] of series) yield { labels: labelsOf, value: count };
    },
  });
  return (by, ...labelValues) => {
    series.of(labelValues).count += by;
  };
}
