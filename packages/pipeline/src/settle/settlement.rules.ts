import type { NextState } from '@callout/domain/callout/transitions';
import type { AttemptSignal } from './breaker.rules.ts';
import { recordName, type ClaimedCallout } from '@callout/domain/callout/claimed';
import { bodyCuts } from '@callout/domain/outcome/answers';
import { describeProblem, type AttemptFailureReason, type AttemptOutcome } from '@callout/domain/outcome/outcome';
import { storedHeaders } from '@callout/domain/outcome/stored-headers';
import { askedWaitMs, judgeAttempt, noRetries, type RetrySchedule } from './retry.rules.ts';

/** Request and response of one attempt, as the delivery log stores them. */
export interface Attempt {
  id: string;
  /** 1 for the first; 0: a failed probe, which does not count. */
  number: number;
  startedAt: Date;
  durationMs: number;
  url: string;
  /** JSON, see `storedHeaders`. */
  requestHeaders: string;
  /** Null when there was no response. */
  status: number | null;
  responseHeaders: string | null;
  responseBody: Buffer | null;
  failureReason: string | null;
  failure: string | null;
}

/** The callout of an attempt, with the lease of the attempt; `eventId` and `traceParent` where the caller has read them. */
export type AttemptedCallout = Pick<
  ClaimedCallout,
  'id' | 'tenantId' | 'webhookKey' | 'recordId' | 'sequenceNumber' | 'kind' | 'isRedelivery' | 'leaseOwner'
> &
  Partial<Pick<ClaimedCallout, 'eventId' | 'traceParent' | 'aheadMs'>>;

/** One attempt and the effect on the callout. */
export interface Settlement {
  callout: AttemptedCallout;
  attempt: Attempt;
  /** What the attempt shows about the receiver. */
  signal: AttemptSignal['kind'];
  /** The failure as a sentence; null: delivered. */
  problem: string | null;
  /** The wait that the receiver asked for; absent: none. */
  askedWaitMs?: number;
  next:
    | { kind: 'ended'; state: NextState<'due', 'answeredWell' | 'cancelled'> }
    /** `isGone`: the receiver responded 410. */
    | { kind: 'ended'; state: NextState<'due', 'attemptsUsedUp' | 'receiverGone'>; isGone: boolean }
    | { kind: 'retry'; waitMs: number };
}

/** The `traceparent`s of callouts. */
export function tracesOf(settlements: readonly Settlement[]): (string | null | undefined)[] {
  return settlements.map(({ callout }) => callout.traceParent);
}

/** The stored settlements: a late settlement comes after the lease of the callout was lost. */
export function withoutLate(
  settlements: readonly Settlement[],
  lateCalloutIds: readonly string[],
): readonly Settlement[] {
  if (lateCalloutIds.length === 0) return settlements;
  const late = new Set(lateCalloutIds);
  return settlements.filter(({ callout }) => !late.has(callout.id));
}

/** Whether the callout fails and people are notified. Only the caller learns the end of a test. */
export function hasFailed({ callout, next }: Settlement): boolean {
  return callout.kind !== 'test' && next.kind === 'ended' && next.state === 'failed';
}

/**
 * Whether an attempt affects the health of the receiver: callouts of events do unless they end cancelled, and delivered
 * tests. A failed test does not count: people test while they build.
 */
export function affectsHealth({ callout, next, signal }: Settlement): boolean {
  if (callout.kind === 'test') return signal === 'delivered';
  return callout.kind === 'event' && !(next.kind === 'ended' && next.state === 'cancelled');
}

/**
 * Splits settlements into transactions. Failed callouts have transactions of their own, with locks of webhooks, which
 * match needs too. No batch has two settlements of one record: two occur only when a lease was lost and an earlier
 * callout was redelivered. The end of the first callout makes the second due, and a statement cannot do that to a row
 * that the statement deletes.
 * @returns batches in which either all callouts fail, or no callout does; batches of failed callouts come last.
 */
