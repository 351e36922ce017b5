import { setTimeout as sleep } from 'node:timers/promises';
import { type Settlement, withoutLate } from './settlement.rules.ts';
import { isValueRefused } from '@callout/database/connection/database-away';
import type { SettleResult } from './settle.ts';
import { createBatches } from '@callout/runtime/concurrency/batches';
import { logRepeats } from '@callout/runtime/log/log-repeats';
import type { Logger } from '@callout/runtime/log/logger';
import type { DeliveryMetrics } from './delivery-metrics.ts';

/** Results that were settled together, and the webhooks for which callouts became due. */
export interface SettledBatch {
  settlements: readonly Settlement[];
  dueWebhookKeys: readonly number[];
}

export interface ResultsDeps {
  /** Commits results, all or some of them before it throws. */
  store: (results: readonly Settlement[]) => Promise<SettleResult>;
  /** Called after each commit with its results, and with the webhooks that have something to send now. */
  onSettled: (batch: SettledBatch) => void;
  /**
   * Called with true when results have to be buffered because they cannot be stored now, and with false when none is
   * left.
   */
  onBuffering: (isBuffering: boolean) => void;
  /** How long a result waits for others to share its commit. */
  gatherMs: number;
  /** A monotonic clock in milliseconds, by which leases are measured. */
  nowMs: () => number;
  log: Logger;
  metrics: Pick<DeliveryMetrics, 'onSettled' | 'onSettleFailed'>;
}

/** Stores the results of attempts. It has no queue: results come from attempts. */
export interface Results {
  /**
   * Resolves when the result is committed. While PostgreSQL cannot store it, it is buffered and tried again until
   * `keepUntilMs`, so that the call need not be made again: it counts as long as no other worker has taken the callout.
   * @throws the reason why it could not be stored: another worker will make the call again.
   */
  add(result: Settlement, keepUntilMs: number): Promise<void>;
  /** Something waits for a result: the results in the batch are stored at once. */
  hurry(): void;
  /** Stores the remaining results. */
  drain(): Promise<void>;
}

/** How long a result is kept while PostgreSQL is away: longer than a failover takes. */
export const keptResultMs = 30_000;
const resultsPerCommit = 200;
/** Two, so that one batch gathers its rows while the other commits. */
const commitsAtOnce = 2;
/** Between two attempts to store; doubles up to the maximum. */
const firstWaitMs = 50;
const maxWaitMs = 1_000;

interface Buffered {
  result: Settlement;
  /** It was tried before, so it may be stored already: the response to a commit can get lost. */
  isRepeat: boolean;
}

/** Stores results of calls, many per transaction. The caller bounds their number, since it waits for them. */
export function createResults(deps: ResultsDeps): Results {
  const { store, onSettled, onBuffering, gatherMs, nowMs, log, metrics } = deps;
  const onFailed = logRepeats(log, 'results of calls cannot be stored for now: they are kept, and no more are claimed');
  let buffered = 0;
  const batches = createBatches<Buffered, void>({
    gatherMs,
    maxWeight: resultsPerCommit,
    concurrency: commitsAtOnce,
    // One result that PostgreSQL refuses must not prevent the others from being stored.
    isOneToBlame: isValueRefused,
    write: commit,
  });

  async function commit(batch: readonly Buffered[]): Promise<readonly void[]> {
    const results = batch.map(({ result }) => result);
    const startedAtMs = nowMs();
    const { lateCalloutIds, dueWebhookKeys, paused } = await store(results).catch((error: unknown) => {
      metrics.onSettleFailed(results, nowMs() - startedAtMs);
      throw error;
    });
    const settlements = withoutLate(results, lateCalloutIds);
    metrics.onSettled(settlements, paused, nowMs() - startedAtMs);
    for (const calloutId of lateCalloutIds) {
      const isRepeat = batch.some((one) => one.isRepeat && one.result.callout.id === calloutId);
      if (isRepeat) log.info({ calloutId }, 'the result was stored before, or another process had taken its lease');
      else log.warn({ calloutId }, 'the result came after another process had taken the lease');
    }
    onSettled({ settlements, dueWebhookKeys });
    return [];
  }

  /** Counts a result as buffered until the returned function is called. */
  function buffer(): () => void {
    buffered += 1;
    if (buffered === 1) onBuffering(true);
    return () => {
      buffered -= 1;
      if (buffered > 0) return;
      onBuffering(false);
      log.info({}, 'all results that could not be stored at first are stored or dropped');
    };
  }

  async function add(result: Settlement, keepUntilMs: number): Promise<void> {
    let release: (() => void) | undefined;
    try {
      for (let waitMs = firstWaitMs; ; waitMs = Math.min(maxWaitMs, 2 * waitMs)) {
        try {
          return await batches.add({ result, isRepeat: release !== undefined });
        } catch (error) {
          if (isValueRefused(error)) throw error;
          release ??= buffer();
          if (nowMs() + waitMs >= keepUntilMs) throw error;
          onFailed(error);
          await sleep(waitMs);
        }
      }
    } finally {
      release?.();
    }
  }

  return { add, hurry: () => batches.hurry(), drain: () => batches.drain() };
}
