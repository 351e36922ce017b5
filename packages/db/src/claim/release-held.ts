import type { Pool } from 'pg';
import { inTransaction, type Transaction } from '../connection/database.ts';
import { newId } from '../schema/ids.ts';
import { storeNotices } from '../mail/notifications.ts';
import { statement } from '../connection/statement.ts';
import { claimedColumns, claimedFrom, type ClaimedCallout } from './claimed.ts';
import { isOver, type ThresholdGroup } from './threshold.ts';

// Whoever comes first has the first choice of the places of this worker, so it is not always the same.
const findEpisodes = statement<ThresholdGroup>(
  'threshold_find_episodes',
  `SELECT tenant_id AS "tenantId", entity_type AS "entityType" FROM threshold_windows
   WHERE episode_started_at IS NOT NULL ORDER BY random()`,
);

interface Episode {
  startedAt: Date;
  now: Date;
  used: number;
  limit: number;
}

// Passed over while another worker releases.
const lockEpisode = statement<Episode>(
  'threshold_lock_episode',
  `SELECT w.episode_started_at AS "startedAt", now() AS now, w.used, coalesce(t.callout_threshold, $3) AS limit
   FROM threshold_windows w, LATERAL (SELECT callout_threshold FROM tenants WHERE id = w.tenant_id OFFSET 0) AS t
   WHERE (w.tenant_id, w.entity_type) = ($1, $2) AND w.episode_started_at IS NOT NULL FOR UPDATE OF w SKIP LOCKED`,
);

const dropPast = statement<{ used: number }>(
  'threshold_drop_past',
  `DELETE FROM threshold_use WHERE (tenant_id, entity_type) = ($1, $2) AND ${isOver} RETURNING used`,
);

// A webhook that is paused has one place once its pause is over, none has more than this worker ($4), and one that is shut
// has none: what it still holds is being cancelled.
const findHeld = statement<{ id: string; webhookKey: number }>(
  'threshold_find_held',
  `SELECT head.callout_id AS id, head.webhook_key AS "webhookKey" FROM threshold_episode_webhooks e,
   LATERAL (SELECT is_active FROM webhooks WHERE key = e.webhook_key OFFSET 0) AS w
   LEFT JOIN LATERAL (SELECT pauses, paused_until FROM webhook_health WHERE webhook_key = e.webhook_key OFFSET 0) AS h ON true,
   LATERAL (
     SELECT o.callout_id, o.webhook_key FROM open_callouts o WHERE o.webhook_key = e.webhook_key AND o.state = 'held'
     ORDER BY o.callout_id LIMIT CASE WHEN NOT w.is_active THEN 0 WHEN coalesce(h.pauses, 0) = 0 THEN least($3::int, $4::int) WHEN h.paused_until <= now() THEN 1 ELSE 0 END
   ) AS head
   WHERE (e.tenant_id, e.entity_type) = ($1, $2) ORDER BY head.callout_id LIMIT $3`,
);

const beginProbes = statement(
  'threshold_begin_probes',
  `UPDATE webhook_health SET probe_lease = $2, paused_until = now() + $3 * interval '1 millisecond'
   WHERE webhook_key = ANY(ARRAY(
     SELECT webhook_key FROM webhook_health WHERE webhook_key = ANY($1::bigint[]) AND pauses > 0
     ORDER BY webhook_key FOR UPDATE))`,
);

// What somebody redelivers or cancels at this moment is passed over: it was found in another order than theirs.
const release = statement<ClaimedCallout>(
  'threshold_release',
  `WITH locked AS MATERIALIZED (
     SELECT callout_id FROM open_callouts WHERE callout_id = ANY($1::uuid[]) AND state = 'held'
     FOR NO KEY UPDATE SKIP LOCKED
   ), leased AS (
     UPDATE open_callouts SET state = 'due', due_at = now(), lease_owner = $2, lease_until = now() + $3 * interval '1 millisecond'
     WHERE callout_id = ANY(ARRAY(SELECT callout_id FROM locked)) RETURNING *
   )
   SELECT ${claimedColumns} FROM leased, ${claimedFrom} ORDER BY leased.callout_id`,
);

const count = statement(
  'threshold_count',
  `WITH counted AS (
     INSERT INTO threshold_use AS u (tenant_id, entity_type, second, used)
     SELECT $1, $2, date_trunc('second', now()), $4::int WHERE $4::int > 0
     ON CONFLICT (tenant_id, entity_type, second) DO UPDATE SET used = u.used + EXCLUDED.used
   )
   UPDATE threshold_windows SET used = $3::int + $4::int WHERE (tenant_id, entity_type) = ($1, $2)`,
);

