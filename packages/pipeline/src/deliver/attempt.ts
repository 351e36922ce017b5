import type { RetrySchedule } from '../settle/retry.rules.ts';
import { headersOfAttempt } from './sign.rules.ts';
import { withRoutingKey } from '@callout/domain/alert/pagerduty';
import { type AttemptOutcome, isDelivered, isNotMade } from '@callout/domain/outcome/outcome';
import { settlementOf, type Settlement } from '../settle/settlement.rules.ts';
import type { OutboundRequest } from '@callout/outbound/send';
import { newId } from '@callout/database/schema/ids';
import type { Logger } from '@callout/runtime/log/logger';
import type { Span, Tracing } from '@callout/runtime/tracing';
import type { NotMadeReason } from '../settle/delivery-metrics.ts';
import type { CallResult } from './lane-slots.ts';
import type { LeasedCallout } from './claim.ts';
import { sendWithCredentials } from './receiver/send-with-credentials.ts';
import type { Tokens } from './receiver/tokens.ts';
import type { Target, TargetCredentials, Targets } from './targets.ts';
import { mayHaveChanged } from '@callout/domain/callout/claimed';

export interface AttemptDeps {
  targetOf: Targets;
  send: (request: OutboundRequest) => Promise<AttemptOutcome>;
  /** Gets the tokens of webhooks that need one. */
  tokenFor: Tokens;
  /** Ends the lease: the callout may be sent again after `waitMs`. */
  reschedule: (callout: LeasedCallout, waitMs: number) => Promise<void>;
  /** Makes the bytes of a callout final; null: it is not open under its lease any more. */
  fixBody: (callout: LeasedCallout) => Promise<LeasedCallout | null>;
  schedule: RetrySchedule;
  /** How long leases last. */
  leaseMs: number;
  /** The longest that a call takes. */
  callTimeoutMs: number;
  /** A monotonic clock in milliseconds, by which leases are measured. */
  nowMs: () => number;
  /** Whether the time of this machine may be signed. */
  isClockRight: () => boolean;
  userAgent: string;
  random: () => number;
  /** Reports why a callout is given back without a call. */
  onNotMade: (reason: NotMadeReason) => void;
  /** Traces each attempt; absent when tracing is off. */
  tracing?: Pick<Tracing, 'begin'> | undefined;
  log: Logger;
}

const busyWaitMs = 1_000;
/** A target that cannot be read usually stays so for longer than a few seconds. */
const noTargetWaitMs = 30_000;
/**
 * How late a call may be that counts for a rate. Together with the calls that may be made up for (`keptAllowanceMs`), calls
 * of a process that was held up make no more than a burst of a second.
 */
const maxRatedAgeMs = 400;
/** The receiver was not called, or it is unknown whether it was. */
export const noSignal: CallResult = { signal: 'none', durationMs: 0 };

/**
 * One attempt of one claimed callout: sign, send, judge. Calls `answered` when the call to the receiver is over.
 * @returns the result of the attempt, to be settled; null when no attempt was made and the callout is rescheduled.
 * @throws when our own code fails: the lease runs out and the callout is claimed again.
 */
export async function attempt(
  deps: AttemptDeps,
  claimed: LeasedCallout,
  answered: (result: CallResult) => void,
): Promise<Settlement | null> {
  const rescheduled = async (waitMs: number, reason: NotMadeReason): Promise<null> => {
    answered(noSignal);
    deps.onNotMade(reason);
    await deps.reschedule(claimed, waitMs);
    return null;
  };
  const target = await findTarget(deps, claimed);
  if (!target) return rescheduled(noTargetWaitMs, 'targetUnreadable');
  const callout = mayHaveChanged(claimed, target) ? await deps.fixBody(claimed) : claimed;
  if (callout === null) return rescheduled(0, 'ended');
  if (deps.nowMs() + deps.leaseMs / 2 > callout.leaseEndsAtMs) {
    // PostgreSQL took so long that the lease may end before it is renewed, and another worker would send the callout, too.
    const { id: calloutId, webhookKey } = callout;
    deps.log.warn({ calloutId, webhookKey }, 'given back unsent: too little of its lease was left');
    return rescheduled(0, 'leaseTooShort');
  }
  const isLate = () => callout.isRated === true && deps.nowMs() - claimedAtMs(deps, callout) > maxRatedAgeMs;
  if (isLate()) return rescheduled(0, 'rateElapsed');
  if (!deps.isClockRight()) return rescheduled(busyWaitMs, 'clockWrong');
  const startedAt = new Date();
  const number = callout.attemptsMade + 1;
  const span = deps.tracing?.begin('attempt', 'client', callout.traceParent);
  const own = credentialsFor(callout, target);
  const sent = own?.credentials.routingKey === undefined ? callout : withKey(callout, own.credentials.routingKey);
  const traced = span === undefined ? sent : { ...sent, traceParent: span.traceParent };
  const request = requestOf(deps, traced, target, { attemptNumber: number, now: startedAt });
  const outcome = await (own === undefined ? deps.send(request) : sendWithCredentials(deps, own, request, isLate));
  if (outcome === 'late') {
    span?.end({ attributes: { 'callout.id': callout.id, 'callout.attempt': number } });
    return rescheduled(0, 'rateElapsed');
  }
  span?.end(spanEndOf(callout, number, outcome));
  if (isNotMade(outcome)) return rescheduled(busyWaitMs, 'noConnection');
  const finishedAt = new Date();
  const settlement = settlementOf(
    {
      id: newId(),
      callout,
      number,
      startedAt,
      finishedAt,
      url: request.url,
      requestHeaders: own === undefined ? request.headers : { ...own.credentials.loggedHeaders, ...request.headers },
      outcome,
    },
    deps.schedule,
    deps.random,
  );
  answered({ signal: settlement.signal, durationMs: outcome.durationMs });
  logAttempt(deps.log, callout, number, outcome, settlement.next);
  return settlement;
}

/** When the lease began: before the claim was sent, so never later than the calls were counted. */
function claimedAtMs({ leaseMs }: AttemptDeps, { leaseEndsAtMs }: LeasedCallout): number {
  return leaseEndsAtMs - leaseMs;
}

/** Returns null, and logs why, when the target cannot be read, perhaps since the key ring lacks the key of a secret. */
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
  { url, deactivationUrl, signingKeys }: Target,
  { attemptNumber, now }: { attemptNumber: number; now: Date },
): { url: string; headers: Record<string, string>; body: Buffer } {
  const body = Buffer.from(callout.body, 'utf8');
  const headers = headersOfAttempt(callout, { signingKeys, attemptNumber, body, now, userAgent });
  return { url: callout.kind === 'deactivation' ? deactivationUrl : url, headers, body };
}

/** The callout with the bytes that are sent and signed; the log shows a mask in place of the key. */
function withKey(callout: LeasedCallout, routingKey: string): LeasedCallout {
  return { ...callout, body: withRoutingKey(callout.body, routingKey) };
}

/** Credentials are of the receiver that they were given for: a deactivation call to another one has none. */
function credentialsFor({ kind }: LeasedCallout, { credentials }: Target): TargetCredentials | undefined {
  return kind === 'deactivation' && credentials?.isForDeactivation === false ? undefined : credentials;
}

/** Describes an error without the address and the body, which both belong to the customer. */
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
