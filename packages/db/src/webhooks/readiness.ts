import { isReady } from '@callout/core/match';
import type { WebhookSettings } from '@callout/core/webhook';
import type { SharedTransaction } from '../connection/transaction/shared-transaction.ts';
import { recordChanges, type HistoryEntry } from './webhook-history.ts';

/** What a webhook is subscribed to, as it is stored. */
type Subscribed = Pick<
  WebhookSettings,
  'isSubscribedToCreateEvents' | 'isSubscribedToUpdateEvents' | 'isSubscribedToDeleteEvents'
>;

/** Whether a webhook is ready, by what it is subscribed to and whether it has a Field or UdfField record. */
export function isReadyWith(webhook: Subscribed, hasFieldRecord: boolean): boolean {
  return isReady({
    fieldRecords: hasFieldRecord ? 1 : 0,
    onCreate: webhook.isSubscribedToCreateEvents,
    onUpdate: webhook.isSubscribedToUpdateEvents,
    onDelete: webhook.isSubscribedToDeleteEvents,
  });
}

/** Those of the webhooks that have a Field or UdfField record. */
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
 * Does work that adds or removes Field or UdfField records, and keeps in the history which webhooks it made ready or not.
 * The transaction must hold the locks of their rows already, so that nothing else changes their records meanwhile.
 * @param source who does the work, and more about it in words.
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
