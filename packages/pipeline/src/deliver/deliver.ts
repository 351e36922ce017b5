import { hasFailed, settlementOf, type Settlement } from '../settle/settlement.rules.ts';
import { keptResultMs, type Results } from '../settle/results.ts';
import type { RetrySchedule } from '../settle/retry.rules.ts';
import { headersOfAttempt } from './sign.rules.ts';
import { withRoutingKey } from '@callout/domain/alert/pagerduty';
import { type AttemptOutcome, isDelivered, isNotMade } from '@callout/domain/outcome/outcome';
import type { OutboundRequest } from '@callout/outbound/send';
import { newId } from '@callout/database/schema/ids';
import type { Logger } from '@callout/runtime/log/logger';
import type { Span, Tracing } from '@callout/runtime/tracing';
import type { DeliveryMetrics, NotMadeReason } from '../settle/delivery-metrics.ts';
import type { LeasedCallout } from './claim.ts';
import type { CallResult } from './engine/lane-limits.ts';
import { sendWithCredentials } from './receiver/send-with-credentials.ts';
import type { Tokens } from './receiver/tokens.ts';
import type { Target, TargetCredentials, Targets } from './targets.ts';
import { mayHaveChanged } from '@callout/domain/callout/claimed';

export interface DeliverDeps {
  targetOf: Targets;
  send: (request: OutboundRequest) => Promise<AttemptOutcome>;
  /** Gets the tokens of webhooks that need one. */
  tokenFor: Tokens;
  /** Ends the lease: the callout may be sent again after `waitMs`. */
  reschedule: (callout: LeasedCallout, waitMs: number) => Promise<void>;
  /** Makes the bytes of a callout final; null: the callout is not open under the lease any more. */
  fixBody: (callout: LeasedCallout) => Promise<LeasedCallout | null>;
  schedule: RetrySchedule;
  /** How long leases last. */
  leaseMs: number;
  /** The longest that a call takes. */
  callTimeoutMs: number;
  /** A monotonic clock in milliseconds, by which leases are measured. */
  nowMs: () => number;
  /** Whether the time of the machine may be signed. */
  isClockRight: () => boolean;
  userAgent: string;
  random: () => number;
  results: Pick<Results, 'add' | 'hurry'>;
  metrics: Pick<DeliveryMetrics, 'onCall' | 'onNotMade'>;
  /** Traces each attempt; absent when tracing is off. */
  tracing?: Pick<Tracing, 'begin'> | undefined;
  log: Logger;
}

/**
 * How late a call may be that counts for a rate. Together with the calls that may be made up for (`keptAllowanceMs`), calls
 * of a process that was held up make no more than a burst of a second.
 */
const maxRatedAgeMs = 400;

/** How long a callout waits after it was claimed and not sent, by the reason. */
const waitsMs: Readonly<Record<NotMadeReason, number>> = {
  // A target that cannot be read usually stays unreadable for longer than a few seconds.
  targetUnreadable: 30_000,
  ended: 0,
  leaseTooShort: 0,
  rateElapsed: 0,
  clockWrong: 1_000,
  noConnection: 1_000,
};

/**
 * The stage in plain, for a callout that the process has leased (`claim.ts`): sign, send, and give the result to
 * settle. `engine` decides when, and for how many callouts at once. Never rejects: a callout whose result is not stored is
 * sent again when the lease has ended.
 * @param answered called with the result of the call as soon as settle has the result.
 */
export async function deliver(
  deps: DeliverDeps,
  callout: LeasedCallout,
  answered: (result: CallResult) => void,
): Promise<void> {
  const { results, metrics, nowMs, log } = deps;
  try {
    const settlement = await attempt(deps, callout);
    if (settlement === null) return;
    metrics.onCall({ callout, attempt: settlement.attempt });
    const settled = results.add(settlement, nowMs() + keptResultMs);
    if (hasFailed(settlement) || callout.kind === 'test') results.hurry();
    answered({ signal: settlement.signal, durationMs: settlement.attempt.durationMs });
    await settled;
  } catch (err) {
    log.error(
      { err, calloutId: callout.id, webhookKey: callout.webhookKey },
      'attempt not made, or its result not stored: it is made again when its lease has ended',
    );
  }
}

/**
 * One attempt of a callout.
 * @returns the result, to be settled; null when no attempt was made and the callout is rescheduled.
 * @throws when our own code fails: the lease runs out and the callout is claimed again.
 */
