import { forecastDeactivation, type RetrySchedule } from '@callout/core/deliver';
import type { Pool } from 'pg';
import { inTransaction, type Transaction } from '../connection/database.ts';
import { statement } from '../connection/statement/statement.ts';
import { storeNotifications, type Notification } from './notifications.ts';

export interface FailingRules {
  /** How long a webhook must have been failing for its people to be told. */
  alertAfterMs: number;
  deactivateAfter: number;
  schedule: RetrySchedule;
}

interface NewEpisode {
  webhookKey: number;
  tenantId: number;
  since: Date;
  isPaused: boolean;
  failedInRow: number;
  lastFailure: string | null;
  now: Date;
}

/** Told in one transaction: what is left comes with the next round. */
const mostEpisodes = 100;

// Another worker that looks at the same moment waits for these rows and then gets none of them.
const begin = statement<NewEpisode>(
  'failing_begin',
  `WITH failing AS MATERIALIZED (
     SELECT h.webhook_key, w.tenant_id, h.failing_since, h.pauses, h.failed_in_row, h.last_failure FROM webhook_health h
     JOIN webhooks w ON w.key = h.webhook_key
     WHERE h.failing_since <= now() - $1 * interval '1 millisecond' AND w.is_active AND w.deleted_at IS NULL
       AND NOT w.is_moving AND NOT EXISTS (SELECT FROM failing_episodes e WHERE e.webhook_key = h.webhook_key)
     ORDER BY h.webhook_key LIMIT ${mostEpisodes}
   ), begun AS (
     INSERT INTO failing_episodes (webhook_key, tenant_id, since)
     SELECT webhook_key, tenant_id, failing_since FROM failing ORDER BY webhook_key ON CONFLICT DO NOTHING
     RETURNING webhook_key
   )
   SELECT f.webhook_key AS "webhookKey", f.tenant_id AS "tenantId", f.failing_since AS since, f.pauses > 0 AS "isPaused",
     f.failed_in_row AS "failedInRow", f.last_failure AS "lastFailure", now() AS now
   FROM begun JOIN failing f USING (webhook_key)`,
);

/**
 * Callouts that are looked at from each end of what is due: the oldest, and those whose next attempt is farthest away.
 */
const lookedAt = 2_000;

// Those that were tried have the latest times, and those that were not the earliest: of a long backlog both ends are
// enough.
const readOpen = statement<{ dueAt: Date; attemptsMade: number }>(
  'failing_read_open',
  `SELECT due_at AS "dueAt", attempts_made - attempts_before AS "attemptsMade" FROM (
     (SELECT * FROM open_callouts WHERE webhook_key = $1 AND state = 'due' ORDER BY due_at LIMIT ${lookedAt})
     UNION
     (SELECT * FROM open_callouts WHERE webhook_key = $1 AND state = 'due' ORDER BY due_at DESC LIMIT ${lookedAt})
   ) AS o WHERE kind = 'event' AND NOT is_redelivery`,
);

const countOpen = statement<{ count: number }>(
  'failing_count_open',
  `SELECT count(*) FROM (
     SELECT FROM open_callouts WHERE webhook_key = $1 AND kind = 'event' LIMIT 100000
   ) AS o`,
);

interface EndedEpisode {
  webhookKey: number;
  tenantId: number;
  since: Date;
  until: Date;
  hasRecovered: boolean;
}

// A success takes the health of a webhook away, and a failure after it begins another. What was deactivated meanwhile has
// not recovered, and its people know.
const end = statement<EndedEpisode>(
  'failing_end',
  `WITH over AS MATERIALIZED (
     SELECT e.webhook_key, coalesce(w.is_active AND w.deleted_at IS NULL
         AND (w.activated_at IS NULL OR w.activated_at <= e.told_at), false) AS has_recovered
     FROM failing_episodes e LEFT JOIN webhooks w ON w.key = e.webhook_key
     LEFT JOIN webhook_health h ON h.webhook_key = e.webhook_key
     WHERE (coalesce(NOT w.is_active OR w.deleted_at IS NOT NULL, true) OR h.failing_since IS NULL OR h.failing_since > e.since)
       AND NOT coalesce(w.is_moving, false)
   )
   DELETE FROM failing_episodes e USING over WHERE e.webhook_key = over.webhook_key
   RETURNING e.webhook_key AS "webhookKey", e.tenant_id AS "tenantId", e.since, now() AS until,
     over.has_recovered AS "hasRecovered"`,
);

/**
 * Stores notifications about webhooks that have been failing for `alertAfterMs`, and about those that have recovered:
 * one for each episode, however many workers look. Nothing is written while calls are made: `webhook_health` says since
 * when a webhook has been failing, and a row in `failing_episodes` says that its recipients were notified.
 * @returns how many webhooks are failing newly, and how many have recovered.
 */
export async function tellOfFailingWebhooks(
  pool: Pool,
  rules: FailingRules,
): Promise<{ failing: number; recovered: number }> {
  return inTransaction(pool, async (transaction) => {
    const recovered = (await end(transaction, [])).filter(({ hasRecovered }) => hasRecovered);
    const failing = await begin(transaction, [rules.alertAfterMs]);
    const notifications: Notification[] = recovered.map(({ webhookKey, tenantId, since, until }) => ({
      webhookKey,
      tenantId,
      kind: 'recovered',
      occasion: since.toISOString(),
      content: { since, until },
    }));
    for (const episode of failing) notifications.push(await failingNotification(transaction, episode, rules));
    await storeNotifications(transaction, notifications);
    return { failing: failing.length, recovered: recovered.length };
  });
}

async function failingNotification(
  transaction: Transaction,
  { webhookKey, tenantId, since, isPaused, failedInRow, lastFailure, now }: NewEpisode,
  { deactivateAfter, schedule }: FailingRules,
): Promise<Notification> {
  const open = await readOpen(transaction, [webhookKey]);
  const [counted] = await countOpen(transaction, [webhookKey]);
  const forecast = forecastDeactivation({ failedInRow, deactivateAfter, isPaused, open }, schedule, now);
  return {
    webhookKey,
    tenantId,
    kind: 'failing',
    occasion: since.toISOString(),
    content: {
      failingSince: since,
      isPaused,
      lastFailure,
      failedInRow,
      deactivateAfter,
      openCallouts: counted?.count ?? 0,
      ...forecast,
    },
  };
}
