import type { RetrySchedule } from '../settle/retry.rules.ts';
import { forecastDeactivation } from './deactivation-forecast.rules.ts';
import type { Pool } from 'pg';
import type { Transaction } from '@callout/database/connection/database';
import { inTransaction } from '@callout/database/connection/transaction/transaction';
import { statement } from '@callout/database/connection/statement/statement';
import { timeOfId, lowestId } from '@callout/database/schema/ids';
import { storeOccurrences } from '../health/occurrences.ts';
import { mostCounted } from '../notify/write/notification.rules.ts';
import { storeNotifications, type Notification } from '../notify/store/notifications.ts';

export interface FailingRules {
  /** How long a webhook must have been failing before its people are notified. */
  alertAfterMs: number;
  /**
   * Other webhooks of its tenant are in the same mail when they have been failing for no more than this less: those that
   * began to fail soon after it.
   */
  gatherMs: number;
  deactivateAfter: number;
  schedule: RetrySchedule;
  /** How long callouts are kept that are not fetched. */
  pullKeepMs: number;
}

interface NewEpisode {
  webhookKey: number;
  tenantId: number;
  since: Date;
  isPaused: boolean;
  /** Whether its callouts are fetched and not sent. */
  isPulled: boolean;
  isUnfetched: boolean;
  failedInRow: number;
  lastFailure: string | null;
  pausedUntil: Date | null;
  probeAt: Date | null;
  now: Date;
}

/** Webhooks per transaction: the next round handles the others. */
const mostEpisodes = 100;

// The locks keep a success from ending the health between this look and the report. Another worker that looks at the
// same moment waits for them, and then gets none of these rows.
const begin = statement<NewEpisode>(
  'failing_begin',
  `WITH late AS MATERIALIZED (
     SELECT DISTINCT w.tenant_id FROM webhook_health h JOIN webhooks w ON w.key = h.webhook_key
     WHERE h.failing_since <= now() - $1 * interval '1 millisecond' AND NOT h.is_reported AND w.is_active
       AND w.deleted_at IS NULL
   ), failing AS MATERIALIZED (
     SELECT h.webhook_key, w.tenant_id, h.failing_since, h.pauses, h.failed_in_row, h.last_failure, h.paused_until, h.probe_at,
       w.delivery_mode = 'pull' AS is_pulled, h.is_unfetched AND w.delivery_mode = 'pull' AS is_unfetched
     FROM webhook_health h
     JOIN webhooks w ON w.key = h.webhook_key
     WHERE h.failing_since <= now() - ($1::float - $2::float) * interval '1 millisecond' AND NOT h.is_reported AND w.is_active
       AND w.deleted_at IS NULL AND w.tenant_id IN (SELECT tenant_id FROM late)
     ORDER BY h.webhook_key LIMIT ${mostEpisodes} FOR NO KEY UPDATE OF h
   ), begun AS (
     INSERT INTO failing_episodes (webhook_key, tenant_id, since)
     SELECT webhook_key, tenant_id, failing_since FROM failing ORDER BY webhook_key ON CONFLICT DO NOTHING
     RETURNING webhook_key
   ), reported AS (
     UPDATE webhook_health h SET is_reported = true FROM begun WHERE h.webhook_key = begun.webhook_key
   )
   SELECT f.webhook_key AS "webhookKey", f.tenant_id AS "tenantId", f.failing_since AS since, f.pauses > 0 AS "isPaused",
     f.is_pulled AS "isPulled", f.is_unfetched AS "isUnfetched",
     f.failed_in_row AS "failedInRow", f.last_failure AS "lastFailure", f.paused_until AS "pausedUntil", f.probe_at AS "probeAt", now() AS now
   FROM begun JOIN failing f USING (webhook_key)`,
  'webhook_health',
);

/**
 * Callouts that are read from each end of the due ones: the oldest, and those whose next attempt is farthest away.
 */
const lookedAt = 2_000;

/** Callouts behind one of their record that are read. */
const behindAtMost = 100;

