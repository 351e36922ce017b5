import { Problem } from '@callout/domain/problem/problem';
import type { Database } from '@callout/database/connection/database';
import { idOf } from '@callout/database/schema/id-time';
import type { WebhookAddress } from '@callout/database/tables/locked-webhook';
import { endWebhook, type DueWebhooks } from '@callout/webhooks/webhook-changes';
import type { Page } from './tenant-administration.ts';

/** A webhook without its secret. */
export interface WebhookItem {
  readonly entityType: string;
  /** Sequential per tenant and entity. */
  readonly id: number;
  readonly webhookGUID: string;
  readonly name: string;
  readonly isActive: boolean;
  readonly ownerResourceID: number;
  readonly webhookUrl: string;
  readonly deactivationUrl: string;
  readonly notificationEmailAddress: string | null;
  readonly createDateTime: Date;
}

/** Which webhook of a tenant is meant. */
export type WebhookName = { readonly guid: string } | Pick<WebhookAddress, 'entityType' | 'id'>;

export interface WebhookAdministration {
  /**
   * The webhooks of a tenant that are not deleted, in the order in which they were made. `after` and `next` are keys.
   */
  list(tenantId: number, page: Page): Promise<{ readonly items: WebhookItem[]; readonly next: number | null }>;
  /** A webhook that is not deleted, and its key. */
  find(tenantId: number, name: WebhookName): Promise<WebhookItem & { readonly key: number }>;
  /** The webhook of a callout, deleted or not. */
  ofCallout(calloutId: string): Promise<WebhookAddress>;
  /**
   * Deactivates a webhook for an operator: its open callouts are cancelled, and its receiver gets a deactivation call
   * that names no person. An inactive webhook stays as it is.
   */
  deactivate(webhook: WebhookAddress): Promise<DueWebhooks>;
}

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
export function createWebhookAdministration(
  database: Pick<Database, 'prisma' | 'transaction' | 'pool'>,
): WebhookAdministration {
  const { prisma } = database;
  return {
    async list(tenantId, { after, limit }) {
      const where = { tenantId, key: { gt: after }, deletedAt: null };
      const rows = await prisma.webhook.findMany({ where, select, orderBy: { key: 'asc' }, take: limit });
      const last = rows.length < limit ? undefined : rows.at(-1);
      return { items: rows.map(itemOf), next: last === undefined ? null : Number(last.key) };
    },
    async find(tenantId, name) {
      const row = await prisma.webhook.findFirst({ where: { tenantId, deletedAt: null, ...name }, select });
      if (row !== null) return { ...itemOf(row), key: Number(row.key) };
      const named = 'guid' in name ? name.guid : `${name.id} of ${name.entityType}`;
      throw Problem.notFound(`No matching records found: tenant ${tenantId} has no webhook ${named}`);
    },
    async ofCallout(calloutId) {
      const id = idOf(calloutId);
      const callout = id && (await prisma.callout.findUnique({ where: { id }, select: { webhookKey: true } }));
      const webhook = callout && (await prisma.webhook.findUnique({ where: { key: callout.webhookKey } }));
      if (webhook) return { tenantId: webhook.tenantId, entityType: webhook.entityType, id: webhook.id };
      throw Problem.notFound(`No matching records found: there is no callout ${calloutId}`);
    },
    deactivate: (webhook) => endWebhook(database, webhook, 'user', null),
  };
}

interface WebhookRow extends Omit<WebhookItem, 'webhookGUID' | 'ownerResourceID' | 'createDateTime'> {
  readonly guid: string;
  readonly ownerResourceId: number;
  readonly createdAt: Date;
}

function itemOf(row: WebhookRow): WebhookItem {
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
