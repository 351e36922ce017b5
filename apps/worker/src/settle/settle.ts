import {
  judgeSettlements,
  presumeSettlements,
  type Settlement,
  settlementBatches,
  type SettleRules,
} from '@callout/core/settle';
import { type Database, inTransaction } from '@callout/db/connection';
import { lockForSettlement, settlePresumed, type SettleResult, storeSettlements } from '@callout/db/settle';

/**
 * Attempts → what follows from them: the callout ends or gets the time of its next attempt, the callout behind an ended
 * one becomes due, and the health of receivers changes. Only the holder of a lease may settle: a result that comes after
 * the lease has passed on is left out. Load, decide, commit, once for each batch of `settlementBatches`; where all were
 * delivered nothing is loaded, as long as everything is as one may presume.
 * @throws when a batch could not be stored; those before it are.
 */
export async function settleAttempts(
  pool: Database['pool'],
  settlements: readonly Settlement[],
  rules: SettleRules,
): Promise<SettleResult> {
  const results: SettleResult[] = [];
  for (const batch of settlementBatches(settlements)) {
    const presumed = presumeSettlements(batch, rules);
    results.push(
      (presumed && (await settlePresumed(pool, presumed))) ??
        (await inTransaction(pool, async (transaction) => {
          const locked = await lockForSettlement(transaction, batch);
          return storeSettlements(transaction, judgeSettlements(batch, locked, rules));
        })),
    );
  }
  return {
    lateCalloutIds: results.flatMap(({ lateCalloutIds }) => lateCalloutIds),
    dueWebhookKeys: [...new Set(results.flatMap(({ dueWebhookKeys }) => dueWebhookKeys))],
  };
}
