import type { CalloutAction } from '@callout/core';

/** What a callout is for. Only those of events wait for a record, count for a threshold, and speak of a receiver's health. */
export type CalloutKind = 'event' | 'deactivation' | 'test';

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
  /** Names this lease. A callout that is claimed again, by whomever, has another. */
  leaseOwner: string;
  body: string;
}

/** The columns of a claimed callout, of `leased` (rows of open_callouts) beside `body` and the webhook `w`. */
export const claimedColumns = `leased.callout_id AS id, leased.tenant_id AS "tenantId", leased.webhook_key AS "webhookKey",
     w.version AS "webhookVersion", leased.entity_type AS "entityType", leased.record_id AS "recordId", leased.sequence_number AS "sequenceNumber",
     leased.kind, leased.action, leased.event_id AS "eventId", leased.attempts_made AS "attemptsMade",
     leased.attempts_before AS "attemptsBefore", leased.is_redelivery AS "isRedelivery",
     NULL::timestamptz AS "countedAt", leased.lease_owner AS "leaseOwner", b.body`;

/** Where those columns come from, beside `leased`. */
export const claimedFrom = `LATERAL (SELECT body FROM callout_bodies WHERE callout_id = leased.callout_id OFFSET 0) AS b,
     LATERAL (SELECT version FROM webhooks WHERE key = leased.webhook_key OFFSET 0) AS w`;
