import { type Settlement, type SettleRules, withoutLate } from '@callout/core/settle';
import type { Database } from '@callout/db/connection';
import { settleAttempts } from '@callout/db/settle';
import type { Logger } from '@callout/runtime/log';
import type { DeliveryMetrics } from '../metrics/delivery-metrics.ts';
import { createResults, type SettledBatch } from './results.ts';

export interface SettleStage {
  pool: Database['pool'];
  rules: SettleRules;
  /** How long a result waits for others to share its commit. */
  gatherMs: number;
  /** Milliseconds, rising: the clock of leases. */
  nowMs: () => number;
  log: Logger;
  metrics: Pick<DeliveryMetrics, 'onSettled' | 'onSettleFailed'>;
  /** Told after each commit. */
  onSettled: (batch: SettledBatch) => void;
  /** Told true when results have to be kept since they cannot be stored for now, and false when none are kept any more. */
  onKept: (areKept: boolean) => void;
}

export interface Settling {
  /**
   * Resolves when the result is committed.
   * @throws why it could not be stored while its lease lasted: another worker makes the call again.
   */
  settle(settlement: Settlement, leaseEndsAtMs: number): Promise<void>;
  /** Something waits for a result: those in hand wait for company no longer. */
  hurry(): void;
  /** Stores what is left. */
  drain(): Promise<void>;
}

/** The stage that stores what came of attempts, many in a transaction. It has no queue: results come from attempts. */
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
