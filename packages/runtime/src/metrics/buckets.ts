import type { MetricLine } from './registry.ts';

/** The last value of a bucket that belongs to a trace. */
interface Exemplar {
  readonly labelSet: { readonly trace_id: string };
  readonly value: number;
  /** In seconds since 1970. */
  readonly timestamp: number;
}

/** The observations of a histogram for one combination of labels. The last bucket is for values above all bounds. */
export interface Buckets {
  readonly counts: number[];
  readonly exemplars: (Exemplar | undefined)[];
  sum: number;
}

const msPerS = 1_000;

export function bucketsOf(bounds: readonly number[]): Buckets {
  return { counts: Array.from({ length: bounds.length + 1 }, () => 0), exemplars: [], sum: 0 };
}

/** Adds a value. @param traceId of its trace, which its bucket names until another one comes. */
export function observeIn(
  buckets: Buckets,
  bounds: readonly number[],
  value: number,
  traceId: string | undefined,
): void {
  // It would make the sum no number for as long as the process runs.
  if (!Number.isFinite(value)) throw new TypeError(`${value} cannot be observed`);
  let nth = 0;
  while (nth < bounds.length && value > (bounds[nth] ?? 0)) nth += 1;
  buckets.counts[nth] = (buckets.counts[nth] ?? 0) + 1;
  buckets.sum += value;
  if (traceId === undefined) return;
  buckets.exemplars[nth] = { labelSet: { trace_id: traceId }, value, timestamp: Date.now() / msPerS };
}

/** The lines of a histogram: how many values are at most each bound, their sum and their count. */
export function* bucketValues(
  name: string,
  bounds: readonly number[],
  sharedLabels: Readonly<Record<string, string>>,
  { counts, exemplars, sum }: Buckets,
): Iterable<MetricLine> {
  let value = 0;
  for (const [nth, count] of counts.entries()) {
    value += count;
    const labels = { le: bounds[nth] ?? '+Inf' };
    yield { metricName: `${name}_bucket`, labels, sharedLabels, value, exemplar: exemplars[nth] };
  }
  yield { metricName: `${name}_sum`, labels: {}, sharedLabels, value: sum };
  yield { metricName: `${name}_count`, labels: {}, sharedLabels, value };
}
