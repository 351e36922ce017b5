import type { PullResult } from '@callout/domain/outcome/pull-outcome';

/** The result of a callout that was handed out. */
export type PullOutcome = 'acked' | 'nacked' | 'lapsed';

/** What is known of a callout after its result was to be settled. */
export interface SettledCallout {
  /** Its lease had ended or was another one by then, so that the result was not stored. */
  readonly isLate: boolean;
  readonly isDelivered: boolean;
  /** Its tenant is being moved to another zone, with its leases. */
  readonly isMoving: boolean;
}

/**
 * What a program that acknowledges a callout is answered.
 * @returns null: nothing yet, since the acknowledgement counts in the zone where the tenant is then.
 */
export function outcomeOfPull(
  { kind }: PullResult,
  { isLate, isDelivered, isMoving }: SettledCallout,
): PullOutcome | null {
  if (!isLate) return kind === 'acked' || kind === 'nacked' ? kind : 'lapsed';
  // A delivered callout stays so: perhaps by this acknowledgement, whose response got lost.
  if (isDelivered) return 'acked';
  return isMoving ? null : 'lapsed';
}
