import type { Database } from '@callout/database/connection/database';

/** A callout without attempts left, as its webhook's owner sees it. */
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

export interface ErrorLogStore {
  find(scope: ErrorLogScope, id: number): Promise<StoredErrorLog | undefined>;
  /** @returns whether there was such a row. */
  remove(scope: ErrorLogScope, id: number): Promise<boolean>;
}

export function createErrorLogStore({ prisma, transaction }: Pick<Database, 'prisma' | 'transaction'>): ErrorLogStore {
  const whereOf = ({ tenantId, ownerResourceId }: ErrorLogScope, id: number) => ({
    id,
    tenantId,
    ...(ownerResourceId !== null && { ownerResourceId }),
  });
  return {
    async find(scope, id) {
      const row = await prisma.webhookEventErrorLog.findFirst({ where: whereOf(scope, id) });
      return row === null ? undefined : { ...row, id, sequenceNumber: Number(row.sequenceNumber) };
    },
    async remove(scope, id) {
      const { count } = await transaction(scope.tenantId, ({ models }) =>
        models.webhookEventErrorLog.deleteMany({ where: whereOf(scope, id) }),
      );
      return count > 0;
    },
  };
}
