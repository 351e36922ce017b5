import type { Pool } from 'pg';
import { inTransaction } from '../connection/database.ts';
import { storeNotices } from '../mail/notifications.ts';
import { statement } from '../connection/statement.ts';
import { groupContenders, type Contender } from './threshold.ts';

// Not when there is room again: the episode for which they were not granted has ended since.
const beginEpisode = statement<{ startedAt: Date }>(
  'threshold_begin_episode',
  `UPDATE threshold_windows SET episode_started_at = coalesce(episode_started_at, now())
   WHERE (tenant_id, entity_type) = ($1, $2) AND (episode_started_at IS NOT NULL OR used >= $3)
   RETURNING episode_started_at AS "startedAt"`,
);

// A call that is held finds out nothing of a receiver that is paused: the next one may.
const giveUpProbes = statement(
  'threshold_give_up_probes',
  `UPDATE webhook_health SET probe_lease = NULL, paused_until = now()
   WHERE webhook_key = ANY(ARRAY(
     SELECT webhook_key FROM webhook_health WHERE webhook_key = ANY($1::bigint[]) AND probe_lease = ANY($2::uuid[])
     ORDER BY webhook_key FOR UPDATE))`,
);

// With them whatever else of their webhooks would be a first attempt: it would be claimed in vain, a few at a time, and
// retries, redeliveries and tests would wait behind it. In the order of everybody who locks open callouts: by webhook,
// record and number.
const hold = statement<{ webhookKey: number; held: number; isFirst: boolean }>(
  'threshold_hold',
  `WITH also AS MATERIALIZED (
     SELECT head.callout_id FROM unnest($5::bigint[]) AS w (key), LATERAL (
       SELECT o.callout_id FROM open_callouts o
       WHERE o.webhook_key = w.key AND o.state = 'due' AND o.due_at <= now() AND o.kind = 'event'
         AND o.attempts_made = 0 AND NOT o.is_redelivery AND (o.lease_until IS NULL OR o.lease_until <= now())
       ORDER BY o.due_at LIMIT $6
     ) AS head
   ), wanted AS MATERIALIZED (
     SELECT o.callout_id FROM (SELECT callout_id FROM also UNION SELECT unnest($3::uuid[])) AS named, LATERAL (
       SELECT callout_id, webhook_key, record_id, sequence_number FROM open_callouts
       WHERE callout_id = named.callout_id OFFSET 0
     ) AS o ORDER BY o.webhook_key, o.record_id, o.sequence_number
   ), locked AS MATERIALIZED (
     SELECT o.callout_id FROM wanted, LATERAL (
       SELECT * FROM open_callouts WHERE callout_id = wanted.callout_id OFFSET 0 FOR NO KEY UPDATE
     ) AS o
     WHERE o.state = 'due' AND o.attempts_made = 0
       AND (o.lease_owner = ANY($4::uuid[]) OR o.lease_until IS NULL OR o.lease_until <= now())
   ), held AS (
     UPDATE open_callouts SET state = 'held', lease_owner = NULL, lease_until = NULL
     WHERE callout_id = ANY(ARRAY(SELECT callout_id FROM locked)) RETURNING webhook_key
   )
   INSERT INTO threshold_episode_webhooks AS e (tenant_id, entity_type, webhook_key, held)
   SELECT $1::int, $2::text, webhook_key, count(*) FROM held GROUP BY webhook_key
   ON CONFLICT (tenant_id, entity_type, webhook_key) DO UPDATE SET held = e.held + EXCLUDED.held
   RETURNING webhook_key AS "webhookKey", held, xmax = 0 AS "isFirst"`,
);

/** Callouts held beside those that were claimed, altogether. */
const heldAtOnce = 1_000;

// In the same order.
const letGo = statement(
  'threshold_let_go',
  `UPDATE open_callouts SET lease_owner = NULL, lease_until = NULL
   WHERE callout_id = ANY(ARRAY(
     SELECT callout_id FROM open_callouts WHERE callout_id = ANY($1::uuid[]) AND lease_owner = ANY($2::uuid[])
     ORDER BY webhook_key, record_id, sequence_number FOR NO KEY UPDATE))`,
);

/**
 * due → held, and the mails of an episode to those webhooks that had none of it held before. When there is no need any
 * more, their leases end.
 */
export async function holdCallouts(pool: Pool, contenders: readonly Contender[]): Promise<void> {
  for (const [first, ...rest] of groupContenders(contenders).values()) {
    const { tenantId, entityType, limit } = first;
    const members = [first, ...rest];
    await inTransaction(pool, async (transaction) => {
      const [episode] = await beginEpisode(transaction, [tenantId, entityType, limit]);
      const ids = members.map(({ id }) => id);
      const leases = [...new Set(members.map(({ leaseOwner }) => leaseOwner))];
      const keys = [...new Set(members.map(({ webhookKey }) => webhookKey))];
      await giveUpProbes(transaction, [keys, leases]);
      if (episode === undefined) {
        await letGo(transaction, [ids, leases]);
        return;
      }
      const perWebhook = Math.ceil(heldAtOnce / keys.length);
      const webhooks = await hold(transaction, [tenantId, entityType, ids, leases, keys, perWebhook]);
      const occasion = episode.startedAt.toISOString();
      await storeNotices(
        transaction,
        webhooks
          .filter(({ isFirst }) => isFirst)
          .map(({ webhookKey, held }) => ({
            tenantId,
            webhookKey,
            kind: 'thresholdExceeded' as const,
            occasion,
            content: { limit, held, since: episode.startedAt },
          })),
      );
    });
  }
}
