import type { Pool } from 'pg';
import { inTransaction, type Transaction } from '../database.ts';
import { newId } from '../ids.ts';
import { storeNotices } from '../notifications.ts';
import { columns, statement } from '../statement.ts';
import { claimedColumns, claimedFrom, type ClaimedCallout } from './claimed.ts';

/** A tenant's callouts of one entity share a threshold. */
interface ThresholdGroup {
  tenantId: number;
  entityType: string;
}

/** A leased callout whose attempt would be its first. */
export interface Contender extends ThresholdGroup {
  id: string;
  webhookKey: number;
  leaseOwner: string;
  /** First attempts of its group in any 3,600 s. */
  limit: number;
}

// What is older than the hour: counted by the second, the hour is 3,600 seconds with the present one.
const isOver = "second <= date_trunc('second', now()) - interval '3600 seconds'";

// One statement, since every claim runs it: it takes leave of what is older than the hour, takes from what is left, and
// counts what it took. While callouts of the group are held nothing is granted, for a new one must not overtake them.
// Groups are locked in their order. Not waited for on disk: what a server loses by crashing is part of a second's count.
const take = statement<ThresholdGroup & { granted: number }>(
  'threshold_take',
  `WITH unhurried AS MATERIALIZED (
     SELECT set_config('synchronous_commit', 'off', true)
   ), asked AS MATERIALIZED (
     SELECT a.* FROM unhurried, unnest($1::int[], $2::text[], $3::int[], $4::int[]) AS a (tenant_id, entity_type, wanted, most)
     ORDER BY a.tenant_id, a.entity_type
   ), past AS MATERIALIZED (
     SELECT asked.tenant_id, asked.entity_type, u.second FROM asked, LATERAL (
       SELECT second FROM threshold_use
       WHERE (tenant_id, entity_type) = (asked.tenant_id, asked.entity_type) AND ${isOver} OFFSET 0
     ) AS u
   ), dropped AS (
     DELETE FROM threshold_use u USING past
     WHERE (u.tenant_id, u.entity_type, u.second) = (past.tenant_id, past.entity_type, past.second)
     RETURNING u.tenant_id, u.entity_type, u.used
   ), leaving AS MATERIALIZED (
     SELECT tenant_id, entity_type, sum(used)::int AS used FROM dropped GROUP BY tenant_id, entity_type
   ), granting AS (
     INSERT INTO threshold_windows AS w (tenant_id, entity_type, used, granted)
     SELECT tenant_id, entity_type, least(wanted, most), least(wanted, most) FROM asked
     ON CONFLICT (tenant_id, entity_type) DO UPDATE SET (used, granted) = (
       SELECT left_over.used + given.granted, given.granted
       FROM (SELECT w.used - coalesce((SELECT l.used FROM leaving l
               WHERE (l.tenant_id, l.entity_type) = (w.tenant_id, w.entity_type)), 0) AS used) AS left_over,
         LATERAL (SELECT CASE WHEN w.episode_started_at IS NOT NULL THEN 0 ELSE greatest(0, least(EXCLUDED.granted,
             (SELECT a.most FROM asked a WHERE (a.tenant_id, a.entity_type) = (w.tenant_id, w.entity_type)) - left_over.used
           )) END AS granted) AS given)
     RETURNING w.tenant_id, w.entity_type, w.granted
   ), counted AS (
     INSERT INTO threshold_use AS u (tenant_id, entity_type, second, used)
     SELECT tenant_id, entity_type, date_trunc('second', now()), granted FROM granting WHERE granted > 0
     ON CONFLICT (tenant_id, entity_type, second) DO UPDATE SET used = u.used + EXCLUDED.used
   )
   SELECT tenant_id AS "tenantId", entity_type AS "entityType", granted FROM granting`,
);

/**
 * Counts first attempts, as far as their thresholds allow.
 * @returns those that may not be sent now: the newest of their group.
 */
export async function takeFirstAttempts(pool: Pool, contenders: readonly Contender[]): Promise<Contender[]> {
  const groups = groupContenders(contenders);
  const asked = [...groups.values()].map((members) => {
    const { tenantId, entityType, limit } = members[0];
    return { tenantId, entityType, wanted: members.length, limit };
  });
  const granted = await take(pool, columns(asked, ['tenantId', 'entityType', 'wanted', 'limit']));
  return granted.flatMap(({ granted: count, ...group }) => {
    const members = groups.get(nameOf(group)) ?? [];
    return members.length === count ? [] : members.toSorted(olderFirst).slice(count);
  });
}

function nameOf({ tenantId, entityType }: ThresholdGroup): string {
  return `${tenantId}/${entityType}`;
}

function groupContenders(contenders: readonly Contender[]): Map<string, [Contender, ...Contender[]]> {
  const groups = new Map<string, [Contender, ...Contender[]]>();
  for (const contender of contenders) {
    const members = groups.get(nameOf(contender));
    if (members) members.push(contender);
    else groups.set(nameOf(contender), [contender]);
  }
  return groups;
}

/** Ids are made in the order of time. */
function olderFirst(a: { id: string }, b: { id: string }): number {
  return a.id < b.id ? -1 : 1;
}

const beginEpisode = statement<{ startedAt: Date }>(
  'threshold_begin_episode',
  `UPDATE threshold_windows SET episode_started_at = coalesce(episode_started_at, now())
   WHERE (tenant_id, entity_type) = ($1, $2) RETURNING episode_started_at AS "startedAt"`,
);

