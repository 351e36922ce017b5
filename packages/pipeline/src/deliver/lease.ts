import type { ClaimedCallout } from '@callout/domain/callout/claimed';

/** A callout that only this process may send until its lease ends. */
export interface LeasedCallout extends ClaimedCallout {
  /** Until when this process may rely on the lease, in milliseconds of `performance.now()`. */
  leaseEndsAtMs: number;
}

/**
 * Claims callouts and computes when their leases end. The time is measured from before the claim was sent, so it is
 * never later than the end by the clock of PostgreSQL, however long the claim took.
 */
export async function withLeaseEnd(
  claim: () => Promise<ClaimedCallout[]>,
  leaseMs: number,
  nowMs: () => number,
): Promise<LeasedCallout[]> {
  const leaseEndsAtMs = nowMs() + leaseMs;
  return (await claim()).map((callout) => ({ ...callout, leaseEndsAtMs }));
}
