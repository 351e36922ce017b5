import { type SettleDecision, tracesOf } from '@callout/core/settle';
import type { Pool } from 'pg';
import { inTransactionEndingWith } from '../connection/database.ts';
import { nameTransactionTrace } from '../connection/transaction/transaction-trace.ts';
import { storePresumed, type SettleResult } from './settle.ts';

/** How `delivery_settle` says that another look is needed, in this transaction or in none. */
const divisionByZero = '22012';

/**
 * Stores a decision of `presumeSettlements` in one round trip: BEGIN, lock, write and COMMIT leave together.
 * @returns null: something is not as presumed, so that it must be decided under the locks. Nothing is stored.
 */
export async function settlePresumed(pool: Pool, presumed: SettleDecision): Promise<SettleResult | null> {
  try {
    return await inTransactionEndingWith(pool, async (transaction) => {
      nameTransactionTrace(transaction, 'settle', () => tracesOf(presumed.settled));
      return storePresumed(transaction, presumed);
    });
  } catch (error) {
    if ((error as { code?: unknown }).code === divisionByZero) return null;
    throw error;
  }
}