async function attempt(deps: DeliverDeps, callout: LeasedCallout): Promise<Settlement | null> {
  const result = await callReceiver(deps, callout);
  if (typeof result !== 'string') return result;
  deps.metrics.onNotMade(result);
  await deps.reschedule(callout, waitsMs[result]);
  return null;
}

/** Signs and sends a callout. @returns what the answer means, or why there was no call. */
async function callReceiver(deps: DeliverDeps, claimed: LeasedCallout): Promise<Settlement | NotMadeReason> {
  const target = await findTarget(deps, claimed);
  if (!target) return 'targetUnreadable';
  const callout = mayHaveChanged(claimed, target) ? await deps.fixBody(claimed) : claimed;
  if (callout === null) return 'ended';
  const reason = reasonNotToCall(deps, callout);
  if (reason !== null) return reason;

  const startedAt = new Date();
  const number = callout.attemptsMade + 1;
  const span = deps.tracing?.begin('attempt', 'client', callout.traceParent);
  const extras = credentialsFor(callout, target);
  const request = requestOf(deps, target, { callout, number, startedAt, extras, traceParent: span?.traceParent });
  const outcome =
    extras === undefined
      ? await deps.send(request)
      : await sendWithCredentials(deps, extras, request, () => isLate(deps, callout));
  span?.end(spanEndOf(callout, number, outcome));
  if (outcome === 'late') return 'rateElapsed';
  if (isNotMade(outcome)) return 'noConnection';

  const requestHeaders = extras ? { ...extras.credentials.loggedHeaders, ...request.headers } : request.headers;
  const settlement = settlementOf(
    { id: newId(), callout, number, startedAt, finishedAt: new Date(), url: request.url, requestHeaders, outcome },
    deps.schedule,
    deps.random,
  );
  logAttempt(deps.log, callout, number, outcome, settlement.next);
  return settlement;
}

function reasonNotToCall(deps: DeliverDeps, callout: LeasedCallout): NotMadeReason | null {
  if (deps.nowMs() + deps.leaseMs / 2 > callout.leaseEndsAtMs) {
    // PostgreSQL took long: the lease may end before a renewal, and another worker would send the callout, too.
    const { id: calloutId, webhookKey } = callout;
    deps.log.warn({ calloutId, webhookKey }, 'given back unsent: too little of its lease was left');
    return 'leaseTooShort';
  }
  if (isLate(deps, callout)) return 'rateElapsed';
  return deps.isClockRight() ? null : 'clockWrong';
}

/** Whether a call that counts for a rate may not begin any more. The lease began before the call was counted. */
function isLate({ leaseMs, nowMs }: DeliverDeps, { isRated, leaseEndsAtMs }: LeasedCallout): boolean {
  return isRated === true && nowMs() - (leaseEndsAtMs - leaseMs) > maxRatedAgeMs;
}

/** Returns null, and logs why, when the target cannot be read, perhaps since the key ring lacks the key of a secret. */
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

/** What an attempt sends. */
interface CallToMake {
  callout: LeasedCallout;
  number: number;
  startedAt: Date;
  extras: TargetCredentials | undefined;
  /** The span of the attempt; undefined when tracing is off. */
  traceParent: string | undefined;
}

function requestOf(
  { userAgent }: DeliverDeps,
  { url, deactivationUrl, signingKeys }: Target,
  { callout, number, startedAt, extras, traceParent }: CallToMake,
): { url: string; headers: Record<string, string>; body: Buffer } {
  const routingKey = extras?.credentials.routingKey;
  // The log shows a mask in place of the key.
  const text = routingKey === undefined ? callout.body : withRoutingKey(callout.body, routingKey);
  const body = Buffer.from(text, 'utf8');
  const traced = traceParent === undefined ? callout : { ...callout, traceParent };
  const headers = headersOfAttempt(traced, { signingKeys, attemptNumber: number, body, now: startedAt, userAgent });
  return { url: callout.kind === 'deactivation' ? deactivationUrl : url, headers, body };
}

/** Credentials belong to a receiver: a deactivation call to another receiver carries no credentials. */
function credentialsFor({ kind }: LeasedCallout, { credentials }: Target): TargetCredentials | undefined {
  return kind === 'deactivation' && credentials?.isForDeactivation === false ? undefined : credentials;
}

/** Describes an error without the address and the body, which both belong to the customer. */
function spanEndOf(
  { id }: LeasedCallout,
  number: number,
  outcome: AttemptOutcome | 'late',
): Parameters<Span['end']>[0] {
  const callout = { 'callout.id': id, 'callout.attempt': number };
  if (outcome === 'late') return { attributes: callout };
  const attributes = { ...callout, 'http.request.method': 'POST' };
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
