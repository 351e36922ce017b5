import { inTransaction } from '@callout/database/connection/transaction/transaction';
import { type AskedRange, readDigest, type ReadDigest } from '@callout/pipeline/digest/read-digest';
import type { SearchDeps } from '../search/search-transaction.ts';

/** Reads which callouts of a range of a webhook were delivered, when its tenant may have one more connection. */
export function findDigest(
  { pool, inSlot }: SearchDeps,
  tenantId: number,
  webhookKey: number,
  asked: AskedRange,
): Promise<ReadDigest> {
  const read = () =>
    inTransaction(pool, async (transaction) => {
      await transaction.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
      return readDigest(transaction, webhookKey, asked);
    });
  return inSlot === undefined ? read() : inSlot(tenantId, read);
}
