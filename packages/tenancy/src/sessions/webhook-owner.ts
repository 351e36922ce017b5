import type { Database } from '@callout/database/connection/database';

/** Whose a webhook is. */
export interface WebhookOwner {
  readonly key: number;
  readonly ownerResourceId: number;
}

/** The owner of a webhook; undefined without the webhook, or after its deletion. */
export async function findWebhookOwner(
  { prisma }: Pick<Database, 'prisma'>,
  tenantId: number,
  entityType: string,
  id: number,
): Promise<WebhookOwner | undefined> {
  const webhook = await prisma.webhook.findUnique({
    where: { tenantId_entityType_id: { tenantId, entityType, id }, deletedAt: null },
    select: { key: true, ownerResourceId: true },
  });
  return webhook === null ? undefined : { key: Number(webhook.key), ownerResourceId: webhook.ownerResourceId };
}

/** Entity and public id of a webhook; undefined without the webhook, or after its deletion. */
export async function findWebhookAddress(
  { prisma }: Pick<Database, 'prisma'>,
  key: number,
): Promise<{ readonly entityType: string; readonly id: number } | undefined> {
  const webhook = await prisma.webhook.findUnique({
    where: { key, deletedAt: null },
    select: { entityType: true, id: true },
  });
  return webhook ?? undefined;
}
