import { userAgent } from '@callout/domain/callout/user-agent';
import { scheduleOf } from '../settle/retry.rules.ts';
import { durationInWords } from '../notify/text/words.rules.ts';
import { claimStalePulls, lapsedPullLeases } from '../pull/pull-leases.ts';
import { type LeaseResult, settlePulls } from '../pull/settle-pulls.ts';
import { createPullNotifier } from '@callout/queue/pull-signals';
import type { Pool } from 'pg';
import type { RoleDeps } from '../stage.ts';

/** A program that is away over a weekend or some holidays gets everything; after that the owner has had mail for days. */
export const pullKeepMs = 7 * 24 * 3_600_000;

/** Leases settled in one transaction. */
const leasesAtOnce = 200;
/** Webhooks deleted in one transaction: the next round handles the rest. */
const expiredAtOnce = 100;
/** Batches of one round: the next round handles the rest. */
const mostBatches = 20;

/** Maintenance tasks for webhooks whose callouts are fetched. */
export interface PullMaintenance {
  /** Settles leases that ended without an acknowledgement, as failed attempts. */
  settleLapsed(isStopping: () => boolean): Promise<void>;
  /** Fails callouts that no program fetched for too long. */
  failStale(isStopping: () => boolean): Promise<void>;
  /** Deletes expired webhooks, whose programs are gone. */
  deleteExpired(): Promise<void>;
}

/** @param deleteExpiredWebhooks deletes at most `limit` webhooks, and returns the keys of those with a call that is due. */
export function createPullMaintenance(
  { config, paces, pool, producer, redis, log }: RoleDeps,
  deleteExpiredWebhooks: (pool: Pool, limit: number) => Promise<number[]>,
): PullMaintenance {
  const pullNotifier = createPullNotifier({ redis: producer.redis, prefix: redis.prefix });
  const rules = {
    schedule: scheduleOf(config.RETRY_SCHEDULE),
    userAgent,
    deactivateAfter: config.DEACTIVATE_AFTER_FAILURES,
    failingAfterMs: config.ALERT_AFTER,
    random: Math.random,
  };

  async function settle(results: readonly LeaseResult[]): Promise<void> {
    const { settlements, dueWebhookKeys } = await settlePulls(pool, results, rules);
    // A webhook that is deactivated now may have a deactivation call that is sent.
    if (dueWebhookKeys.length > 0) producer.enqueueWebhooks(dueWebhookKeys);
    // Waiting requests also need the times of the next attempts.
    pullNotifier.notify([...new Set([...dueWebhookKeys, ...settlements.map(({ callout }) => callout.webhookKey)])]);
  }

  async function inBatches(
    find: () => Promise<LeaseResult[]>,
    isStopping: () => boolean,
    message: string,
  ): Promise<void> {
    for (let batch = 0; batch < mostBatches && !isStopping(); batch += 1) {
      const results = await find();
      if (results.length === 0) return;
      await settle(results);
      log.info({ callouts: results.length }, message);
      if (results.length < leasesAtOnce) return;
    }
  }

  return {
    settleLapsed: (isStopping) =>
      inBatches(
        async () => {
          const lapsed = await lapsedPullLeases(pool, leasesAtOnce);
          return lapsed.map((lease) => ({ lease, result: { kind: 'lapsed' } }));
        },
        isStopping,
        'leases of fetched callouts ended without an acknowledgement',
      ),
    async deleteExpired() {
      const webhookKeys = await deleteExpiredWebhooks(pool, expiredAtOnce);
      if (webhookKeys.length === 0) return;
      producer.enqueueWebhooks(webhookKeys);
      pullNotifier.notify(webhookKeys);
      log.info({ webhookKeys }, 'webhooks that had expired were deleted');
    },
    async failStale(isStopping) {
      const result = { kind: 'notFetched', keptFor: durationInWords(pullKeepMs) } as const;
      await inBatches(
        async () => {
          const stale = await claimStalePulls(pool, { keepMs: pullKeepMs, leaseMs: paces.leaseMs, most: leasesAtOnce });
          return stale.map((lease) => ({ lease, result }));
        },
        isStopping,
        'callouts failed, since they were not fetched in time',
      );
    },
  };
}
