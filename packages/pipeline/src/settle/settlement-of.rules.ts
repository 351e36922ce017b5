import { bodyCuts } from '@callout/domain/outcome/answers';
import { signalOf } from './breaker.rules.ts';
import { describeProblem, type AttemptOutcome } from '@callout/domain/outcome/outcome';
import { storedHeaders } from '@callout/domain/outcome/stored-headers';
import { judgeAttempt, type RetrySchedule } from './retry.rules.ts';
import type { Attempt, AttemptedCallout, Settlement } from './settlement.rules.ts';

/** One finished attempt. */
export interface FinishedAttempt {
  /** The id of the attempt's row. */
  readonly id: string;
  readonly callout: AttemptedCallout & { readonly attemptsBefore: number };
  /** From 1. */
  readonly number: number;
  readonly startedAt: Date;
  readonly finishedAt: Date;
  readonly url: string;
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly outcome: AttemptOutcome;
}

/** A test has only one attempt, since a person waits for its result. */
const noRetries: RetrySchedule = { waitsMs: [], jitter: 0 };

/**
 * The effect of an attempt, to be settled.
 * @param random returns numbers from 0 to below 1.
 */
export function settlementOf(attempt: FinishedAttempt, schedule: RetrySchedule, random: () => number): Settlement {
  const { id, callout, number, startedAt, url, requestHeaders, outcome } = attempt;
  return {
    callout,
    attempt: {
      id,
      number,
      startedAt,
      durationMs: Math.round(outcome.durationMs),
      url,
      requestHeaders: JSON.stringify(storedHeaders(requestHeaders)),
      ...responseColumns(outcome),
    },
    signal: signalOf(outcome),
    problem: describeProblem(outcome),
    next: nextOf(attempt, schedule, random),
  };
}

function nextOf(
  { callout: { kind, attemptsBefore }, outcome, number, finishedAt }: FinishedAttempt,
  schedule: RetrySchedule,
  random: () => number,
): Settlement['next'] {
  const waits = kind === 'test' ? noRetries : schedule;
  const verdict = judgeAttempt(outcome, number - attemptsBefore, waits, finishedAt, random);
  if (verdict.kind === 'delivered') return { kind: 'ended', state: 'delivered' };
  if (verdict.kind === 'failed') return { kind: 'ended', state: 'failed', isGone: verdict.deactivateWebhook };
  return { kind: 'retry', waitMs: Math.max(0, verdict.at.getTime() - finishedAt.getTime()) };
}

function responseColumns(
  outcome: AttemptOutcome,
): Pick<Attempt, 'status' | 'responseHeaders' | 'responseBody' | 'failureReason' | 'failure'> {
  if (outcome.kind === 'failed') {
    const { reason, message } = outcome;
    return { status: null, responseHeaders: null, responseBody: null, failureReason: reason, failure: message };
  }
  return {
    status: outcome.status,
    responseHeaders: JSON.stringify(outcome.headers),
    responseBody: outcome.body.length > 0 ? outcome.body : null,
    failureReason: null,
    failure: outcome.bodyCut === null ? null : bodyCuts[outcome.bodyCut],
  };
}
