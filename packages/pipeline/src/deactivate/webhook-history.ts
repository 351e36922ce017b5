import type { Database, Transaction } from '@callout/database/connection/database';
import { newId } from '@callout/database/schema/ids';
import { columns, statement } from '@callout/database/connection/statement/statement';
import type { WebhookAddress } from '@callout/database/locked-webhook';

/**
 * Changes of a webhook that its history keeps. Deletion also ends `active` and `ready`, without entries of their own.
 */
export const historyChanges = [
  'created',
  'activated',
  'deactivated',
  'deleted',
  'ready',
  'notReady',
  'paused',
  'resumed',
  'secretRotated',
  'signingKeyRotated',
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

/** One change of a webhook, to be stored. Its time is that of the transaction, by the database's clock. */
export interface HistoryEntry {
  tenantId: number;
  webhookKey: number;
  change: HistoryChange;
  cause: HistoryCause;
  /** The resource that made the change; null when it was automatic, or an operator did it. */
  actorResourceId: number | null;
  /** Details of the cause, as a sentence. */
  detail?: string | null;
}

const insert = statement(
  'webhook_history_insert',
  `INSERT INTO webhook_changes (id, tenant_id, webhook_key, change, cause, actor_resource_id, detail)
   SELECT * FROM unnest($1::uuid[], $2::int[], $3::bigint[], $4::text[], $5::text[], $6::int[], $7::text[])`,
);

/** Stores changes of webhooks. The transaction holds the locks of their rows, so that the entries are in true order. */
export async function recordChanges(transaction: Transaction, changes: readonly HistoryEntry[]): Promise<void> {
  if (changes.length === 0) return;
  await insert(transaction, columns(rowsOf(changes), [...rowKeys]));
}

const rowKeys = ['id', 'tenantId', 'webhookKey', 'change', 'cause', 'actorResourceId', 'detail'] as const;

/** Ids in the order of the changes, also of several that one transaction makes within a millisecond. */
function rowsOf(changes: readonly HistoryEntry[]) {
  const ids = changes.map(() => newId()).toSorted();
  return changes.map((entry, nth) => ({ ...entry, id: ids[nth], detail: entry.detail ?? null }));
}

/** A stored change. */
export interface StoredChange {
  id: string;
  at: Date;
  change: HistoryChange;
  cause: HistoryCause;
  actorResourceId: number | null;
  detail: string | null;
}

export const LISTED_CHANGES = 500;

/**
 * The newest changes of a webhook, newest first, at most `LISTED_CHANGES`; undefined when the webhook does not exist.
 */
export async function listChanges(
  { prisma }: Pick<Database, 'prisma'>,
  { tenantId, entityType, id }: WebhookAddress,
): Promise<StoredChange[] | undefined> {
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
  // Rows were written from `HistoryEntry`, so their values are of these types.
  return rows as StoredChange[];
}
