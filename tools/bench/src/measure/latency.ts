/** Milliseconds from the sending of a request with an event to the arrival of a callout about it. */
export interface Latency {
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
}

export function latencyOf(tookMs: readonly number[]): Latency {
  const [p50Ms = Number.NaN, p95Ms = Number.NaN, p99Ms = Number.NaN] = percentiles(tookMs, [50, 95, 99]);
  return { p50Ms, p95Ms, p99Ms };
}

/**
 * Of each callout that came, from the sending of its event to its first arrival.
 * @param firstArrivedAtMs by `webhook * events + event`; 0 when none came.
 * @param firstEvent the number of the first event that was sent, of so many `events`.
 * @param isCounted by number of the webhook.
 */
export function tookMs(
  sentAtMs: Float64Array,
  firstArrivedAtMs: Float64Array,
  { events = sentAtMs.length, firstEvent = 0, isCounted = (_webhook: number): boolean => true } = {},
): number[] {
  const webhooks = Array.from({ length: firstArrivedAtMs.length / events }, (_, webhook) => webhook);
  return webhooks.filter(isCounted).flatMap((webhook) =>
    [...sentAtMs].flatMap((sentMs, event) => {
      const arrivedAtMs = firstArrivedAtMs[webhook * events + firstEvent + event] ?? 0;
      return arrivedAtMs > 0 ? [arrivedAtMs - sentMs] : [];
    }),
  );
}

/**
 * Percentiles by the nearest rank: the smallest value that is not below `p` per cent of all of them, so always one that
 * was measured. NaN for each when there are no values.
 */
export function percentiles(values: ArrayLike<number>, ps: readonly number[]): number[] {
  const sorted = Float64Array.from(values).sort();
  return ps.map((p) => sorted[Math.max(0, Math.ceil((p / 100) * sorted.length) - 1)] ?? Number.NaN);
}

export function median(values: ArrayLike<number>): number {
  return percentiles(values, [50])[0] ?? Number.NaN;
}

/**
 * Milliseconds since 1970 with microseconds in the fraction. Driver and receiver are two processes on one machine: both
 * count from the same clock.
 */
export function nowMs(): number {
  return performance.timeOrigin + performance.now();
}
