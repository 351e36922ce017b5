import type { Database } from '@callout/database/connection/database';

/** A callout without attempts left, for the owner of the webhook. */
export interface StoredErrorLog {
  id: number;
  webhookId: number;
  webhookGuid: string;
  entityType: string;
  sequenceNumber: number;
  createdAt: Date;
  errorMessage: string;
  payload: string;
}

/** The owner of the rows: webhooks of one resource, or of the whole tenant (null). */
export interface ErrorLogScope {
  tenantId: number;
  ownerResourceId: number | null;
}

export async function findErrorLog(
  { prisma }: Pick<Database, 'prisma'>,
  scope: ErrorLogScope,
  id: number,
): Promise<StoredErrorLog | undefined> {
  const row = await prisma.webhookEventErrorLog.findFirst({ where: whereOf(scope, id) });
  return row === null ? undefined : { ...row, id, sequenceNumber: Number(row.sequenceNumber) };
}

/** @returns whether there was such a row. */
export async function removeErrorLog(
  { transaction }: Pick<Database, 'transaction'>,
  scope: ErrorLogScope,
  id: number,
): Promise<boolean> {
  const { count } = await transaction(scope.tenantId, ({ models }) =>
    models.webhookEventErrorLog.deleteMany({ where: whereOf(scope, id) }),
  );
  return count > 0;
}

function whereOf({ tenantId, ownerResourceId }: ErrorLogScope, id: number) {
  return { id, tenantId, ...(ownerResourceId !== null && { ownerResourceId }) };
}
