/** What the owner of a webhook limits its calls to; null: no such limit. */
export interface CallLimits {
  /** Calls that may begin in a second (`maxCallsPerSecond`). */
  readonly perSecond: number | null;
  /** Calls under way at once (`maxConcurrentCalls`). */
  readonly atOnce: number | null;
}

/** How far a webhook has used its limits. */
export interface RateState {
  /** When its next call may begin. The only thing that is kept for the rate, as in the generic cell rate algorithm. */
  readonly nextCallAt: Date;
  /** Calls under way whose leases last. */
  readonly underWay: number;
}

/**
 * Calls that a webhook did not make may be made up for within this time, in ms. Workers look for calls in steps of
 * 100 ms, so without it a webhook would not reach its rate. In any time t at most `perSecond * (t + 0.5 s) + 1` calls
 * begin: the other half of the second by which receivers may see the rate exceeded is for the way to them.
 */
export const keptAllowanceMs = 500;

/**
 * How many calls of a webhook may begin now, of those that a worker has slots for. `deliver/sql/delivery_claim.sql`
 * decides the same in SQL; a test compares both.
 * @param keptMs for how long unused calls may be made up for.
 */
export function callsAllowed(
  { perSecond, atOnce }: CallLimits,
  state: RateState,
  now: Date,
  slots: number,
  keptMs = keptAllowanceMs,
): number {
  const { nextCallAt, underWay } = state;
  if (nextCallAt > now) return 0;
  const unusedMs = Math.min(keptMs, now.getTime() - nextCallAt.getTime());
  const byRate = perSecond === null ? Infinity : Math.floor((perSecond * unusedMs) / 1_000) + 1;
  const byPlaces = atOnce === null ? Infinity : atOnce - underWay;
  return Math.max(0, Math.min(slots, byRate, byPlaces));
}

/** When the next call may begin, after some that begin now. */
export function nextCallAfter(
  { perSecond }: CallLimits,
  nextCallAt: Date,
  now: Date,
  calls: number,
  keptMs = keptAllowanceMs,
): Date {
  const fromMs = Math.max(nextCallAt.getTime(), now.getTime() - keptMs);
  return new Date(fromMs + (perSecond === null ? 0 : (calls * 1_000) / perSecond));
}
