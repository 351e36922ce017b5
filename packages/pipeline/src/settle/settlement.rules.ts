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
  /** 1 for the first; 0: a probe that failed, which does not count. */
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

/** The callout of an attempt, with the lease under which it was made; `eventId` and `traceParent`: where they were read. */
export type AttemptedCallout = Pick<
  ClaimedCallout,
  'id' | 'tenantId' | 'webhookKey' | 'recordId' | 'sequenceNumber' | 'kind' | 'isRedelivery' | 'leaseOwner'
> &
  Partial<Pick<ClaimedCallout, 'eventId' | 'traceParent' | 'aheadMs'>>;

/** One attempt and its effect. */
export interface Settlement {
  callout: AttemptedCallout;
  attempt: Attempt;
  /** What the attempt shows about the receiver. */
  signal: AttemptSignal['kind'];
  /** The failure as a sentence; null when it was delivered. */
  problem: string | null;
  /** The wait that the receiver asked for; absent: none. */
  askedWaitMs?: number;
  next:
    | { kind: 'ended'; state: NextState<'due', 'answeredWell' | 'cancelled'> }
    /** `isGone`: the receiver responded 410. */
    | { kind: 'ended'; state: NextState<'due', 'attemptsUsedUp' | 'receiverGone'>; isGone: boolean }
    | { kind: 'retry'; waitMs: number };
}

/** The `traceparent`s of results. */
export function tracesOf(settlements: readonly Settlement[]): (string | null | undefined)[] {
  return settlements.map(({ callout }) => callout.traceParent);
}

/** The results that were stored: a late one came after the lease of its callout was lost. */
export function withoutLate(
  settlements: readonly Settlement[],
  lateCalloutIds: readonly string[],
): readonly Settlement[] {
  if (lateCalloutIds.length === 0) return settlements;
  const late = new Set(lateCalloutIds);
  return settlements.filter(({ callout }) => !late.has(callout.id));
}

/** Whether the callout fails and its webhook's people are notified. Only the caller learns the end of a test. */
export function hasFailed({ callout, next }: Settlement): boolean {
  return callout.kind !== 'test' && next.kind === 'ended' && next.state === 'failed';
}

/**
 * Whether this attempt affects the health of the receiver: callouts of events do, unless it leaves them cancelled, and
 * tests that were delivered. A failed test does not count: people test while they build.
 */
export function affectsHealth({ callout, next, signal }: Settlement): boolean {
  if (callout.kind === 'test') return signal === 'delivered';
  return callout.kind === 'event' && !(next.kind === 'ended' && next.state === 'cancelled');
}

/**
 * Splits results into transactions. Those that give a callout up have separate transactions, since they need the
 * locks of webhooks, which match needs too. No batch has two results of one record: they only occur when a lease was
 * lost and an earlier callout was redelivered; the end of one then makes the other one due, which one statement cannot
 * do to a row that it deletes.
 * @returns batches in which either all results give their callout up, or none does; batches that do come last.
 */
export function settlementBatches(settlements: readonly Settlement[]): Settlement[][] {
  const failed = settlements.filter(hasFailed);
  const others = settlements.filter((settlement) => !hasFailed(settlement));
  return [others, failed].flatMap(onePerRecord);
}

function onePerRecord(settlements: readonly Settlement[]): Settlement[][] {
  const batches: Map<string, Settlement>[] = [];
  for (const settlement of settlements) {
    const name = recordName(settlement.callout);
    const batch = batches.find((one) => !one.has(name));
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

/** Whether the callout was claimed before the time of its next attempt, to find out whether its receiver is back. */
export function isProbe({ aheadMs }: Pick<ClaimedCallout, 'aheadMs'>): boolean {
  return aheadMs !== undefined && aheadMs > 0;
}

/** Answers about the receiver as a whole: it is busy, or a proxy before it does not reach it. */
const aboutReceiver: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);

/** Whether the answer of a failed attempt may be about its callout alone, so that the receiver may accept others. */
export function isRefusal(status: number | null): boolean {
  return status !== null && !aboutReceiver.has(status);
}

/**
 * The effect of an attempt, to be settled. A probe that fails has number 0 and leaves its callout as it was; only a 410
 * ends the callout.
 * @param random returns numbers from 0 to below 1.
 */
export function settlementOf(attempt: FinishedAttempt, schedule: RetrySchedule, random: () => number): Settlement {
  const { id, callout, number, startedAt, finishedAt, url, requestHeaders, outcome } = attempt;
  const asked = askedWaitMs(outcome, finishedAt);
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
    ...(asked !== undefined && { askedWaitMs: asked }),
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
    // The time of its next attempt stays, unless the receiver asks for more.
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

/** A program that fetches callouts calls by itself, so it is never paused. */
const ofPulling: ReadonlySet<string> = new Set<AttemptFailureReason>(['nacked', 'leaseLapsed', 'notFetched']);

/**
 * The signal of an outcome. Down: no usable response, 429, 408 or 5xx. Any other response is about this callout, so the
 * receiver works.
 */
export function signalOf(outcome: AttemptOutcome): AttemptSignal['kind'] {
  if (outcome.kind === 'failed') return ofPulling.has(outcome.reason) ? 'rejected' : 'down';
  const { status } = outcome;
  if (status >= 200 && status <= 299) return 'delivered';
  return status >= 500 || status === 429 || status === 408 ? 'down' : 'rejected';
}
