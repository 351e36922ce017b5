import type { CalloutAction } from '@callout/core/ingest';
import type { CalloutKind } from '@callout/core/settle';

/** A callout that this worker alone may send until its lease ends. */
export interface ClaimedCallout {
  id: string;
  tenantId: number;
  webhookKey: number;
  /** The webhook's configuration now: a receiver's address and key are read once per version. */
  webhookVersion: number;
  entityType: string;
  recordId: number;
  sequenceNumber: number;
  kind: CalloutKind;
  action: CalloutAction;
  eventId: string | null;
  attemptsMade: number;
  /** Of those, the ones before it was last redelivered: the schedule begins behind them. */
  attemptsBefore: number;
  isRedelivery: boolean;
  /** When it was counted for its threshold, by the database's clock; null: it was not. */
  countedAt: Date | null;
  /** When its event was accepted, by the database's clock; null: it was made for no event, or redelivered. */
  acceptedAt: Date | null;
  /** The `traceparent` of the request that brought its event; null: it was not traced, or there is no event. */
  traceParent: string | null;
  /** Names this lease. A callout that is claimed again, even by the same worker, has another. */
  leaseOwner: string;
  body: string;
}