// Callouts that were tried are due last, and those that were not are due first: of a long backlog both ends are
// enough.
const readOpen = statement<{ id: string; dueAt: Date; attemptsMade: number; behind: number }>(
  'failing_read_open',
  `SELECT callout_id AS id, due_at AS "dueAt", attempts_made - attempts_before AS "attemptsMade", (
     SELECT count(*) FROM (
       SELECT FROM open_callouts b WHERE b.webhook_key = $1 AND b.record_id = o.record_id AND b.state = 'waiting'
         AND b.kind = 'event' AND NOT b.is_redelivery LIMIT ${behindAtMost}
     ) AS b
   ) AS behind FROM (
     (SELECT * FROM open_callouts WHERE webhook_key = $1 AND state = 'due' ORDER BY due_at LIMIT ${lookedAt})
     UNION
     (SELECT * FROM open_callouts WHERE webhook_key = $1 AND state = 'due' ORDER BY due_at DESC LIMIT ${lookedAt})
   ) AS o WHERE kind = 'event' AND NOT is_redelivery`,
);

interface EndedEpisode {
  webhookKey: number;
  tenantId: number;
  since: Date;
  until: Date;
  hasRecovered: boolean;
}

// A success removes the health of a webhook, and a failure after it creates another. A webhook that was deactivated
// meanwhile has not recovered, and its people are notified of that.
const end = statement<EndedEpisode>(
  'failing_end',
  `WITH over AS MATERIALIZED (
     SELECT e.webhook_key, coalesce(w.is_active AND w.deleted_at IS NULL
         AND (w.activated_at IS NULL OR w.activated_at <= e.told_at), false) AS has_recovered
     FROM failing_episodes e LEFT JOIN webhooks w ON w.key = e.webhook_key
     LEFT JOIN webhook_health h ON h.webhook_key = e.webhook_key
     WHERE (coalesce(NOT w.is_active OR w.deleted_at IS NOT NULL, true) OR h.failing_since IS NULL OR h.failing_since > e.since)
   )
   DELETE FROM failing_episodes e USING over WHERE e.webhook_key = over.webhook_key
   RETURNING e.webhook_key AS "webhookKey", e.tenant_id AS "tenantId", e.since, coalesce(e.recovered_at, now()) AS until,
     over.has_recovered AS "hasRecovered"`,
);

/**
 * Stores notifications about webhooks that have been failing for `alertAfterMs`, and about those that have recovered:
 * one for each episode, however many workers look. That they are failing is an event of `WebhookHealth` as well; their
 * recovery is made one when it is settled. Nothing is written for calls: `webhook_health` has the time since
 * which a webhook has been failing, and a row in `failing_episodes` means that its recipients were notified.
 * @returns how many webhooks are newly failing, and how many have recovered.
 */
export async function notifyOfFailingWebhooks(
  pool: Pool,
  rules: FailingRules,
): Promise<{ failing: number; recovered: number }> {
  // Two transactions: a settlement that locks health and then ends an episode waits for each of them, and not for both.
  const recovered = await inTransaction(pool, notifyOfRecovered);
  let failing = 0;
  for (let begun = mostEpisodes; begun === mostEpisodes; failing += begun) {
    begun = await inTransaction(pool, (transaction) => notifyOfNewlyFailing(transaction, rules));
  }
  return { failing, recovered };
}

async function notifyOfRecovered(transaction: Transaction): Promise<number> {
  const recovered = (await end(transaction, [])).filter(({ hasRecovered }) => hasRecovered);
  const notifications: Notification[] = [];
  for (const { webhookKey, tenantId, since, until } of recovered) {
    const content = { since, until, ...(await readFailed(transaction, webhookKey, since)) };
    notifications.push({ webhookKey, tenantId, kind: 'recovered', occasion: since.toISOString(), content });
  }
  await storeNotifications(transaction, notifications);
  return recovered.length;
}

async function notifyOfNewlyFailing(transaction: Transaction, rules: FailingRules): Promise<number> {
  const failing = await begin(transaction, [rules.alertAfterMs, rules.gatherMs]);
  const notifications: Notification[] = [];
  for (const episode of failing) notifications.push(await failingNotification(transaction, episode, rules));
  await storeNotifications(transaction, notifications);
  await storeOccurrences(
    transaction,
    failing.map(({ webhookKey, since, failedInRow, lastFailure, isUnfetched }) => ({
      webhookKey,
      occurrence: 'failing',
      subject: 'delivery',
      facts: { since, failedInRow, reason: isUnfetched ? 'No program has fetched its callouts.' : lastFailure },
    })),
  );
  return failing.length;
}

