import { isDelivered, type AttemptOutcome } from '@callout/domain/outcome/outcome';
import { readRetryAfter, waitWithin } from '@callout/domain/outcome/retry-after';

/** When a callout is tried again: there is one attempt more than there are waits. */
export interface RetrySchedule {
  /** The wait before each attempt but the first, from the end of the attempt before. */
  readonly waitsMs: readonly number[];
  /** Share by which a wait is made longer or shorter at random: 0.2 = ±20 %. */
  readonly jitter: number;
}

/**
 * The effect of an attempt on its callout: delivered, to be retried at a time, or failed. `deactivateWebhook`: the
 * receiver responded 410, so it is gone permanently and will accept no other callout.
 */
export type AttemptVerdict =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'retry'; readonly at: Date }
  | { readonly kind: 'failed'; readonly deactivateWebhook: boolean };

const [second, minute, hour] = [1_000, 60_000, 3_600_000];

/** `standard` is the default: 9 attempts within some 28 hours. `classic`: 5 attempts, exactly 30 s apart. */
export const retrySchedules: { readonly standard: RetrySchedule; readonly classic: RetrySchedule } = {
  standard: {
    waitsMs: [5 * second, minute, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 10 * hour],
    jitter: 0.2,
  },
  classic: { waitsMs: [30 * second, 30 * second, 30 * second, 30 * second], jitter: 0 },
};

/** One attempt. */
export const noRetries: RetrySchedule = { waitsMs: [], jitter: 0 };

/** The schedule of the setting RETRY_SCHEDULE, which is a name or a list of waits. */
export function scheduleOf(
  configured: keyof typeof retrySchedules | { readonly waitsMs: readonly number[] },
): RetrySchedule {
  if (typeof configured === 'string') return retrySchedules[configured];
  return { waitsMs: configured.waitsMs, jitter: retrySchedules.standard.jitter };
}

/**
 * Judges one finished attempt. 2xx delivers; 410 fails at once; anything else is retried while the schedule has a
 * wait left, at the time of `Retry-After` exactly (on 429 and 503, or requested by a nack) or after the schedule's wait
 * with its jitter. `attemptNumber` counts from 1; `random` returns numbers from 0 to below 1.
 */
export function judgeAttempt(
  outcome: AttemptOutcome,
  attemptNumber: number,
  schedule: RetrySchedule,
  finishedAt: Date,
  random: () => number,
): AttemptVerdict {
  if (isDelivered(outcome)) return { kind: 'delivered' };
  if (outcome.kind === 'answered' && outcome.status === 410) return { kind: 'failed', deactivateWebhook: true };
  const waitMs = schedule.waitsMs[attemptNumber - 1];
  if (waitMs === undefined) return { kind: 'failed', deactivateWebhook: false };

  const askedMs = askedWaitMs(outcome, finishedAt);
  if (askedMs !== undefined) return { kind: 'retry', at: new Date(finishedAt.getTime() + askedMs) };
  const factor = 1 + schedule.jitter * (2 * random() - 1);
  return { kind: 'retry', at: new Date(finishedAt.getTime() + Math.round(waitMs * factor)) };
}

/** The wait that an answer asks for (`Retry-After` on 429 and 503, or a nack); undefined: none. */
export function askedWaitMs(outcome: AttemptOutcome, finishedAt: Date): number | undefined {
  const at = askedTime(outcome, finishedAt);
  return at && at.getTime() - finishedAt.getTime();
}

function askedTime(outcome: AttemptOutcome, finishedAt: Date): Date | undefined {
  if (outcome.kind === 'failed') {
    const { retryAfterS } = outcome;
    return retryAfterS === undefined ? undefined : waitWithin(finishedAt.getTime() + retryAfterS * 1_000, finishedAt);
  }
  if (outcome.status !== 429 && outcome.status !== 503) return undefined;
  const header = outcome.headers['retry-after'];
  return header === undefined ? undefined : readRetryAfter(header, finishedAt);
}
