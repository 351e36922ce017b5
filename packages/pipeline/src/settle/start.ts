import type { SettleRules } from './judge-settlements.rules.ts';
import { type Settlement, withoutLate } from './settlement.rules.ts';
import type { Database } from '@callout/database/connection/database';
import { settleAttempts } from './settle-attempts.ts';
import type { Logger } from '@callout/runtime/log/logger';
import type { DeliveryMetrics } from './delivery-metrics.ts';
import { createResults, type SettledBatch } from './results.ts';

export interface SettleStage {
  pool: Database['pool'];
  rules: SettleRules;
  /** How long a result waits for others to share its commit. */
  gatherMs: number;
  /** A monotonic clock in milliseconds, by which leases are measured. */
  nowMs: () => number;
  log: Logger;
  metrics: Pick<DeliveryMetrics, 'onSettled' | 'onSettleFailed'>;
  /** Called after each commit. */
  onSettled: (batch: SettledBatch) => void;
  /**
   * Called with true when results have to be buffered because they cannot be stored now, and with false when none is
   * left.
   */
  onBuffering: (isBuffering: boolean) => void;
}

export interface Settling {
  /**
   * Resolves when the result is committed.
   * @throws the reason why it could not be stored while its lease lasted: another worker makes the call again.
   */
  settle(settlement: Settlement, leaseEndsAtMs: number): Promise<void>;
  /** Something waits for a result: the results in the batch are stored at once. */
  hurry(): void;
  /** Stores the remaining results. */
  drain(): Promise<void>;
}

/** The stage that stores the results of attempts, many per transaction. It has no queue: results come from attempts. */
export function startSettle({ pool, rules, metrics, ...deps }: SettleStage): Settling {
  const results = createResults({
    ...deps,
    async store(settlements) {
      const startedAtMs = deps.nowMs();
      try {
        const result = await settleAttempts(pool, settlements, rules);
        const stored = withoutLate(settlements, result.lateCalloutIds);
        metrics.onSettled(stored, result.paused, deps.nowMs() - startedAtMs);
        return result;
      } catch (error) {
        metrics.onSettleFailed(settlements, deps.nowMs() - startedAtMs);
        throw error;
      }
    },
  });
  return {
    settle: (settlement, leaseEndsAtMs) => results.add(settlement, leaseEndsAtMs),
    hurry: () => results.hurry(),
    drain: () => results.drain(),
  };
}
