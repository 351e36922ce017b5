import { isReady } from '@callout/pipeline/match/match.rules';
import type { WebhookSettings } from '@callout/domain/webhook/webhook';
import type { SharedTransaction } from '@callout/database/connection/transaction/shared-transaction';
import { recordChanges, type HistoryEntry } from '@callout/pipeline/deactivate/webhook-history';

/** The stored subscription of a webhook. */
type Subscribed = Pick<
  WebhookSettings,
  'isSubscribedToCreateEvents' | 'isSubscribedToUpdateEvents' | 'isSubscribedToDeleteEvents'
>;

/** Whether a webhook is ready, by its subscription and whether it has a Field or UdfField record. */
export function isReadyWith(webhook: Subscribed, hasFieldRecord: boolean): boolean {
  return isReady({
    fieldRecords: hasFieldRecord ? 1 : 0,
    onCreate: webhook.isSubscribedToCreateEvents,
    onUpdate: webhook.isSubscribedToUpdateEvents,
    onDelete: webhook.isSubscribedToDeleteEvents,
  });
}

/** The webhooks that have a Field or UdfField record. */
export async function withFieldRecords(
  models: SharedTransaction['models'],
  webhookKeys: readonly number[],
): Promise<Set<number>> {
  const where = { webhookKey: { in: [...webhookKeys] } };
  const fields = await models.webhookField.groupBy({ by: ['webhookKey'], where });
  const udfFields = await models.webhookUdfField.groupBy({ by: ['webhookKey'], where });
  return new Set([...fields, ...udfFields].map(({ webhookKey }) => Number(webhookKey)));
}

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
  const webhooks = await models.webhook.findMany({
    where: { key: { in: [...webhookKeys] } },
    select: {
      key: true,
      tenantId: true,
      isSubscribedToCreateEvents: true,
      isSubscribedToUpdateEvents: true,
      isSubscribedToDeleteEvents: true,
    },
    orderBy: { key: 'asc' },
  });
  const before = await withFieldRecords(models, webhookKeys);
  const result = await work();
  const after = await withFieldRecords(models, webhookKeys);
  const changes = webhooks.flatMap(({ key, tenantId, ...subscribed }): HistoryEntry[] => {
    const webhookKey = Number(key);
    const isReadyNow = isReadyWith(subscribed, after.has(webhookKey));
    if (isReadyNow === isReadyWith(subscribed, before.has(webhookKey))) return [];
    return [{ tenantId, webhookKey, change: isReadyNow ? 'ready' : 'notReady', cause: 'user', ...source }];
  });
  await recordChanges(sets, changes);
  return result;
}
