import type { Database } from '../connection/database.ts';

/** A callout that used up its attempts, as its webhook's owner gets to see it. */
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

/** Whose rows count: those of webhooks that one resource owns, or all of the tenant (null). */
export interface ErrorLogScope {
  tenantId: number;
  ownerResourceId: number | null;
}

export interface ErrorLogStore {
  find(scope: ErrorLogScope, id: number): Promise<StoredErrorLog | undefined>;
  /** @returns whether there was such a row. */
  remove(scope: ErrorLogScope, id: number): Promise<boolean>;
}

export function createErrorLogStore({ prisma }: Pick<Database, 'prisma'>): ErrorLogStore {
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
      const { count } = await prisma.webhookEventErrorLog.deleteMany({ where: whereOf(scope, id) });
      return count > 0;
    },
  };
}
