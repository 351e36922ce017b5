/**
 * Milliseconds since 1970 with microseconds in the fraction. Driver and receiver are two processes on one machine: both
 * count from the same clock.
 */
export function nowMs(): number {
  return performance.timeOrigin + performance.now();
}
