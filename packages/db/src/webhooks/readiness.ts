import { isReady } from '@callout/core';
import type { Prisma } from '../generated/client.ts';
import { recordChangesInPrisma, type HistoryEntry } from './webhook-history.ts';

/**
 * Does work that adds or removes Field or UdfField records, and keeps in the history which webhooks it made ready or not.
 * The transaction must hold the locks of their rows already, so that nobody else changes their records meanwhile.
 * @param source who does the work, and more about it in words.
 */
export async function keepingReadiness<T>(
  transaction: Prisma.TransactionClient,
  webhookKeys: readonly bigint[],
  source: Pick<HistoryEntry, 'actorResourceId' | 'detail'>,
  work: () => Promise<T>,
): Promise<T> {
  const before = await readinessOf(transaction, webhookKeys);
  const result = await work();
  const changes: HistoryEntry[] = [];
  for (const [key, after] of await readinessOf(transaction, webhookKeys)) {
    if (before.get(key)?.isReady === after.isReady) continue;
    const change = after.isReady ? 'ready' : 'notReady';
    changes.push({ tenantId: after.tenantId, webhookKey: Number(key), change, cause: 'user', ...source });
  }
  await recordChangesInPrisma(transaction, changes);
  return result;
}

interface ReadinessRow {
  key: bigint;
  tenantId: number;
  onCreate: boolean;
  onUpdate: boolean;
  onDelete: boolean;
  hasFields: boolean;
  hasUdfFields: boolean;
}

async function readinessOf(
  transaction: Prisma.TransactionClient,
  webhookKeys: readonly bigint[],
): Promise<Map<bigint, { tenantId: number; isReady: boolean }>> {
  const rows = await transaction.$queryRaw<ReadinessRow[]>`
    SELECT w.key, w.tenant_id AS "tenantId", w.is_subscribed_to_create_events AS "onCreate",
      w.is_subscribed_to_update_events AS "onUpdate", w.is_subscribed_to_delete_events AS "onDelete",
      EXISTS (SELECT FROM webhook_fields f WHERE f.webhook_key = w.key) AS "hasFields",
      EXISTS (SELECT FROM webhook_udf_fields u WHERE u.webhook_key = w.key) AS "hasUdfFields"
    FROM webhooks w WHERE w.key = ANY(${[...webhookKeys]}::bigint[]) ORDER BY w.key`;
  return new Map(
    rows.map(({ key, tenantId, hasFields, hasUdfFields, ...subscription }) => {
      const records = { fields: hasFields ? [true] : [], udfFields: hasUdfFields ? [true] : [] };
      return [key, { tenantId, isReady: isReady({ ...subscription, ...records }) }];
    }),
  );
}
