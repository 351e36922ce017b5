import {
  bodyCuts,
  calloutHeaders,
  describeProblem,
  isPutOff,
  judgeAttempt,
  redactSignatures,
  signalOf,
  type AttemptOutcome,
  type RetrySchedule,
  type Settlement,
} from '@callout/core';
import { newId } from '@callout/db';
import type { Logger } from '@callout/runtime';
import type { LeasedCallout } from './lease.ts';
import type { Target, Targets } from './targets.ts';

export interface DeliverDeps {
  targetOf: Targets;
  send: (request: { url: string; headers: Record<string, string>; body: Buffer }) => Promise<AttemptOutcome>;
  /** Resolves when the result is committed; rejects when it could not be while the lease lasted. */
  settle: (settlement: Settlement, leaseEndsAtMs: number) => Promise<void>;
  /** Ends the lease: the callout may be sent again after `waitMs`. */
  putOff: (callout: LeasedCallout, waitMs: number) => Promise<void>;
  schedule: RetrySchedule;
  /** The most that a call takes. */
  callTimeoutMs: number;
  /** Milliseconds, rising: the clock of leases. */
  nowMs: () => number;
  userAgent: string;
  random: () => number;
  log: Logger;
}

/** What a call means for the lane that it was made in. */
export interface CallResult {
  /** 'putOff': the receiver was not asked, or nobody knows. */
  signal: Settlement['signal'] | 'putOff';
  durationMs: number;
}

/** Who asks for a test waits for its one attempt. */
const noRetries: RetrySchedule = { waitsMs: [], jitter: 0 };

const busyWaitMs = 1_000;
/** What keeps a target from being read does not pass by itself within seconds. */
const noTargetWaitMs = 30_000;
const nothing: CallResult = { signal: 'putOff', durationMs: 0 };

/**
 * One attempt of one claimed callout: sign, send, judge, settle. Calls `answered` when the receiver is done with it, and
 * resolves when the result is committed. Never rejects: when something of ours fails, the lease runs out and the callout
 * is claimed again.
 */
export async function deliver(
  deps: DeliverDeps,
  callout: LeasedCallout,
  answered: (result: CallResult) => void,
): Promise<void> {
  try {
    await attempt(deps, callout, answered);
  } catch (err) {
    answered(nothing);
    deps.log.error(
      { err, calloutId: callout.id, webhookKey: callout.webhookKey },
      'attempt not made, or its result not stored: it is made again when its lease has ended',
    );
  }
}

async function attempt(
  deps: DeliverDeps,
  callout: LeasedCallout,
  answered: (result: CallResult) => void,
): Promise<void> {
  const target = await findTarget(deps, callout);
  if (!target) {
    answered(nothing);
    return deps.putOff(callout, noTargetWaitMs);
  }
  if (deps.nowMs() + deps.callTimeoutMs > callout.leaseEndsAtMs) {
    // PostgreSQL took so long that another worker could send it, too, while this call is under way.
    const { id: calloutId, webhookKey } = callout;
    deps.log.warn({ calloutId, webhookKey }, 'given back unsent: too little of its lease was left (LEASE_MS)');
    answered(nothing);
    return deps.putOff(callout, 0);
  }
  const startedAt = new Date();
  const number = callout.attemptsMade + 1;
  const request = requestOf(deps, callout, target, number, startedAt);
  const outcome = await deps.send(request);
  if (isPutOff(outcome)) {
    answered(nothing);
    return deps.putOff(callout, busyWaitMs);
  }
  const signal = signalOf(outcome);
  answered({ signal, durationMs: outcome.durationMs });
  const next = nextOf(deps, callout, outcome, number);
  logAttempt(deps.log, callout, number, outcome, next);
  const settlement: Settlement = {
    callout,
    attempt: {
      id: newId(),
      number,
      startedAt,
      durationMs: Math.round(outcome.durationMs),
      url: request.url,
      requestHeaders: JSON.stringify(redactSignatures(request.headers)),
      ...whatCame(outcome),
    },
    signal,
    problem: describeProblem(outcome),
    next,
  };
  await deps.settle(settlement, callout.leaseEndsAtMs);
}

/** Null, and said so, when it cannot be had, perhaps since the key ring lacks the key of a secret. */
async function findTarget({ targetOf, log }: DeliverDeps, callout: LeasedCallout): Promise<Target | null> {
  const { id: calloutId, webhookKey, webhookVersion } = callout;
  try {
    const target = await targetOf(webhookKey, webhookVersion);
    if (!target) log.error({ calloutId, webhookKey }, 'attempt not made: the webhook is gone');
    return target;
  } catch (err) {
    log.error({ err, calloutId, webhookKey }, 'attempt not made: its target could not be read');
    return null;
  }
}

function requestOf(
  { userAgent }: DeliverDeps,
  { id, kind, action, eventId, body: text }: LeasedCallout,
  { url, deactivationUrl, secretKeys }: Target,
  attemptNumber: number,
  now: Date,
): { url: string; headers: Record<string, string>; body: Buffer } {
  const body = Buffer.from(text, 'utf8');
  const headers = calloutHeaders({
    secretKeys,
    calloutId: id,
    attemptNumber,
    action: action === 'Deactivated' ? undefined : action,
    eventId: eventId ?? undefined,
    body,
    now,
    userAgent,
    isTest: kind === 'test',
  });
  return { url: kind === 'deactivation' ? deactivationUrl : url, headers, body };
}

function nextOf(
  { schedule, random }: DeliverDeps,
  { kind, attemptsBefore }: LeasedCallout,
  outcome: AttemptOutcome,
  number: number,
): Settlement['next'] {
  const finishedAt = new Date();
  const waits = kind === 'test' ? noRetries : schedule;
  const verdict = judgeAttempt(outcome, number - attemptsBefore, waits, finishedAt, random);
  if (verdict.kind === 'delivered') return { kind: 'ended', state: 'delivered' };
  if (verdict.kind === 'failed') return { kind: 'ended', state: 'failed', isGone: verdict.deactivateWebhook };
  return { kind: 'retry', waitMs: Math.max(0, verdict.at.getTime() - finishedAt.getTime()) };
}

function whatCame(
  outcome: AttemptOutcome,
): Pick<Settlement['attempt'], 'status' | 'responseHeaders' | 'responseBody' | 'failureReason' | 'failure'> {
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

function logAttempt(
  log: Logger,
  callout: LeasedCallout,
  number: number,
  outcome: AttemptOutcome,
  next: Settlement['next'],
): void {
  log.info(
    {
      calloutId: callout.id,
      webhookKey: callout.webhookKey,
      attempt: number,
      status: outcome.kind === 'answered' ? outcome.status : undefined,
      failure: outcome.kind === 'failed' ? outcome.reason : undefined,
      durationMs: Math.round(outcome.durationMs),
      next: next.kind === 'ended' ? next.state : `retry in ${Math.round(next.waitMs / 1000)} s`,
    },
    'attempt',
  );
}
