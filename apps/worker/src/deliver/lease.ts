import type { ClaimedCallout } from '@callout/db/claim';

/** A callout that this process alone may send, for a while. */
export interface LeasedCallout extends ClaimedCallout {
  /** Until when this process may count on the lease, in milliseconds of `performance.now()`. */
  leaseEndsAtMs: number;
}

/**
 * Claims, and notes when the leases end. They are counted from before the claim was sent, so they never end earlier by
 * the clock of PostgreSQL than by this one, however long the answer took.
 */
export async function withLeaseEnd(
  claim: () => Promise<ClaimedCallout[]>,
  leaseMs: number,
  nowMs: () => number,
): Promise<LeasedCallout[]> {
  const leaseEndsAtMs = nowMs() + leaseMs;
  return (await claim()).map((callout) => ({ ...callout, leaseEndsAtMs }));
}
