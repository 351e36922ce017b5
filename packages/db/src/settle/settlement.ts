import type { AttemptSign } from '@callout/core';
import type { AttemptRow, CalloutAttempt } from './attempt-rows.ts';
import type { ClaimedCallout } from '../claim/claimed.ts';

/** One attempt and what follows from it. */
export interface Settlement {
  callout: Pick<
    ClaimedCallout,
    'id' | 'tenantId' | 'webhookKey' | 'recordId' | 'sequenceNumber' | 'kind' | 'isRedelivery' | 'leaseOwner'
  >;
  attempt: AttemptRow;
  /** What the attempt says of the receiver. */
  sign: AttemptSign['kind'];
  /** What went wrong, in words; null when it was delivered. */
  problem: string | null;
  next:
    | { kind: 'ended'; state: 'delivered' | 'cancelled' }
    /** `isGone`: the receiver said that it is gone for good. */
    | { kind: 'ended'; state: 'failed'; isGone: boolean }
    | { kind: 'retry'; waitMs: number };
}

/** The row of an attempt's history. */
export function attemptOf({ callout, attempt, next }: Settlement): CalloutAttempt {
  const waitMs = next.kind === 'retry' ? next.waitMs : null;
  return { ...attempt, calloutId: callout.id, tenantId: callout.tenantId, webhookKey: callout.webhookKey, waitMs };
}

/** Whether the callout is given up, and somebody must hear of it: nobody waits for the end of a test but who asked for it. */
export function isGivenUp({ callout, next }: Settlement): boolean {
  return callout.kind !== 'test' && next.kind === 'ended' && next.state === 'failed';
}

/** Whether this attempt says something of the receiver: only callouts of events do, and none that it leaves cancelled. */
export function speaksOfHealth({ callout, next }: Settlement): boolean {
  return callout.kind === 'event' && !(next.kind === 'ended' && next.state === 'cancelled');
}
