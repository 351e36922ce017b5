import { longestPauseMs } from '../settle/breaker.rules.ts';
import type { RetrySchedule } from '../settle/retry.rules.ts';

/** Data of a failing webhook. */
export interface FailingWebhook {
  /** Callouts in a row that used up their attempts. */
  readonly failedInRow: number;
  /** The number of failures in a row that deactivates it; 0: it is never deactivated. */
  readonly deactivateAfter: number;
  /** Whether one call at a time is made, after pauses. */
  readonly isPaused: boolean;
  /**
   * Its open callouts that may be sent and that count, none of them redelivered, with the number of those that wait for
   * each of them since they are about the same record.
   */
  readonly open: readonly { readonly dueAt: Date; readonly attemptsMade: number; readonly behind: number }[];
}

export interface DeactivationForecast {
  /** When the webhook is deactivated if every attempt fails; null: not by the callouts that are open now. */
  readonly deactivationAt: Date | null;
  /** When the first of its open callouts uses up its attempts; null when none is open. */
  readonly firstFailsAt: Date | null;
}

/**
 * When a webhook is deactivated, according to the schedule of its open callouts: when as many of them as are missing
 * have used up their attempts. An estimate: waits vary by the schedule's jitter, receivers may request other waits, and
 * a paused webhook makes no more than a call in each of its longest pauses.
 */
export function forecastDeactivation(
  { failedInRow, deactivateAfter, isPaused, open }: FailingWebhook,
  { waitsMs }: RetrySchedule,
  now: Date,
): DeactivationForecast {
  const missing = Math.max(1, deactivateAfter - failedInRow);
  const wholeMs = sum(waitsMs);
  const ends = open
    .flatMap(({ dueAt, attemptsMade, behind }) => {
      const left = waitsMs.slice(attemptsMade);
      const firstMs = Math.max(dueAt.getTime(), now.getTime()) + sum(left);
      const later = Array.from({ length: Math.min(behind, missing - 1) }, (_, nth) => ({
        atMs: firstMs + (nth + 1) * wholeMs,
        calls: waitsMs.length + 1,
      }));
      return [{ atMs: firstMs, calls: left.length + 1 }, ...later];
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
