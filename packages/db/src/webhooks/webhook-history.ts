import type { Database, Transaction } from '../connection/database.ts';
import { newId } from '../schema/ids.ts';
import { columns, statement } from '../connection/statement/statement.ts';
import type { WebhookAddress } from './webhook-address.ts';

/** What happens to a webhook and is kept. A deleted one is neither active nor ready any more, without a word of its own. */
export const historyChanges = [
  'created',
  'activated',
  'deactivated',
  'deleted',
  'ready',
  'notReady',
  'paused',
  'resumed',
] as const;

export type HistoryChange = (typeof historyChanges)[number];

/** Why it happened; `gone` is an answer 410. */
export const historyCauses = [
  'user',
  'ownerDeactivated',
  'ownerDeleted',
  'repeatedFailure',
  'gone',
  'receiverDown',
  'receiverAnswered',
] as const;

export type HistoryCause = (typeof historyCauses)[number];

/** One change of a webhook, to be kept. Its time is that of the transaction, by the database's clock. */
export interface HistoryEntry {
  tenantId: number;
  webhookKey: number;
  change: HistoryChange;
  cause: HistoryCause;
  /** The resource that did it; null when it was automatic, or an operator did it. */
  actorResourceId: number | null;
  /** More about the cause, in words. */
  detail?: string | null;
}

const insert = statement(
  'webhook_history_insert',
  `INSERT INTO webhook_changes (id, tenant_id, webhook_key, change, cause, actor_resource_id, detail)
   SELECT * FROM unnest($1::uuid[], $2::int[], $3::bigint[], $4::text[], $5::text[], $6::int[], $7::text[])`,
);

/** Keeps changes of webhooks. The transaction holds the locks of their rows, so that the order kept is what happened. */
export async function recordChanges(transaction: Transaction, changes: readonly HistoryEntry[]): Promise<void> {
  if (changes.length === 0) return;
  await insert(transaction, columns(rowsOf(changes), [...rowKeys]));
}

const rowKeys = ['id', 'tenantId', 'webhookKey', 'change', 'cause', 'actorResourceId', 'detail'] as const;

/** With ids in the order of the changes, even of those that one transaction makes within a millisecond. */
function rowsOf(changes: readonly HistoryEntry[]) {
  const ids = changes.map(() => newId()).toSorted();
  return changes.map((entry, nth) => ({ ...entry, id: ids[nth], detail: entry.detail ?? null }));
}

/** A change as it was kept. */
export interface StoredChange {
  id: string;
  at: Date;
  change: HistoryChange;
  cause: HistoryCause;
  actorResourceId: number | null;
  detail: string | null;
}

export interface WebhookHistory {
  /** The newest changes of a webhook, newest first, at most `LISTED_CHANGES`; undefined without such a webhook. */
  list(webhook: WebhookAddress): Promise<StoredChange[] | undefined>;
}

export const LISTED_CHANGES = 500;

export function createWebhookHistory({ prisma }: Pick<Database, 'prisma'>): WebhookHistory {
  return {
    async list({ tenantId, entityType, id }) {
      const webhook = await prisma.webhook.findUnique({
        where: { tenantId_entityType_id: { tenantId, entityType, id }, deletedAt: null },
        select: { key: true },
      });
      if (webhook === null) return undefined;
      const rows = await prisma.webhookChange.findMany({
        where: { webhookKey: webhook.key },
        select: { id: true, at: true, change: true, cause: true, actorResourceId: true, detail: true },
        orderBy: { id: 'desc' },
        take: LISTED_CHANGES,
      });
      // Rows are entries that were kept, so their words are those of entries.
      return rows as StoredChange[];
    },
  };
}