// In an order that only the index of its tenant and entity has: those of all others may be many.
const findFirstHeld = statement<{ id: string }>(
  'threshold_find_first_held',
  `SELECT callout_id AS id FROM open_callouts WHERE tenant_id = $1 AND entity_type = $2 AND state = 'held'
   ORDER BY tenant_id, entity_type, callout_id LIMIT 1`,
);

const endEpisode = statement<{ webhookKey: number; held: number }>(
  'threshold_end_episode',
  `WITH ended AS (UPDATE threshold_windows SET episode_started_at = NULL WHERE (tenant_id, entity_type) = ($1, $2))
   DELETE FROM threshold_episode_webhooks WHERE (tenant_id, entity_type) = ($1, $2) RETURNING webhook_key AS "webhookKey", held`,
);

/** Held callouts of a group that are looked at in one round. */
const mostLookedAt = 5_000;

export interface ReleaseRules {
  leaseMs: number;
  /** The installation's threshold. */
  threshold: number;
  /** Callouts released at most, shared evenly among tenants and entities. */
  atMost: number;
  /** How many more callouts of a webhook this worker can send now. */
  placesOf: (webhookKey: number) => number;
}

/**
 * Leases held callouts for which there is room again, the oldest of their tenant and entity first, whichever webhook they
 * are for; one whose receiver has no free place here is passed over. Ends the episodes that hold nothing any more.
 */
export async function releaseHeldCallouts(pool: Pool, rules: ReleaseRules): Promise<ClaimedCallout[]> {
  const released: ClaimedCallout[] = [];
  const groups = await findEpisodes(pool, []);
  for (const [nth, group] of groups.entries()) {
    const atMost = Math.ceil((rules.atMost - released.length) / (groups.length - nth));
    const ofGroup = { ...rules, atMost };
    released.push(...(await inTransaction(pool, (transaction) => releaseGroup(transaction, group, ofGroup))));
  }
  return released;
}

async function releaseGroup(
  transaction: Transaction,
  { tenantId, entityType }: ThresholdGroup,
  { leaseMs, threshold, atMost, placesOf }: ReleaseRules,
): Promise<ClaimedCallout[]> {
  const group = [tenantId, entityType];
  const [episode] = await lockEpisode(transaction, [...group, threshold]);
  if (episode === undefined) return [];
  const past = await dropPast(transaction, group);
  const used = past.reduce((rest, second) => rest - second.used, episode.used);
  // What has no place here keeps its turn within the room of the threshold, and the places of this worker are for others.
  const room = Math.max(0, Math.min(mostLookedAt, episode.limit === 0 ? mostLookedAt : episode.limit - used));
  const held = await findHeld(transaction, [...group, room, atMost]);
  const chosen = chooseByPlaces(held, placesOf).slice(0, atMost);
  const released = chosen.length > 0 ? await leaseHeld(transaction, chosen, leaseMs) : [];
  // Most rounds find nothing to do, and need not be written.
  if (past.length + released.length > 0) await count(transaction, [...group, used, released.length]);
  const [rest] = await findFirstHeld(transaction, group);
  if (rest === undefined) await sayCaughtUp(transaction, tenantId, episode, await endEpisode(transaction, group));
  return released.map((callout) => ({ ...callout, countedAt: episode.now }));
}

async function leaseHeld(
  transaction: Transaction,
  chosen: readonly { id: string; webhookKey: number }[],
  leaseMs: number,
): Promise<ClaimedCallout[]> {
  const lease = [newId(), leaseMs];
  await beginProbes(transaction, [[...new Set(chosen.map(({ webhookKey }) => webhookKey))], ...lease]);
  return release(transaction, [chosen.map(({ id }) => id), ...lease]);
}

function chooseByPlaces<Held extends { webhookKey: number }>(
  held: readonly Held[],
  placesOf: (webhookKey: number) => number,
): Held[] {
  const left = new Map<number, number>();
  return held.filter(({ webhookKey }) => {
    const places = left.get(webhookKey) ?? placesOf(webhookKey);
    left.set(webhookKey, places - 1);
    return places > 0;
  });
}

async function sayCaughtUp(
  transaction: Transaction,
  tenantId: number,
  { startedAt, now }: Episode,
  webhooks: readonly { webhookKey: number; held: number }[],
): Promise<void> {
  const occasion = startedAt.toISOString();
  await storeNotices(
    transaction,
    webhooks.map(({ webhookKey, held }) => ({
      tenantId,
      webhookKey,
      kind: 'caughtUp' as const,
      occasion,
      content: { since: startedAt, until: now, held },
    })),
  );
}
