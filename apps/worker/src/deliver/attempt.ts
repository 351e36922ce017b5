import {
  type AttemptOutcome,
  headersOfAttempt,
  isDelivered,
  isNotMade,
  type RetrySchedule,
  signalOf,
} from '@callout/core/deliver';
import { type Settlement, settlementOf } from '@callout/core/settle';
import { newId } from '@callout/db/schema';
import type { Logger } from '@callout/runtime/log';
import type { Span, Tracing } from '@callout/runtime/tracing';
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
  /** Traces each attempt; absent: nothing is traced. */
  tracing?: Pick<Tracing, 'begin'> | undefined;
  log: Logger;
}

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
  const span = deps.tracing?.begin('attempt', 'client', callout.traceParent);
  const traceParent = span?.traceParent ?? callout.traceParent ?? undefined;
  const request = requestOf(deps, callout, target, { number, startedAt, traceParent });
  const outcome = await deps.send(request);
  span?.end(spanEndOf(callout, number, outcome));
  if (isNotMade(outcome)) return rescheduled(busyWaitMs, 'noConnection');
  answered({ signal: signalOf(outcome), durationMs: outcome.durationMs });
  const finishedAt = new Date();
  const settlement = settlementOf(
    {
      id: newId(),
      callout,
      number,
      startedAt,
      finishedAt,
      url: request.url,
      requestHeaders: request.headers,
      outcome,
    },
    deps.schedule,
    deps.random,
  );
  logAttempt(deps.log, callout, number, outcome, settlement.next);
  return settlement;
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
  callout: LeasedCallout,
  { url, deactivationUrl, secretKeys }: Target,
  { number, startedAt: now, traceParent }: { number: number; startedAt: Date; traceParent: string | undefined },
): { url: string; headers: Record<string, string>; body: Buffer } {
  const body = Buffer.from(callout.body, 'utf8');
  const headers = headersOfAttempt(callout, { secretKeys, number, body, now, userAgent, traceParent });
  return { url: callout.kind === 'deactivation' ? deactivationUrl : url, headers, body };
}

/** Neither the address nor what was sent: both are the customer's. */
function spanEndOf({ id }: LeasedCallout, number: number, outcome: AttemptOutcome): Parameters<Span['end']>[0] {
  const attributes = { 'callout.id': id, 'callout.attempt': number, 'http.request.method': 'POST' };
  if (outcome.kind === 'failed') {
    return { attributes: { ...attributes, 'error.type': outcome.reason }, error: outcome.reason };
  }
  const { status } = outcome;
  return {
    attributes: { ...attributes, 'http.response.status_code': status },
    ...(!isDelivered(outcome) && { error: String(status) }),
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
