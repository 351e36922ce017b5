import type { CalloutAction } from '../event.ts';
import type { CalloutKind } from './callout-states.ts';

/** A callout that only the present worker may send until the lease ends. */
export interface ClaimedCallout {
  id: string;
  tenantId: number;
  webhookKey: number;
  /** The current version of the webhook's configuration: a receiver's address and key are read once per version. */
  webhookVersion: number;
  entityType: string;
  recordId: number;
  sequenceNumber: number;
  kind: CalloutKind;
  action: CalloutAction;
  eventId: string | null;
  attemptsMade: number;
  /**
   * How long before the next attempt the callout was claimed, in ms, as a probe, which finds out whether the receiver
   * is back. Absent or 0: the callout was due.
   */
  aheadMs?: number;
  /** The attempts before its last redelivery: the schedule does not count them. */
  attemptsBefore: number;
  isRedelivery: boolean;
  /** When the callout was counted for the threshold, by the database's clock; null: not counted. */
  countedAt: Date | null;
  /** When the event was accepted, by the database's clock; null without an event, or after a redelivery. */
  acceptedAt: Date | null;
  /** The `traceparent` of the request with the event; null: not traced, or no event. */
  traceParent: string | null;
  /** Identifies this lease. A callout that is claimed again, even by the same worker, has another lease. */
  leaseOwner: string;
  /** The call counts for `maxCallsPerSecond` of the webhook, from the moment of the claim; absent: no limit. */
  isRated?: boolean;
  /** The call is one of the `maxConcurrentCalls` of the webhook until the end; absent: no limit. */
  holdsPlace?: boolean;
  /** The bytes cannot change; absent: bytes of a first attempt may, where the webhook merges. */
  isFinal?: boolean;
  body: string;
}

/** Callouts of a webhook and record are sent in turn. */
export interface RecordOfWebhook {
  readonly webhookKey: number;
  readonly recordId: number;
}

/** Names a record of a webhook, as a key. */
export function recordName({ webhookKey, recordId }: RecordOfWebhook): string {
  return `${webhookKey}/${recordId}`;
}

/**
 * Whether changes may have been merged into a callout after the claim, which gave the body.
 * @param target of the webhook, read after the claim: perhaps of a later configuration without merging.
 */
export function mayHaveChanged(
  { kind, attemptsMade, isRedelivery, isFinal, webhookVersion }: ClaimedCallout,
  target: { readonly webhookVersion: number; readonly mergesWhileWaiting: boolean },
): boolean {
  const mayHaveMerged = target.mergesWhileWaiting || target.webhookVersion !== webhookVersion;
  return mayHaveMerged && kind === 'event' && attemptsMade === 0 && !isRedelivery && isFinal !== true;
}
