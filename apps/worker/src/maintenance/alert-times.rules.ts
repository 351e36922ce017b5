/** The most time that is left for finding a trouble and for sending the mail, of the time in which people are notified. */
const mostLeadMs = 30_000;

/** When a trouble is old enough to be reported, and how often to look for troubles. */
export interface AlertTimes {
  readonly afterMs: number;
  readonly everyMs: number;
}

/**
 * The first mail about a trouble leaves within `withinMs` of the beginning, so that a tenth of the time, 30 s at most, is
 * left to find the trouble and to hand the mail over.
 * @param leastMs between two looks.
 */
export function alertTimes(withinMs: number, leastMs: number): AlertTimes {
  const leadMs = Math.min(withinMs / 10, mostLeadMs);
  return { afterMs: withinMs - leadMs, everyMs: Math.max(leastMs, leadMs / 3) };
}
