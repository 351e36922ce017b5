import { setTimeout as sleep } from 'node:timers/promises';
import { type Settlement, withoutLate } from '@callout/core/settle';
import { isValueRefused } from '@callout/db/connection';
import type { SettleResult } from '@callout/db/settle';
import { createBatches } from '@callout/runtime/concurrency';
import { type Logger, logRepeats } from '@callout/runtime/log';

/** Results that were settled together, and the webhooks that have something due now because of them. */
export interface SettledBatch {
  settlements: readonly Settlement[];
  dueWebhookKeys: readonly number[];
}

export interface ResultsDeps {
  /** Commits results, all or some of them before it throws. */
  store: (results: readonly Settlement[]) => Promise<SettleResult>;
  /** Told after each commit of what it stored, and of the webhooks with something to send now. */
  onSettled: (batch: SettledBatch) => void;
  /** Told true when results have to be kept since they cannot be stored for now, and false when none are kept any more. */
  onKept: (areKept: boolean) => void;
  /** How long a result waits for others to share its commit. */
  gatherMs: number;
  /** Milliseconds, rising: the clock of leases. */
  nowMs: () => number;
  log: Logger;
}

export interface Results {
  /**
   * Resolves when the result is committed. While PostgreSQL cannot store it, it is kept and tried again until its lease
   * ends, so that the call need not be made again.
   * @throws why it could not be stored: another worker will make the call again.
   */
  add(result: Settlement, leaseEndsAtMs: number): Promise<void>;
  /** Something waits for a result: those in hand wait for company no longer. */
  hurry(): void;
  /** Stores what is left. */
  drain(): Promise<void>;
}

const resultsPerCommit = 200;
/** Two, so that one batch gathers its rows while the other commits. */
const commitsAtOnce = 2;
/** Between two tries; doubles up to the most. */
const firstWaitMs = 50;
const mostWaitMs = 1_000;

interface Kept {
  result: Settlement;
  /** It was tried before, so that it may be stored already: the answer to a commit can get lost. */
  isRepeat: boolean;
}

/** Why a result was not stored; undefined: it was. */
type Failure = { error: unknown } | undefined;

/** Stores results of calls, many in a transaction. How many it holds is bounded by its caller, which waits for them. */
export function createResults(deps: ResultsDeps): Results {
  const { store, onSettled, onKept, gatherMs, nowMs, log } = deps;
  const onFailed = logRepeats(log, 'results of calls cannot be stored for now: they are kept, and no more are claimed');
  let kept = 0;
  const batches = createBatches<Kept, Failure>({
    gatherMs,
    maxWeight: resultsPerCommit,
    concurrency: commitsAtOnce,
    write,
  });

  async function write(batch: readonly Kept[]): Promise<readonly Failure[]> {
    try {
      await commit(batch);
      return batch.map(() => undefined);
    } catch (error) {
      if (batch.length === 1 || !isValueRefused(error)) return batch.map(() => ({ error }));
    }
    // One that PostgreSQL refuses must not keep the others from being stored.
    const failures: Failure[] = [];
    for (const one of batch) {
      failures.push(
        await commit([one]).then(
          () => undefined,
          (error: unknown) => ({ error }),
        ),
      );
    }
    return failures;
  }

  async function commit(batch: readonly Kept[]): Promise<void> {
    const results = batch.map(({ result }) => result);
    const { lateCalloutIds, dueWebhookKeys } = await store(results);
    for (const calloutId of lateCalloutIds) {
      const isRepeat = batch.some((one) => one.isRepeat && one.result.callout.id === calloutId);
      if (isRepeat) log.info({ calloutId }, 'the result was stored before, or another process had taken its lease');
      else log.warn({ calloutId }, 'the result came after another process had taken the lease');
    }
    onSettled({ settlements: withoutLate(results, lateCalloutIds), dueWebhookKeys });
  }

  /** Counts a result as kept until it is told that it is not any more. */
  function keep(): () => void {
    kept += 1;
    if (kept === 1) onKept(true);
    return () => {
      kept -= 1;
      if (kept > 0) return;
      onKept(false);
      log.info({}, 'all results that could not be stored at first are stored or dropped');
    };
  }

  async function add(result: Settlement, leaseEndsAtMs: number): Promise<void> {
    let failure = await batches.add({ result, isRepeat: false });
    if (failure === undefined) return;
    if (isValueRefused(failure.error)) throw failure.error;
    const release = keep();
    try {
      for (let waitMs = firstWaitMs; failure !== undefined; waitMs = Math.min(mostWaitMs, 2 * waitMs)) {
        const { error } = failure;
        if (isValueRefused(error) || nowMs() + waitMs >= leaseEndsAtMs) throw error;
        onFailed(error);
        await sleep(waitMs);
        failure = await batches.add({ result, isRepeat: true });
      }
    } finally {
      release();
    }
  }

  return { add, hurry: () => batches.hurry(), drain: () => batches.drain() };
}