async function failingNotification(
  transaction: Transaction,
  episode: NewEpisode,
  { deactivateAfter, schedule, pullKeepMs }: FailingRules,
): Promise<Notification> {
  const { webhookKey, tenantId, since, isPaused, isUnfetched, failedInRow } = episode;
  const open = await readOpen(transaction, [webhookKey]);
  const forecast = isUnfetched
    ? { deactivationAt: null, firstFailsAt: oldestKeptUntil(open, pullKeepMs) }
    : forecastDeactivation({ failedInRow, deactivateAfter, isPaused, open }, schedule, episode.now);
  // A probe comes before the time of the oldest callout that was tried.
  const probeAt =
    episode.probeAt !== null && open.some(({ attemptsMade }) => attemptsMade > 0) ? [episode.probeAt] : [];
  const dueAt = earliest([...open.map((one) => one.dueAt), ...probeAt]);
  return {
    webhookKey,
    tenantId,
    kind: 'failing',
    occasion: since.toISOString(),
    content: {
      failingSince: since,
      isPaused,
      isUnfetched,
      lastFailure: isUnfetched ? null : episode.lastFailure,
      failedInRow,
      deactivateAfter,
      nextAttemptAt: episode.isPulled ? null : latest(episode.pausedUntil, dueAt),
      ...(await readFailed(transaction, webhookKey, since)),
      ...forecast,
    },
  };
}

function earliest(moments: readonly Date[]): Date | null {
  return moments.length === 0 ? null : new Date(Math.min(...moments.map((one) => one.getTime())));
}

/** Null when nothing is open, whatever the pause. */
function latest(pausedUntil: Date | null, dueAt: Date | null): Date | null {
  if (dueAt === null || pausedUntil === null) return dueAt;
  return pausedUntil > dueAt ? pausedUntil : dueAt;
}

/** When the oldest of these fails, if it is not fetched. */
function oldestKeptUntil(open: readonly { readonly id: string }[], keptMs: number): Date | null {
  const made = earliest(open.map(({ id }) => timeOfId(id)));
  return made === null ? null : new Date(made.getTime() + keptMs);
}

/** Callouts of a webhook that used up their attempts. */
interface FailedSince {
  /** Counted up to `mostCounted`. */
  readonly failed: number;
  /** When the oldest of them was made; null when there are none. */
  readonly failedSince: Date | null;
}

// The last attempts of failed callouts have their own index. Ids of attempts come from the clocks of workers, so an
// extra hour is read and the times of the callouts decide. Redelivered callouts are not failed any more.
const count = statement<{ count: number; firstId: string | null }>(
  'failed_count',
  `SELECT count(*), min(id::text) AS "firstId" FROM (
     SELECT DISTINCT a.callout_id AS id FROM attempts a,
       LATERAL (SELECT state, kind, finished_at FROM callouts WHERE id = a.callout_id OFFSET 0) AS c
     WHERE a.webhook_key = $1 AND a.id >= $2 AND a.next_attempt_at IS NULL
       AND (a.status IS NULL OR a.status NOT BETWEEN 200 AND 299)
       AND c.state = 'failed' AND c.kind = 'event' AND c.finished_at >= $3
     LIMIT ${mostCounted}
   ) AS failed`,
);

const clockSlackMs = 3_600_000;
/** A transaction begins before it stores since when a webhook has been failing, and may itself give a callout up. */
const settleMs = 60_000;

/** The failed callouts of a webhook since it began to fail that can still be redelivered. */
async function readFailed(transaction: Transaction, webhookKey: number, since: Date): Promise<FailedSince> {
  const before = (ms: number): Date => new Date(since.getTime() - ms);
  const [row] = await count(transaction, [webhookKey, lowestId(before(clockSlackMs)), before(settleMs)]);
  const firstId = row?.firstId ?? null;
  return { failed: row?.count ?? 0, failedSince: firstId === null ? null : timeOfId(firstId) };
}
