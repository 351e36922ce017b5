import type { Pool } from 'pg';
import { newId } from '../schema/ids.ts';
import { statement } from '../connection/statement.ts';
import { claimedColumns, claimedFrom, type ClaimedCallout } from './claimed.ts';
import { holdCallouts } from './hold.ts';
import { giveBackFirstAttempt, takeFirstAttempts, type Contender } from './threshold.ts';

interface ClaimedRow extends ClaimedCallout {
  /** The tenant's own threshold; null: the installation's. */
  threshold: number | null;
}

/**
 * A test or a deactivation call that is due, as SQL: few rows, and these alone must be read to find them. Written so that
 * no index of all due callouts fits: as long as the table is small PostgreSQL takes any that does, and keeps to it when
 * there are a million.
 */
export const isCallToBeMade = "o.record_id <= 0 AND o.kind <> 'event' AND o.state || '' = 'due'";

// One statement for many webhooks, each with as many callouts as it has free places. What another worker is claiming at
// this moment is passed over. A webhook that is paused gets one callout when the pause is over, its oldest, and nobody
// else may ask its receiver meanwhile. Tests and deactivation calls, which are few, go out in any case, and wait behind
// no backlog; of a webhook that is shut the calls alone, whatever else is still to be cancelled. Not waited for on disk: a
// lease that is lost with the server only means that the callout is sent once more.
const claim = statement<ClaimedRow>(
  'delivery_claim',
  `WITH unhurried AS MATERIALIZED (
     SELECT set_config('synchronous_commit', 'off', true)
   ), wanted AS MATERIALIZED (
     SELECT w.webhook_key, w.places, coalesce(h.pauses, 0) > 0 AS is_paused, a.is_active
     FROM unhurried, unnest($1::bigint[], $2::int[]) AS w (webhook_key, places),
     LATERAL (SELECT is_active FROM webhooks WHERE key = w.webhook_key OFFSET 0) AS a
     LEFT JOIN LATERAL (SELECT * FROM webhook_health WHERE webhook_key = w.webhook_key OFFSET 0) AS h ON true
   ), probed AS (
     UPDATE webhook_health SET probe_lease = $3, paused_until = now() + $4 * interval '1 millisecond'
     WHERE webhook_key = ANY(ARRAY(
       SELECT over.webhook_key FROM wanted, LATERAL (
         SELECT webhook_key FROM webhook_health h
         WHERE h.webhook_key = wanted.webhook_key AND h.paused_until <= now() AND EXISTS (
           SELECT FROM open_callouts o WHERE o.webhook_key = h.webhook_key AND o.state = 'due' AND o.due_at <= now()
             AND (o.lease_until IS NULL OR o.lease_until <= now()) AND o.kind = 'event')
         FOR UPDATE SKIP LOCKED
       ) AS over WHERE wanted.is_paused AND wanted.is_active))
     RETURNING webhook_key
   ), picked AS (
     SELECT head.callout_id FROM wanted, LATERAL (
       SELECT o.callout_id FROM open_callouts o
       WHERE o.webhook_key = wanted.webhook_key AND o.state = 'due' AND o.due_at <= now()
         AND (o.lease_until IS NULL OR o.lease_until <= now()) AND o.kind = 'event'
       ORDER BY o.due_at LIMIT wanted.places FOR NO KEY UPDATE SKIP LOCKED
     ) AS head WHERE NOT wanted.is_paused AND wanted.is_active
   ), probes AS (
     SELECT head.callout_id FROM probed, LATERAL (
       SELECT o.callout_id FROM open_callouts o
       WHERE o.webhook_key = probed.webhook_key AND o.state = 'due' AND o.due_at <= now()
         AND (o.lease_until IS NULL OR o.lease_until <= now()) AND o.kind = 'event'
       ORDER BY o.sequence_number LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
     ) AS head
   ), calls AS (
     SELECT head.callout_id FROM wanted, LATERAL (
       SELECT o.callout_id FROM open_callouts o
       WHERE o.webhook_key = wanted.webhook_key AND ${isCallToBeMade} AND o.due_at <= now()
         AND (o.lease_until IS NULL OR o.lease_until <= now()) AND (wanted.is_active OR o.kind = 'deactivation')
       LIMIT wanted.places FOR NO KEY UPDATE SKIP LOCKED
     ) AS head
   ), leased AS (
     UPDATE open_callouts SET lease_owner = $3, lease_until = now() + $4 * interval '1 millisecond'
     WHERE callout_id = ANY(ARRAY(
       SELECT callout_id FROM picked UNION ALL SELECT callout_id FROM probes UNION ALL SELECT callout_id FROM calls))
     RETURNING *
   )
   SELECT ${claimedColumns}, (SELECT callout_threshold FROM tenants WHERE id = leased.tenant_id) AS threshold
   FROM leased, ${claimedFrom}
   ORDER BY leased.webhook_key, leased.sequence_number`,
);

