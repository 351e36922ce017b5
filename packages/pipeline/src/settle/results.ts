import { setTimeout as sleep } from 'node:timers/promises';
import { type Settlement, withoutLate } from './settlement.rules.ts';
import { isValueRefused } from '@callout/database/connection/database-away';
import type { SettleResult } from './store.ts';
import { createBatches } from '@callout/runtime/concurrency/batches';
import { logRepeats } from '@callout/runtime/log/log-repeats';
import type { Logger } from '@callout/runtime/log/logger';
import type { DeliveryMetrics } from './delivery-metrics.ts';

/** Settlements of one commit, and the webhooks for which callouts became due. */
export interface SettledBatch {
  settlements: readonly Settlement[];
  dueWebhookKeys: readonly number[];
}

export interface ResultsDeps {
  /** Commits settlements; when the promise rejects, a part of them may be committed. */
  store: (settlements: readonly Settlement[]) => Promise<SettleResult>;
  /** Called after each commit. */
  onSettled: (batch: SettledBatch) => void;
  /** Called with true when settlements have to be buffered since PostgreSQL is away, and with false when all are stored. */
  onBuffering: (isBuffering: boolean) => void;
  /** How long a settlement waits for more settlements in the same commit. */
  gatherMs: number;
  /** A monotonic clock in milliseconds, by which leases are measured. */
  nowMs: () => number;
  log: Logger;
  metrics: Pick<DeliveryMetrics, 'onSettled' | 'onSettleFailed'>;
}

/** Stores settlements. There is no queue: the caller of `add` waits. */
export interface Results {
  /**
   * Resolves when the settlement is committed. While PostgreSQL is away, the settlement is buffered and tried again until
   * `keepUntilMs`, so that the call need not be made again: a settlement counts until another worker takes the callout.
   * @throws the reason why the settlement could not be stored: another worker will make the call again.
   */
  add(settlement: Settlement, keepUntilMs: number): Promise<void>;
  /** Something waits for a settlement: the settlements that wait for a commit are stored at once. */
  hurry(): void;
  /** Stores the remaining settlements. */
  drain(): Promise<void>;
}

/** How long a settlement is kept while PostgreSQL is away: longer than a failover takes. */
export const keptResultMs = 30_000;
const settlementsPerCommit = 200;
/** Two, so that one batch gathers its rows while the other commits. */
const commitsAtOnce = 2;
/** Between two attempts to store; doubles up to the maximum. */
const firstWaitMs = 50;
const maxWaitMs = 1_000;

interface Buffered {
  settlement: Settlement;
  /** Whether a commit was tried before, and may have succeeded: the response to a commit can get lost. */
  isRepeat: boolean;
}

/** Stores settlements, many per transaction. The callers bound the number, since they wait. */
export function createResults(deps: ResultsDeps): Results {
  const { store, onSettled, onBuffering, gatherMs, nowMs, log, metrics } = deps;
  const onFailed = logRepeats(log, 'results of calls cannot be stored for now: they are kept, and no more are claimed');
  let buffered = 0;
  const batches = createBatches<Buffered, void>({
    gatherMs,
    maxWeight: settlementsPerCommit,
    concurrency: commitsAtOnce,
    // One settlement that PostgreSQL refuses must not prevent the rest from being stored.
    isOneToBlame: isValueRefused,
    write: commit,
  });

  async function commit(batch: readonly Buffered[]): Promise<readonly void[]> {
    const tried = batch.map(({ settlement }) => settlement);
    const startedAtMs = nowMs();
    const { lateCalloutIds, dueWebhookKeys, paused } = await store(tried).catch((error: unknown) => {
      metrics.onSettleFailed(tried, nowMs() - startedAtMs);
      throw error;
    });
    const settlements = withoutLate(tried, lateCalloutIds);
    metrics.onSettled(settlements, paused, nowMs() - startedAtMs);
    for (const calloutId of lateCalloutIds) {
      const isRepeat = batch.some((entry) => entry.isRepeat && entry.settlement.callout.id === calloutId);
      if (isRepeat) log.info({ calloutId }, 'the result was stored before, or another process had taken its lease');
      else log.warn({ calloutId }, 'the result came after another process had taken the lease');
    }
    onSettled({ settlements, dueWebhookKeys });
    return [];
  }

  /** Counts a settlement as buffered until the returned function is called. */
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

  async function add(settlement: Settlement, keepUntilMs: number): Promise<void> {
    let release: (() => void) | undefined;
    try {
      for (let waitMs = firstWaitMs; ; waitMs = Math.min(maxWaitMs, 2 * waitMs)) {
        try {
          return await batches.add({ settlement, isRepeat: release !== undefined });
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
