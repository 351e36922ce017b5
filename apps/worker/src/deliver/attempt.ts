import {
  type AttemptOutcome,
  bodyCuts,
  calloutHeaders,
  describeProblem,
  isNotMade,
  judgeAttempt,
  redactSignatures,
  type RetrySchedule,
  signalOf,
} from '@callout/core/deliver';
import type { Settlement } from '@callout/core/settle';
import { newId } from '@callout/db/schema';
import type { Logger } from '@callout/runtime/log';
import type { NotMadeReason } from '../metrics/delivery-metrics.ts';
import type { CallResult } from './lanes/lane-limits.ts';
import type { LeasedCallout } from './lease.ts';
import type { Target, Targets } from './targets.ts';

export interface AttemptDeps {
  targetOf: Targets;
  send: (request: { url: string; headers: Record<string, string>; body: Buffer }) => Promise<AttemptOutcome>;
  /** Ends the lease: the callout may be sent again after `waitMs`. */
  reschedule: (callout: LeasedCallout, waitMs: number) => Promise<void>;
  schedule: RetrySchedule;
  /** The most that a call takes. */
  callTimeoutMs: number;
  /** Milliseconds, rising: the clock of leases. */
  nowMs: () => number;
  userAgent: string;
  random: () => number;
  /** Told why a callout is given back without a call. */
  onNotMade: (reason: NotMadeReason) => void;
  log: Logger;
}

/** Who asks for a test waits for its one attempt. */
const noRetries: RetrySchedule = { waitsMs: [], jitter: 0 };

const busyWaitMs = 1_000;
/** What keeps a target from being read does not pass by itself within seconds. */
const noTargetWaitMs = 30_000;
/** The receiver was not asked, or it is not known whether it was. */
export const nothingLearned: CallResult = { signal: 'none', durationMs: 0 };

/**
 * One attempt of one claimed callout: sign, send, judge. Calls `answered` when the receiver is done with it.
 * @returns what follows from it, to be settled; null: no attempt was made, and the callout is rescheduled.
 * @throws when something here fails: the lease runs out and the callout is claimed again.
 */
export async function attempt(
  deps: AttemptDeps,
  callout: LeasedCallout,
  answered: (result: CallResult) => void,
): Promise<Settlement | null> {
  const rescheduled = async (waitMs: number, reason: NotMadeReason): Promise<null> => {
    answered(nothingLearned);
    deps.onNotMade(reason);
    await deps.reschedule(callout, waitMs);
    return null;
  };
  const target = await findTarget(deps, callout);
  if (!target) return rescheduled(noTargetWaitMs, 'targetUnreadable');
  if (deps.nowMs() + deps.callTimeoutMs > callout.leaseEndsAtMs) {
    // PostgreSQL took so long that another worker could send it, too, while this call is under way.
    const { id: calloutId, webhookKey } = callout;
    deps.log.warn({ calloutId, webhookKey }, 'given back unsent: too little of its lease was left (LEASE_MS)');
    return rescheduled(0, 'leaseTooShort');
  }
  const startedAt = new Date();
  const number = callout.attemptsMade + 1;
  const request = requestOf(deps, callout, target, number, startedAt);
  const outcome = await deps.send(request);
  if (isNotMade(outcome)) return rescheduled(busyWaitMs, 'noConnection');
  const signal = signalOf(outcome);
  answered({ signal, durationMs: outcome.durationMs });
  const next = nextOf(deps, callout, outcome, number);
  logAttempt(deps.log, callout, number, outcome, next);
  return {
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
}

/** Null, and said so, when it cannot be had, perhaps since the key ring lacks the key of a secret. */
async function findTarget({ targetOf, log }: AttemptDeps, callout: LeasedCallout): Promise<Target | null> {
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
  { userAgent }: AttemptDeps,
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
  { schedule, random }: AttemptDeps,
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
