import type { Pool } from 'pg';
import {
  judgeSettlements,
  judgeOptimistically,
  type SettleRules,
  type SettleDecision,
} from './judge-settlements.rules.ts';
import { type Settlement, settlementBatches, tracesOf } from './settlement.rules.ts';
import { inTransaction, inTransactionEndingWith } from '@callout/database/connection/transaction/transaction';
import { isAssumptionFailed } from '@callout/database/connection/transaction/assumption';
import { nameTransactionTrace } from '@callout/database/connection/transaction/transaction-trace';
import { lockForSettlement, type SettleResult, storeSettlements, storeOptimistically } from './settle.ts';

/**
 * Attempts → effects: the callout ends or gets the time of its next attempt, the callout behind an ended
 * one becomes due, and the health of receivers changes. Only the holder of a lease may settle: a result that comes
 * after the lease was lost is left out. Load, decide, commit, once for each batch of `settlementBatches`; where all
 * were delivered nothing is loaded first, and the decision is stored only if its assumptions are true.
 * @param mayBeOptimistic false: every decision is made under the locks.
 * @throws when a batch could not be stored; those before it are.
 */
export async function settleAttempts(
  pool: Pool,
  settlements: readonly Settlement[],
  rules: SettleRules,
  mayBeOptimistic = true,
): Promise<SettleResult> {
  const results: SettleResult[] = [];
  for (const batch of settlementBatches(settlements)) {
    const optimistic = mayBeOptimistic ? judgeOptimistically(batch, rules) : null;
    results.push(
      (optimistic && (await settleOptimistically(pool, optimistic))) ??
        (await inTransaction(pool, async (transaction) => {
          nameTransactionTrace(transaction, 'settle', () => tracesOf(batch));
          const locked = await lockForSettlement(transaction, batch);
          return storeSettlements(transaction, judgeSettlements(batch, locked, rules));
        })),
    );
  }
  return {
    lateCalloutIds: results.flatMap(({ lateCalloutIds }) => lateCalloutIds),
    dueWebhookKeys: [...new Set(results.flatMap(({ dueWebhookKeys }) => dueWebhookKeys))],
    paused: results.reduce((sum, { paused }) => sum + paused, 0),
  };
}

/**
 * Stores a decision of `judgeOptimistically` in one round trip: BEGIN, lock, write and COMMIT are sent together.
 * @returns null when an assumption was wrong, so that it must be decided under the locks. Nothing is stored.
 */
async function settleOptimistically(pool: Pool, decision: SettleDecision): Promise<SettleResult | null> {
  try {
    return await inTransactionEndingWith(pool, async (transaction) => {
      nameTransactionTrace(transaction, 'settle', () => tracesOf(decision.settled));
      return storeOptimistically(transaction, decision);
    });
  } catch (error) {
    if (isAssumptionFailed(error)) return null;
    throw error;
  }
}
