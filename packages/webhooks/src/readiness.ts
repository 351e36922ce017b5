import type { SharedTransaction } from '@callout/database/connection/transaction/shared-transaction';
import { recordChanges, type HistoryEntry } from '@callout/pipeline/deactivate/webhook-history';
import { isReadyWith, readinessChange } from './webhook-change.rules.ts';

/**
 * Runs work that adds or removes Field or UdfField records, and records in the history which webhooks became ready or
 * not. The transaction must have the locks of their rows already, so that nothing else changes their records meanwhile.
 * @param source the actor, and a description of the work.
 */
export async function keepingReadiness<T>(
  { models, sets }: SharedTransaction,
  webhookKeys: readonly number[],
  source: Pick<HistoryEntry, 'actorResourceId' | 'detail'>,
  work: () => Promise<T>,
): Promise<T> {
  const read = () =>
    models.webhook.findMany({
      where: { key: { in: [...webhookKeys] } },
      select: {
        key: true,
        tenantId: true,
        isSubscribedToCreateEvents: true,
        isSubscribedToUpdateEvents: true,
        isSubscribedToDeleteEvents: true,
        _count: { select: { fields: true, udfFields: true } },
      },
      orderBy: { key: 'asc' },
    });
  const wasReady = new Map((await read()).map((webhook) => [webhook.key, isReadyNow(webhook)]));
  const result = await work();
  const changes = (await read()).flatMap((webhook): HistoryEntry[] => {
    const entry = { tenantId: webhook.tenantId, webhookKey: Number(webhook.key), cause: 'user', ...source } as const;
    const change = readinessChange(wasReady.get(webhook.key) === true, isReadyNow(webhook));
    return change.map((one) => ({ ...entry, change: one }));
  });
  await recordChanges(sets, changes);
  return result;
}

function isReadyNow(
  webhook: Parameters<typeof isReadyWith>[0] & { readonly _count: { fields: number; udfFields: number } },
): boolean {
  return isReadyWith(webhook, webhook._count.fields + webhook._count.udfFields);
}
