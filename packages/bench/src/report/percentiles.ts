/**
 * Percentiles by the nearest rank: the smallest value that is not below `p` per cent of all of them, so always one that
 * was measured. NaN for each when there are no values.
 */
export function percentiles(values: ArrayLike<number>, ps: readonly number[]): number[] {
  const sorted = Float64Array.from(values).sort();
  return ps.map((p) => sorted[Math.max(0, Math.ceil((p / 100) * sorted.length) - 1)] ?? Number.NaN);
}
