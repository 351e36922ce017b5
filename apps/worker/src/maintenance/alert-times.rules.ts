/** Of the time in which people are notified of a trouble, at most this much is left for the look at it and for its mail. */
const mostLeadMs = 30_000;

/** When a trouble is old enough to be reported, and how often to look whether one is. */
export interface AlertTimes {
  readonly afterMs: number;
  readonly everyMs: number;
}

/**
 * The first mail about a trouble leaves within `withinMs` of its beginning, so that a tenth of this time, 30 s at most, is
 * left to find the trouble and to hand the mail over.
 * @param leastMs between two looks.
 */
export function alertTimes(withinMs: number, leastMs: number): AlertTimes {
  const leadMs = Math.min(withinMs / 10, mostLeadMs);
  return { afterMs: withinMs - leadMs, everyMs: Math.max(leastMs, leadMs / 3) };
}
