import { longestPauseMs } from '../settle/breaker.rules.ts';
import type { RetrySchedule } from '../settle/retry.rules.ts';

/** Data of a failing webhook. */
export interface FailingWebhook {
  /** Callouts in a row that have failed. */
  readonly failedInRow: number;
  /** The number of failures in a row that deactivates the webhook; 0: the webhook is never deactivated. */
  readonly deactivateAfter: number;
  /** Whether a single call at a time is made, after pauses. */
  readonly isPaused: boolean;
  /**
   * Open callouts that may be sent and are not redelivered. `behind`: the number of callouts of the record that wait for
   * the callout.
   */
  readonly openCallouts: readonly { readonly dueAt: Date; readonly attemptsMade: number; readonly behind: number }[];
}

export interface DeactivationForecast {
  /** When the webhook is deactivated if every attempt fails; null: not by the open callouts. */
  readonly deactivationAt: Date | null;
  /** When the first open callout fails; null without open callouts. */
  readonly firstFailsAt: Date | null;
}

/**
 * When a webhook is deactivated, according to the schedule of the open callouts: when as many callouts have failed as are
 * missing. An estimate: waits vary by the jitter of the schedule, receivers may request further waits, and a paused webhook
 * makes no more than a call in each of the longest pauses.
 */
export function forecastDeactivation(
  { failedInRow, deactivateAfter, isPaused, openCallouts }: FailingWebhook,
  { waitsMs }: RetrySchedule,
  now: Date,
): DeactivationForecast {
  const missing = Math.max(1, deactivateAfter - failedInRow);
  const wholeMs = sum(waitsMs);
  const ends = openCallouts
    .flatMap(({ dueAt, attemptsMade, behind }) => {
      const nextWaitsMs = waitsMs.slice(attemptsMade);
      const firstMs = Math.max(dueAt.getTime(), now.getTime()) + sum(nextWaitsMs);
      const later = Array.from({ length: Math.min(behind, missing - 1) }, (_, nth) => ({
        atMs: firstMs + (nth + 1) * wholeMs,
        calls: waitsMs.length + 1,
      }));
      return [{ atMs: firstMs, calls: nextWaitsMs.length + 1 }, ...later];
    })
    .toSorted((one, other) => one.atMs - other.atMs);
  const at = (nth: number): Date | null => {
    const last = ends[nth - 1];
    if (last === undefined) return null;
    const calls = sum(ends.slice(0, nth).map((end) => end.calls));
    const soonestMs = isPaused ? now.getTime() + calls * longestPauseMs : 0;
    return new Date(Math.max(last.atMs, soonestMs));
  };
  return { deactivationAt: deactivateAfter === 0 ? null : at(missing), firstFailsAt: at(1) };
}

function sum(parts: readonly number[]): number {
  return parts.reduce((whole, part) => whole + part, 0);
}
