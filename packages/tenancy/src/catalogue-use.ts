import type { Database } from '@callout/database/connection/database';

/** The webhooks, of all tenants, that a change of an entity or of one field concerns; deleted ones do not count. */
export function countWebhooksOf(
  { prisma }: Database,
  { entityType, fieldID }: { readonly entityType: string; readonly fieldID: number | null },
): Promise<number> {
  const named = fieldID === null ? {} : { fields: { some: { fieldId: fieldID } } };
  return prisma.webhook.count({ where: { entityType, deletedAt: null, ...named } });
}