// In the order of everybody who locks open callouts: by webhook, record and number.
const hold = statement<{ webhookKey: number }>(
  'threshold_hold',
  `WITH locked AS MATERIALIZED (
     SELECT callout_id FROM open_callouts
     WHERE callout_id = ANY($3::uuid[]) AND lease_owner = ANY($4::uuid[]) AND state = 'due'
     ORDER BY webhook_key, record_id, sequence_number FOR NO KEY UPDATE
   ), held AS (
     UPDATE open_callouts SET state = 'held', lease_owner = NULL, lease_until = NULL
     WHERE callout_id = ANY(ARRAY(SELECT callout_id FROM locked)) RETURNING webhook_key
   )
   INSERT INTO threshold_episode_webhooks (tenant_id, entity_type, webhook_key)
   SELECT DISTINCT $1::int, $2::text, webhook_key FROM held ON CONFLICT DO NOTHING
   RETURNING webhook_key AS "webhookKey"`,
);

/** due → held, and the mails of an episode to those webhooks that had none of it held before. */
export async function holdCallouts(pool: Pool, contenders: readonly Contender[]): Promise<void> {
  for (const [first, ...rest] of groupContenders(contenders).values()) {
    const { tenantId, entityType, limit } = first;
    const members = [first, ...rest];
    await inTransaction(pool, async (transaction) => {
      const [episode] = await beginEpisode(transaction, [tenantId, entityType]);
      if (episode === undefined) throw new Error(`no threshold was taken from for tenant ${tenantId}, ${entityType}`);
      const ids = members.map(({ id }) => id);
      const leases = members.map(({ leaseOwner }) => leaseOwner);
      const webhooks = await hold(transaction, [tenantId, entityType, ids, leases]);
      const occasion = episode.startedAt.toISOString();
      await storeNotices(
        transaction,
        webhooks.map(({ webhookKey }) => ({
          tenantId,
          webhookKey,
          kind: 'thresholdExceeded' as const,
          occasion,
          content: { limit, held: members.length, since: episode.startedAt },
        })),
      );
    });
  }
}

const findEpisodes = statement<ThresholdGroup>(
  'threshold_find_episodes',
  `SELECT tenant_id AS "tenantId", entity_type AS "entityType" FROM threshold_windows
   WHERE episode_started_at IS NOT NULL ORDER BY tenant_id, entity_type`,
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

// A webhook that is paused has one place once its pause is over.
const findHeld = statement<{ id: string; webhookKey: number }>(
  'threshold_find_held',
  `SELECT head.callout_id AS id, head.webhook_key AS "webhookKey" FROM threshold_episode_webhooks e
   LEFT JOIN LATERAL (SELECT pauses, paused_until FROM webhook_health WHERE webhook_key = e.webhook_key OFFSET 0) AS h ON true,
   LATERAL (
     SELECT o.callout_id, o.webhook_key FROM open_callouts o WHERE o.webhook_key = e.webhook_key AND o.state = 'held'
     ORDER BY o.callout_id LIMIT CASE WHEN coalesce(h.pauses, 0) = 0 THEN $3::int WHEN h.paused_until <= now() THEN 1 ELSE 0 END
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
const release = statement<Omit<ClaimedCallout, 'isUnwell'>>(
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

const anyHeld = statement<{ held: boolean }>(
  'threshold_any_held',
  `SELECT EXISTS (SELECT FROM open_callouts WHERE (tenant_id, entity_type) = ($1, $2) AND state = 'held') AS held`,
);

const endEpisode = statement<{ webhookKey: number }>(
  'threshold_end_episode',
  `WITH ended AS (UPDATE threshold_windows SET episode_started_at = NULL WHERE (tenant_id, entity_type) = ($1, $2))
   DELETE FROM threshold_episode_webhooks WHERE (tenant_id, entity_type) = ($1, $2) RETURNING webhook_key AS "webhookKey"`,
);

export interface ReleaseRules {
  leaseMs: number;
  /** The installation's threshold. */
  threshold: number;
  /** Callouts released per group at most. */
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
  for (const group of await findEpisodes(pool, [])) {
    released.push(...(await inTransaction(pool, (transaction) => releaseGroup(transaction, group, rules))));
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
  const free = episode.limit === 0 ? atMost : Math.max(0, Math.min(atMost, episode.limit - used));
  const chosen = chooseByPlaces(await findHeld(transaction, [...group, free]), placesOf);
  const lease = [newId(), leaseMs];
  await beginProbes(transaction, [[...new Set(chosen.map(({ webhookKey }) => webhookKey))], ...lease]);
  const released = await release(transaction, [chosen.map(({ id }) => id), ...lease]);
  await count(transaction, [...group, used, released.length]);
  const [rest] = await anyHeld(transaction, group);
  if (!rest?.held) await sayCaughtUp(transaction, tenantId, episode, await endEpisode(transaction, group));
  // Whether its receiver is unwell is not known here; asking once more when its result is stored is cheap.
  return released.map((callout) => ({ ...callout, isUnwell: true }));
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
  webhooks: readonly { webhookKey: number }[],
): Promise<void> {
  const occasion = startedAt.toISOString();
  await storeNotices(
    transaction,
    webhooks.map(({ webhookKey }) => ({
      tenantId,
      webhookKey,
      kind: 'caughtUp' as const,
      occasion,
      content: { since: startedAt, until: now },
    })),
  );
}
