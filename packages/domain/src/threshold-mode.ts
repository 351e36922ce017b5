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
