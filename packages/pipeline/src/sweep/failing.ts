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
  /** How long a webhook must have been failing before people are notified. */
  alertAfterMs: number;
  /**
   * How much later webhooks of the tenant may have begun to fail to be in the mail, too.
   */
  gatherMs: number;
  deactivateAfter: number;
  schedule: RetrySchedule;
  /** How long callouts are kept that no program fetches. */
  pullKeepMs: number;
}

interface NewEpisode {
  webhookKey: number;
  tenantId: number;
  since: Date;
  isPaused: boolean;
  /** Whether callouts are fetched and not sent. */
  isPulled: boolean;
  isUnfetched: boolean;
  failedInRow: number;
  lastFailure: string | null;
  pausedUntil: Date | null;
  probeAt: Date | null;
  now: Date;
}

/** Webhooks per transaction: the next round handles the rest. */
const mostEpisodes = 100;

const begin = statementFrom<NewEpisode>('sweep/failing_begin');

/**
 * Due callouts that are read from each end: the oldest, and the callouts whose next attempt is farthest away.
 */
const lookedAt = 2_000;

/** Waiting callouts of a record that are counted. */
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
 * Stores notifications about webhooks that have been failing for `alertAfterMs`, and about webhooks that have recovered:
 * a notification for each episode, however many workers look. The failing is an event of `WebhookHealth` as well; settle
 * makes the event of the recovery. Nothing is written for calls: `webhook_health` has the time since which a webhook has
 * been failing, and a row in `failing_episodes` means that the recipients were notified.
 * @returns how many webhooks are newly failing, and how many have recovered.
 */
export async function notifyOfFailingWebhooks(
  pool: Pool,
  rules: FailingRules,
): Promise<{ failing: number; recovered: number }> {
  // Two transactions: a settlement that locks health and then ends an episode waits for each alone, and not for both.
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
  const openCallouts = await readOpen(transaction, [webhookKey, lookedAt, behindAtMost]);
  const forecast = isUnfetched
    ? { deactivationAt: null, firstFailsAt: oldestKeptUntil(openCallouts, pullKeepMs) }
    : forecastDeactivation({ failedInRow, deactivateAfter, isPaused, openCallouts }, schedule, episode.now);
  // A probe comes before the next attempt of the oldest callout that was tried.
  const probeAt =
    episode.probeAt !== null && openCallouts.some(({ attemptsMade }) => attemptsMade > 0) ? [episode.probeAt] : [];
  const dueAt = earliest([...openCallouts.map((callout) => callout.dueAt), ...probeAt]);
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

/** When the oldest callout fails, if no program fetches it. */
function oldestKeptUntil(callouts: readonly { readonly id: string }[], keptMs: number): Date | null {
  const storedAt = earliest(callouts.map(({ id }) => timeOfId(id)));
  return storedAt === null ? null : new Date(storedAt.getTime() + keptMs);
}

/** Callouts of a webhook without attempts left. */
interface FailedSince {
  /** Counted up to `mostCounted`. */
  readonly failed: number;
  /** When the oldest callout was made; null without callouts. */
  readonly failedSince: Date | null;
}

const count = statementFrom<{ count: number; firstId: string | null }>('sweep/failed_count');

const clockSlackMs = 3_600_000;
/** A transaction begins before it stores since when a webhook has been failing, and may be the transaction that ends a callout as failed. */
const settleMs = 60_000;

/** The failed callouts of a webhook since it began to fail that can still be redelivered. */
async function readFailed(transaction: Transaction, webhookKey: number, since: Date): Promise<FailedSince> {
  const before = (ms: number): Date => new Date(since.getTime() - ms);
  const [row] = await count(transaction, [webhookKey, lowestId(before(clockSlackMs)), before(settleMs), mostCounted]);
  const firstId = row?.firstId ?? null;
  return { failed: row?.count ?? 0, failedSince: firstId === null ? null : timeOfId(firstId) };
}
