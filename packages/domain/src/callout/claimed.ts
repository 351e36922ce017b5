import type { CalloutAction } from '../event.ts';
import type { CalloutKind } from './callout-states.ts';

/** A callout that only this worker may send until its lease ends. */
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
   * How long before the time of its next attempt it was claimed, in ms: it is a probe, which finds out whether the receiver
   * is back. Absent or 0: its time had come.
   */
  aheadMs?: number;
  /** The attempts before its last redelivery: the schedule does not count them. */
  attemptsBefore: number;
  isRedelivery: boolean;
  /** When it was counted for its threshold, by the database's clock; null when it was not counted. */
  countedAt: Date | null;
  /** When its event was accepted, by the database's clock; null when it has no event, or was redelivered. */
  acceptedAt: Date | null;
  /** The `traceparent` of the request that brought its event; null: it was not traced, or there is no event. */
  traceParent: string | null;
  /** Identifies this lease. A callout that is claimed again, even by the same worker, has another. */
  leaseOwner: string;
  /** Its call counts for the `maxCallsPerSecond` of its webhook, from the moment of the claim; absent: there is no such limit. */
  isRated?: boolean;
  /** Its call is one of the `maxConcurrentCalls` of its webhook until it is over; absent: the webhook has no such limit. */
  holdsPlace?: boolean;
  /** Its bytes cannot change; absent: those of a first attempt may, where its webhook merges. */
  isFinal?: boolean;
  body: string;
}

/** Callouts of one webhook and record are sent one after another. */
export interface RecordOfWebhook {
  readonly webhookKey: number;
  readonly recordId: number;
}

/** Names a record of a webhook, as a key. */
export function recordName({ webhookKey, recordId }: RecordOfWebhook): string {
  return `${webhookKey}/${recordId}`;
}

/**
 * Whether changes may have been merged into a callout after its claim, which gave its body.
 * @param target of its webhook, read after the claim: perhaps that of a later configuration, which merges no more.
 */
export function mayHaveChanged(
  { kind, attemptsMade, isRedelivery, isFinal, webhookVersion }: ClaimedCallout,
  target: { readonly webhookVersion: number; readonly mergesWhileWaiting: boolean },
): boolean {
  const mayHaveMerged = target.mergesWhileWaiting || target.webhookVersion !== webhookVersion;
  return mayHaveMerged && kind === 'event' && attemptsMade === 0 && !isRedelivery && isFinal !== true;
}
