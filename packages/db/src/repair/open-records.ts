import type { OpenRecord } from '@callout/core/repair';
import type { Transaction } from '../connection/database.ts';
import { columns, statementFrom } from '../connection/statement/statement.ts';

const lock = statementFrom<OpenRecord>('repair/repair_lock_open_records');

/**
 * Locks all open callouts of records of a webhook: none of them is claimed, settled or released until this transaction
 * ends. The transaction must hold the webhook's row.
 */
export async function lockOpenRecords(
  transaction: Transaction,
  webhookKey: number,
  recordIds: readonly number[],
): Promise<OpenRecord[]> {
  return lock(transaction, [webhookKey, [...new Set(recordIds)]]);
}

const promote = statementFrom<{ webhookKey: number }>('repair/repair_promote');

/**
 * waiting → due for the first open callout of each of these records. A statement of its own, after others of them have
 * ended.
 * @returns the webhooks for which one became due.
 */
export async function promoteFirst(
  transaction: Transaction,
  records: readonly { webhookKey: number; recordId: number }[],
): Promise<number[]> {
  const rows = await promote(transaction, columns(records, ['webhookKey', 'recordId']));
  return [...new Set(rows.map(({ webhookKey }) => webhookKey))];
}