/** How many callouts of a webhook there is room for. */
export interface FreePlaces {
  webhookKey: number;
  places: number;
}

export interface ClaimRules {
  /** Longer than the time limit of a call, or a second worker would send what is still on its way. */
  leaseMs: number;
  /** First attempts per tenant and entity in any 3,600 s, where the tenant has none of its own; 0: no limit. */
  threshold: number;
}

/**
 * Leases due callouts, the longest due first of each webhook. First attempts that would go beyond the threshold of their
 * tenant and entity are held instead, and are none of those returned.
 */
export async function claimDueCallouts(
  pool: Pool,
  wanted: readonly FreePlaces[],
  { leaseMs, threshold }: ClaimRules,
): Promise<ClaimedCallout[]> {
  const values = [wanted.map((w) => w.webhookKey), wanted.map((w) => w.places), newId(), leaseMs];
  const claimed = await claim(pool, values);
  const contenders = claimed.flatMap((callout): Contender[] => {
    const limit = callout.threshold ?? threshold;
    return limit > 0 && isFirstAttempt(callout) ? [{ ...callout, limit }] : [];
  });
  if (contenders.length === 0) return claimed;
  const { held, countedAt } = await takeFirstAttempts(pool, contenders);
  if (held.length > 0) await holdCallouts(pool, held);
  const heldIds = new Set(held.map(({ id }) => id));
  return claimed.flatMap((callout) =>
    heldIds.has(callout.id) ? [] : { ...callout, countedAt: countedAt.get(callout.id) ?? null },
  );
}

/** Redeliveries, tests and deactivation calls do not count for the threshold. */
function isFirstAttempt({ kind, attemptsMade, isRedelivery }: ClaimedRow): boolean {
  return kind === 'event' && attemptsMade === 0 && !isRedelivery;
}

const putOff = statement(
  'delivery_put_off',
  `UPDATE open_callouts SET lease_owner = NULL, lease_until = NULL, due_at = now() + $3 * interval '1 millisecond'
   WHERE callout_id = $1 AND lease_owner = $2`,
);

// The one call that was to find out whether a paused receiver is back: the next one may, after the same wait.
const putOffProbe = statement(
  'delivery_put_off_probe',
  `UPDATE webhook_health SET probe_lease = NULL, paused_until = now() + $3 * interval '1 millisecond'
   WHERE webhook_key = $1 AND probe_lease = $2`,
);

/**
 * Ends a lease under which the receiver was not asked: somebody may send the callout again after `waitMs`, and its
 * threshold has the place again that it took.
 */
export async function putOffCallout(
  pool: Pool,
  callout: Pick<ClaimedCallout, 'id' | 'webhookKey' | 'leaseOwner' | 'tenantId' | 'entityType' | 'countedAt'>,
  waitMs: number,
): Promise<void> {
  await putOff(pool, [callout.id, callout.leaseOwner, waitMs]);
  // Not in one transaction: each of these is locked before callouts are.
  await putOffProbe(pool, [callout.webhookKey, callout.leaseOwner, waitMs]);
  await giveBackFirstAttempt(pool, callout);
}
