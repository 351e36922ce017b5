import { scheduleOf } from '@callout/core/deliver';
import { durationInWords } from '@callout/core/mail';
import { isGivenUp } from '@callout/core/settle';
import {
  claimStalePulls,
  deleteExpiredWebhooks,
  lapsedPullLeases,
  type SaidOfLease,
  settlePulls,
} from '@callout/db/pull';
import { createLivePublisher, createPullBell, liveResultsOf } from '@callout/queue';
import type { RoleDeps } from '../role.ts';

/** Leases settled in one transaction. */
const leasesAtOnce = 200;
/** Webhooks deleted in one transaction: what is left comes with the next round. */
const expiredAtOnce = 100;
/** Batches of one round: what is left comes with the next. */
const mostBatches = 20;

/** What a worker does for webhooks whose callouts are fetched. */
export interface PullChores {
  /** Settles leases that ended without an acknowledgement, as failed attempts. */
  settleLapsed(isStopping: () => boolean): Promise<void>;
  /** Gives up callouts that were not fetched for too long. */
  giveUpStale(isStopping: () => boolean): Promise<void>;
  /** Deletes webhooks that have expired, since the programs that made them are gone. */
  deleteExpired(): Promise<void>;
}

export function createPullChores({ config, pool, producer, redis, log }: RoleDeps): PullChores {
  const bell = createPullBell({ redis: producer.redis, prefix: redis.prefix });
  const live = createLivePublisher({ redis: producer.redis, prefix: redis.prefix, nowMs: () => performance.now() });
  const rules = {
    schedule: scheduleOf(config.RETRY_SCHEDULE),
    userAgent: config.USER_AGENT,
    deactivateAfter: config.DEACTIVATE_AFTER_FAILURES,
    random: Math.random,
  };

  async function settle(said: readonly SaidOfLease[]): Promise<void> {
    const { settlements, dueWebhookKeys } = await settlePulls(pool, said, rules);
    // A webhook that is deactivated now may have a deactivation call that is sent.
    if (dueWebhookKeys.length > 0) producer.enqueue('deliver', { webhookKeys: dueWebhookKeys });
    // Requests that wait have to know of the next attempts as well.
    bell.ring([...new Set([...dueWebhookKeys, ...settlements.map(({ callout }) => callout.webhookKey)])]);
    if (settlements.some(isGivenUp)) producer.enqueue('notify', {});
    live.publish(() => liveResultsOf(settlements));
  }

  async function inBatches(find: () => Promise<SaidOfLease[]>, isStopping: () => boolean, told: string): Promise<void> {
    for (let batch = 0; batch < mostBatches && !isStopping(); batch += 1) {
      const said = await find();
      if (said.length === 0) return;
      await settle(said);
      log.info({ callouts: said.length }, told);
      if (said.length < leasesAtOnce) return;
    }
  }

  return {
    settleLapsed: (isStopping) =>
      inBatches(
        async () => {
          const lapsed = await lapsedPullLeases(pool, leasesAtOnce);
          return lapsed.map((lease) => ({ lease, word: { kind: 'lapsed' } }));
        },
        isStopping,
        'leases of fetched callouts ended without an acknowledgement',
      ),
    async deleteExpired() {
      const webhookKeys = await deleteExpiredWebhooks(pool, expiredAtOnce);
      if (webhookKeys.length === 0) return;
      producer.enqueue('deliver', { webhookKeys });
      bell.ring(webhookKeys);
      log.info({ webhookKeys }, 'webhooks that had expired were deleted');
    },
    async giveUpStale(isStopping) {
      const keepMs = config.PULL_KEEP;
      if (keepMs === 0) return;
      const word = { kind: 'notFetched', keptFor: durationInWords(keepMs) } as const;
      await inBatches(
        async () => {
          const stale = await claimStalePulls(pool, { keepMs, leaseMs: config.LEASE_MS, most: leasesAtOnce });
          return stale.map((lease) => ({ lease, word }));
        },
        isStopping,
        'callouts that were not fetched in time were given up',
      );
    },
  };
}
