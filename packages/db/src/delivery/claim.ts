import type { CalloutAction } from '@callout/core';
import type { Client } from '../database.ts';
import { newId } from '../ids.ts';
import { statement } from '../statement.ts';

/** A callout that this worker alone may send until its lease ends. */
export interface ClaimedCallout {
  id: string;
  tenantId: number;
  webhookKey: number;
  /** The webhook's configuration now: a receiver's address and key are read once per version. */
  webhookVersion: number;
  recordId: number;
  sequenceNumber: number;
  action: CalloutAction;
  eventId: string | null;
  attemptsMade: number;
  /** Names this lease. A callout that is claimed again, by whomever, has another. */
  leaseOwner: string;
  body: string;
}

// One statement for many webhooks, each with as many callouts as it has free places. What another worker is claiming at
// this moment is passed over. Not waited for on disk: a lease that is lost with the server only means that the callout is
// sent once more.
const claim = statement<ClaimedCallout>(
  'delivery_claim',
  `WITH unhurried AS MATERIALIZED (
     SELECT set_config('synchronous_commit', 'off', true)
   ), wanted AS (
     SELECT * FROM unnest($1::bigint[], $2::int[]) AS w (webhook_key, places)
   ), picked AS (
     SELECT head.callout_id FROM unhurried, wanted, LATERAL (
       SELECT o.callout_id FROM open_callouts o
       WHERE o.webhook_key = wanted.webhook_key AND o.state = 'due' AND o.due_at <= now()
         AND (o.lease_until IS NULL OR o.lease_until <= now())
       ORDER BY o.due_at LIMIT wanted.places FOR NO KEY UPDATE SKIP LOCKED
     ) AS head
   ), leased AS (
     UPDATE open_callouts SET lease_owner = $3, lease_until = now() + $4 * interval '1 millisecond'
     WHERE callout_id = ANY(ARRAY(SELECT callout_id FROM picked))
     RETURNING *
   )
   SELECT leased.callout_id AS id, leased.tenant_id AS "tenantId", leased.webhook_key AS "webhookKey",
     w.version AS "webhookVersion", leased.record_id AS "recordId", leased.sequence_number AS "sequenceNumber",
     leased.action, leased.event_id AS "eventId", leased.attempts_made AS "attemptsMade",
     leased.lease_owner AS "leaseOwner", b.body
   FROM leased,
     LATERAL (SELECT body FROM callout_bodies WHERE callout_id = leased.callout_id OFFSET 0) AS b,
     LATERAL (SELECT version FROM webhooks WHERE key = leased.webhook_key OFFSET 0) AS w
   ORDER BY leased.webhook_key, leased.sequence_number`,
);

/** How many callouts of a webhook there is room for. */
export interface FreePlaces {
  webhookKey: number;
  places: number;
}

/**
 * Leases due callouts, the longest due first of each webhook.
 * @param leaseMs longer than the time limit of a call, or a second worker would send what is still on its way.
 */
export async function claimDueCallouts(
  client: Client,
  wanted: readonly FreePlaces[],
  leaseMs: number,
): Promise<ClaimedCallout[]> {
  return claim(client, [wanted.map((w) => w.webhookKey), wanted.map((w) => w.places), newId(), leaseMs]);
}
