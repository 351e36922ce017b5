import type { Transaction } from '@callout/database/connection/database';
import { columns, statementFrom } from '@callout/database/connection/statement/statement';

const promote = statementFrom<{ webhookKey: number }>('settle/delivery_promote');

/**
 * waiting → due for the first open callout of each of these records. A separate statement, after others of them have
 * ended.
 * @returns the webhooks with a callout that became due.
 */
export async function promoteFirst(
  transaction: Transaction,
  records: readonly { webhookKey: number; recordId: number }[],
): Promise<number[]> {
  const rows = await promote(transaction, columns(records, ['webhookKey', 'recordId']));
  return [...new Set(rows.map(({ webhookKey }) => webhookKey))];
}
