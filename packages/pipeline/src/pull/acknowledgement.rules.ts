import type { PullResult } from '@callout/domain/outcome/pull-outcome';

/** The result of a callout that was handed out. */
export type PullOutcome = 'acked' | 'nacked' | 'lapsed';

/** What the settlement of a result shows about the callout. */
export interface SettledCallout {
  /** The lease had ended or was another lease by then, so that the result was not stored. */
  readonly isLate: boolean;
  readonly isDelivered: boolean;
  /** The tenant is being moved to another zone, with the leases. */
  readonly isMoving: boolean;
}

/**
 * The answer to a program that acknowledges a callout.
 * @returns null: no answer yet, since the acknowledgement counts in the zone that the tenant is moved to.
 */
export function outcomeOfPull(
  { kind }: PullResult,
  { isLate, isDelivered, isMoving }: SettledCallout,
): PullOutcome | null {
  if (!isLate) return kind === 'acked' || kind === 'nacked' ? kind : 'lapsed';
  // A delivered callout stays delivered: perhaps by the acknowledgement, whose response got lost.
  if (isDelivered) return 'acked';
  return isMoving ? null : 'lapsed';
}
