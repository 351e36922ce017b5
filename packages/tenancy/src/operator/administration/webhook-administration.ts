import { Problem } from '@callout/domain/problem/problem';
import type { Database } from '@callout/database/connection/database';
import { idOf } from '@callout/database/schema/ids';
import type { WebhookAddress } from '@callout/database/tables/locked-webhook';
import type { Prisma } from '@callout/database/generated/client';
import { endWebhook } from '@callout/webhooks/webhook-changes';
import type { Page } from './tenant-administration.ts';

/** Which webhook of a tenant is meant. */
export type WebhookName = { readonly guid: string } | Pick<WebhookAddress, 'entityType' | 'id'>;

const select = {
  key: true,
  entityType: true,
  id: true,
  guid: true,
  name: true,
  isActive: true,
  ownerResourceId: true,
  webhookUrl: true,
  deactivationUrl: true,
  notificationEmailAddress: true,
  createdAt: true,
} as const;

/** Webhooks, as operators see them. Throws Problems `notFound`. */
export function createWebhookAdministration(database: Pick<Database, 'prisma' | 'transaction' | 'pool'>) {
  const { prisma } = database;
  return {
    /**
     * The webhooks of a tenant that are not deleted, in the order in which they were made. `after` and `next` are keys.
     */
    async list(tenantId: number, { after, limit }: Page) {
      const where = { tenantId, key: { gt: after }, deletedAt: null };
      const rows = await prisma.webhook.findMany({ where, select, orderBy: { key: 'asc' }, take: limit });
      const last = rows.length < limit ? undefined : rows.at(-1);
      return { items: rows.map(itemOf), next: last === undefined ? null : Number(last.key) };
    },
    /** A webhook that is not deleted, and its key. */
    async find(tenantId: number, name: WebhookName) {
      const row = await prisma.webhook.findFirst({ where: { tenantId, deletedAt: null, ...name }, select });
      if (row !== null) return { ...itemOf(row), key: Number(row.key) };
      const named = 'guid' in name ? name.guid : `${name.id} of ${name.entityType}`;
      throw Problem.notFound(`No matching records found: tenant ${tenantId} has no webhook ${named}`);
    },
    /** The webhook of a callout, deleted or not. */
    async ofCallout(calloutId: string): Promise<WebhookAddress> {
      const id = idOf(calloutId);
      const callout = id && (await prisma.callout.findUnique({ where: { id }, select: { webhookKey: true } }));
      const webhook = callout && (await prisma.webhook.findUnique({ where: { key: callout.webhookKey } }));
      if (webhook) return { tenantId: webhook.tenantId, entityType: webhook.entityType, id: webhook.id };
      throw Problem.notFound(`No matching records found: there is no callout ${calloutId}`);
    },
    /**
     * Deactivates a webhook for an operator: its open callouts are cancelled, and its receiver gets a deactivation call
     * that names no person. An inactive webhook stays as it is.
     */
    deactivate: (webhook: WebhookAddress) => endWebhook(database, webhook, 'user', null),
  };
}

/** A webhook without its secret. */
export type WebhookItem = ReturnType<typeof itemOf>;

type WebhookRow = Prisma.WebhookGetPayload<{ select: typeof select }>;

function itemOf(row: WebhookRow) {
  return {
    entityType: row.entityType,
    id: row.id,
    webhookGUID: row.guid,
    name: row.name,
    isActive: row.isActive,
    ownerResourceID: row.ownerResourceId,
    webhookUrl: row.webhookUrl,
    deactivationUrl: row.deactivationUrl,
    notificationEmailAddress: row.notificationEmailAddress,
    createDateTime: row.createdAt,
  };
}