export function settlementBatches(settlements: readonly Settlement[]): Settlement[][] {
  const failed = settlements.filter(hasFailed);
  const notFailed = settlements.filter((settlement) => !hasFailed(settlement));
  return [notFailed, failed].flatMap(onePerRecord);
}

function onePerRecord(settlements: readonly Settlement[]): Settlement[][] {
  const batches: Map<string, Settlement>[] = [];
  for (const settlement of settlements) {
    const name = recordName(settlement.callout);
    const batch = batches.find((candidate) => !candidate.has(name));
    if (batch === undefined) batches.push(new Map([[name, settlement]]));
    else batch.set(name, settlement);
  }
  return batches.map((batch) => [...batch.values()]);
}

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

/** Whether the callout was claimed before the time of the next attempt, to find out whether the receiver is back. */
export function isProbe({ aheadMs }: Pick<ClaimedCallout, 'aheadMs'>): boolean {
  return aheadMs !== undefined && aheadMs > 0;
}

/** Answers about the receiver as a whole: the receiver is busy, or out of reach of a proxy. */
const aboutReceiver: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);

/** Whether the answer of a failed attempt may be about the callout alone, so that the receiver may accept other callouts. */
export function isRefusal(status: number | null): boolean {
  return status !== null && !aboutReceiver.has(status);
}

/**
 * The effect of an attempt, to be settled. A probe that fails has number 0 and leaves the callout unchanged; only a 410
 * ends the callout.
 * @param random returns numbers from 0 to below 1.
 */
export function settlementOf(attempt: FinishedAttempt, schedule: RetrySchedule, random: () => number): Settlement {
  const { id, callout, number, startedAt, finishedAt, url, requestHeaders, outcome } = attempt;
  const waitMs = askedWaitMs(outcome, finishedAt);
  const next = nextOf(attempt, schedule, random);
  return {
    callout,
    attempt: {
      id,
      number: isProbe(callout) && next.kind === 'retry' ? 0 : number,
      startedAt,
      durationMs: Math.round(outcome.durationMs),
      url,
      requestHeaders: JSON.stringify(storedHeaders(requestHeaders)),
      ...responseColumns(outcome),
    },
    signal: signalOf(outcome),
    problem: describeProblem(outcome),
    ...(waitMs !== undefined && { askedWaitMs: waitMs }),
    next,
  };
}

function nextOf(
  { callout: { kind, attemptsBefore, aheadMs = 0 }, outcome, number, finishedAt }: FinishedAttempt,
  schedule: RetrySchedule,
  random: () => number,
): Settlement['next'] {
  // A person waits for the result of a test.
  const waits = kind === 'test' ? noRetries : schedule;
  const verdict = judgeAttempt(outcome, number - attemptsBefore, waits, finishedAt, random);
  if (verdict.kind === 'delivered') return { kind: 'ended', state: 'delivered' };
  const isGone = verdict.kind === 'failed' && verdict.deactivateWebhook;
  if (aheadMs > 0 && !isGone) {
    // The time of the next attempt stays, unless the receiver asks for more.
    return {
      kind: 'retry',
      waitMs: Math.max(0, Math.round(aheadMs - outcome.durationMs), askedWaitMs(outcome, finishedAt) ?? 0),
    };
  }
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

/** A program that fetches callouts calls by itself, so its webhook is never paused. */
const ofPulling: ReadonlySet<string> = new Set<AttemptFailureReason>(['nacked', 'leaseLapsed', 'notFetched']);

/**
 * The signal of an outcome. Down: no usable response, 429, 408 or 5xx. Any further response is about the callout, so the
 * receiver works.
 */
export function signalOf(outcome: AttemptOutcome): AttemptSignal['kind'] {
  if (outcome.kind === 'failed') return ofPulling.has(outcome.reason) ? 'rejected' : 'down';
  const { status } = outcome;
  if (status >= 200 && status <= 299) return 'delivered';
  return status >= 500 || status === 429 || status === 408 ? 'down' : 'rejected';
}
