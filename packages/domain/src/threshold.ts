/** First attempts of a tenant and entity in the last hour, by whole minutes: index 0 is the last minute. */
export type AttemptsByMinute = readonly number[];

const minuteMs = 60_000;
const minutesOfHour = 60;

/** Counts of some minutes, as a complete list. */
export function byMinute(counts: readonly { readonly minutesAgo: number; readonly used: number }[]): number[] {
  const attempts = Array.from({ length: minutesOfHour }, () => 0);
  for (const { minutesAgo, used } of counts) if (minutesAgo in attempts) attempts[minutesAgo] = used;
  return attempts;
}

/** The mean age of attempts in seconds; 0 without any. */
export function meanAgeS(attempts: AttemptsByMinute): number {
  const total = attempts.reduce((sum, count) => sum + count, 0);
  const ages = attempts.reduce((sum, count, minutesAgo) => sum + count * 60 * (minutesAgo + 0.5), 0);
  return total <= 0 ? 0 : ages / total;
}

/** The present rate is that of the last ten minutes: a shorter time would follow each burst. */
export const forecastFromMinutes = 10;

/**
 * When a threshold is reached if first attempts go on at their present rate, by the minute: each minute adds that rate
 * and drops what is an hour old.
 * @param limit first attempts in any hour; 0: no limit.
 * @returns null: not within an hour, which is never at a constant rate.
 */
export function forecastThreshold(limit: number, attempts: AttemptsByMinute, now: Date): Date | null {
  if (limit <= 0) return null;
  const inMinute = (minutesAgo: number): number => attempts[minutesAgo] ?? 0;
  let used = attempts.slice(0, minutesOfHour).reduce((sum, count) => sum + count, 0);
  if (used >= limit) return now;
  const recent = attempts.slice(0, forecastFromMinutes).reduce((sum, count) => sum + count, 0);
  const perMinute = recent / forecastFromMinutes;
  for (let minute = 1; minute <= minutesOfHour; minute += 1) {
    const added = perMinute - inMinute(minutesOfHour - minute);
    if (used + added >= limit) {
      const part = (limit - used) / added;
      return new Date(now.getTime() + Math.round((minute - 1 + part) * minuteMs));
    }
    used += added;
  }
  return null;
}

/**
 * What happens when callouts come near the hourly threshold. `hold`: they go out as fast as they come until it is
 * reached, and then none does. `spread`: when three quarters of it are used, the rest is spread over what remains of the
 * hour.
 */
export const thresholdModes = ['hold', 'spread'] as const;
export type ThresholdMode = (typeof thresholdModes)[number];

/** How many first attempts of an hour go out as fast as they come. */
export function freeAttempts(limit: number, isSpread: boolean): number {
  return isSpread ? Math.max(1, Math.floor(limit * 0.75)) : limit;
}
