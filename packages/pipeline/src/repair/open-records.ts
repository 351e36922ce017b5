import type { OpenRecord } from './reopen.rules.ts';
import type { Transaction } from '@callout/database/connection/database';
import { statementFrom } from '@callout/database/connection/statement/statement';

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
