import { type Contender, groupContenders } from './share-grants.rules.ts';
import type { Pool } from 'pg';
import { inTransaction } from '@callout/database/connection/transaction/transaction';
import { storeOccurrences } from '../health/occurrences.ts';
import { storeNotifications } from '../notify/store/notifications.ts';
import { jsonArray, statementFrom } from '@callout/database/connection/statement/statement';

const beginEpisode = statementFrom<{ startedAt: Date; now: Date }>('limits/threshold_begin_episode');

const giveUpProbes = statementFrom('limits/threshold_give_up_probes');

const hold = statementFrom<{ webhookKey: number; held: number; isFirst: boolean }>('limits/threshold_hold');

/** Maximum number of further callouts that are held together with the claimed ones. */
const heldAtOnce = 1_000;

const releaseLeases = statementFrom('limits/threshold_release_leases');

/** Ends leases under which nothing was sent: the callouts are due as before, and a further call may be a probe. */
export async function endLeases(
  pool: Pool,
  callouts: readonly { readonly id: string; readonly webhookKey: number; readonly leaseOwner: string }[],
): Promise<void> {
  const leases = [...new Set(callouts.map(({ leaseOwner }) => leaseOwner))];
  // Not in one transaction: health comes before callouts in the order of locks.
  await giveUpProbes(pool, [[...new Set(callouts.map(({ webhookKey }) => webhookKey))], leases]);
  await releaseLeases(pool, [callouts.map(({ id }) => id), leases]);
}

/**
 * due → held. Until the release, changes are merged into callouts that name what is carried. Mails about the episode go
 * to webhooks of which no callout was held before. When the episode has ended meanwhile, only the leases end.
 */
export async function holdCallouts(pool: Pool, contenders: readonly Contender[]): Promise<void> {
  for (const members of groupContenders(contenders).values()) {
    const [first] = members;
    const { tenantId, entityType, limit } = first;
    await inTransaction(pool, async (transaction) => {
      const [episode] = await beginEpisode(transaction, [tenantId, entityType, limit]);
      const ids = members.map(({ id }) => id);
      const leases = [...new Set(members.map(({ leaseOwner }) => leaseOwner))];
      const keys = [...new Set(members.map(({ webhookKey }) => webhookKey))];
      await giveUpProbes(transaction, [keys, leases]);
      if (episode === undefined) {
        await releaseLeases(transaction, [ids, leases]);
        return;
      }
      const perWebhook = Math.ceil(heldAtOnce / keys.length);
      const webhooks = await hold(transaction, [
        ...[tenantId, entityType, ids, leases, keys, perWebhook],
        ...mergeableParameters(members),
      ]);
      const occasion = episode.startedAt.toISOString();
      const begun = webhooks.filter(({ isFirst }) => isFirst);
      await storeNotifications(
        transaction,
        begun.map(({ webhookKey }) => ({
          tenantId,
          webhookKey,
          occasion,
          kind: 'thresholdExceeded' as const,
          content: { limit, since: episode.startedAt },
        })),
      );
      await storeOccurrences(
        transaction,
        begun.map(({ webhookKey, held }) => ({
          webhookKey,
          occurrence: 'thresholdHeld' as const,
          subject: 'threshold' as const,
          facts: { heldCount: held, thresholdLimit: limit, since: episode.startedAt },
        })),
      );
    });
  }
}

/** Callouts into which changes may be merged, the versions that made the callouts, and what is carried. */
function mergeableParameters(contenders: readonly Contender[]): unknown[] {
  const rows = contenders.flatMap(({ id, mergeable }) => (mergeable === undefined ? [] : [{ id, ...mergeable }]));
  return [
    rows.map(({ id }) => id),
    rows.map(({ version }) => version),
    jsonArray(rows.map(({ carried }) => JSON.stringify(carried))),
  ];
}
