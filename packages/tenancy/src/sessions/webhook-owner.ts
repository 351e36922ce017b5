import type { Database } from '@callout/database/connection/database';

/** Whose a webhook is. */
export interface WebhookOwner {
  readonly key: number;
  readonly ownerResourceId: number;
}

/** The owner of a webhook that is not deleted; undefined without one. */
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

/** Entity and public id of a webhook that is not deleted; undefined without one. */
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

/** Where a webhook is, and whose. None of it ever changes. */
export interface WebhookPlace {
  readonly tenantId: number;
  readonly entityType: string;
  readonly id: number;
  readonly ownerResourceId: number;
}

/** The places of webhooks by their keys, deleted ones too; unknown keys are left out. */
export async function findWebhookPlaces(
  { prisma }: Pick<Database, 'prisma'>,
  keys: readonly number[],
): Promise<Map<number, WebhookPlace>> {
  const rows = await prisma.webhook.findMany({
    where: { key: { in: [...keys] } },
    select: { key: true, tenantId: true, entityType: true, id: true, ownerResourceId: true },
  });
  return new Map(rows.map(({ key, ...place }) => [Number(key), place]));
}
