import type { RetrySchedule } from '../settle/retry.rules.ts';
import { forecastDeactivation } from './deactivation-forecast.rules.ts';
import type { Pool } from 'pg';
import type { Transaction } from '@callout/database/connection/database';
import { inTransaction } from '@callout/database/connection/transaction/transaction';
import { statementFrom } from '@callout/database/connection/statement/statement';
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

const begin = statementFrom<NewEpisode>('sweep/failing_begin');

/**
 * Callouts that are read from each end of the due ones: the oldest, and those whose next attempt is farthest away.
 */
const lookedAt = 2_000;

/** Callouts behind one of their record that are read. */
const behindAtMost = 100;

const readOpen = statementFrom<{ id: string; dueAt: Date; attemptsMade: number; behind: number }>(
  'sweep/failing_read_open',
);

interface EndedEpisode {
  webhookKey: number;
  tenantId: number;
  since: Date;
  until: Date;
  hasRecovered: boolean;
}

const end = statementFrom<EndedEpisode>('sweep/failing_end');

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
  const failing = await begin(transaction, [rules.alertAfterMs, rules.gatherMs, mostEpisodes]);
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
  const open = await readOpen(transaction, [webhookKey, lookedAt, behindAtMost]);
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

const count = statementFrom<{ count: number; firstId: string | null }>('sweep/failed_count');

const clockSlackMs = 3_600_000;
/** A transaction begins before it stores since when a webhook has been failing, and may itself give a callout up. */
const settleMs = 60_000;

/** The failed callouts of a webhook since it began to fail that can still be redelivered. */
async function readFailed(transaction: Transaction, webhookKey: number, since: Date): Promise<FailedSince> {
  const before = (ms: number): Date => new Date(since.getTime() - ms);
  const [row] = await count(transaction, [webhookKey, lowestId(before(clockSlackMs)), before(settleMs), mostCounted]);
  const firstId = row?.firstId ?? null;
  return { failed: row?.count ?? 0, failedSince: firstId === null ? null : timeOfId(firstId) };
}
