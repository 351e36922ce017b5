/**
 * The upper bounds in milliseconds of the buckets in which response times are counted; a further bucket is for times
 * above the last. Close enough together for a median and a 95th percentile, and fixed, so that counts can be added up.
 */
export const answerTimeBoundsMs: readonly number[] = [
  5, 10, 15, 20, 30, 50, 75, 100, 150, 200, 300, 500, 750, 1_000, 1_500, 2_000, 3_000, 5_000, 7_500, 10_000, 15_000,
  30_000, 60_000,
];

/**
 * The time that a share of the responses did not exceed, interpolated in the bucket; null when there was no response.
 * @param counts the count of each bucket.
 * @param share such as 0.95.
 * @returns whole milliseconds; the last bound for longer times.
 */
export function answerTimeAt(counts: readonly number[], share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const rank = share * total;
  let below = 0;
  for (const [bucket, count] of counts.entries()) {
    if (count > 0 && below + count >= rank) {
      const from = answerTimeBoundsMs[bucket - 1] ?? 0;
      const to = answerTimeBoundsMs[bucket] ?? from;
      return Math.round(from + ((rank - below) / count) * (to - from));
    }
    below += count;
  }
  return answerTimeBoundsMs.at(-1) ?? null;
}
