import { calloutHeaders, judgeAttempt, type AttemptOutcome, type RetrySchedule } from '@callout/core';
import { newId, type ClaimedCallout, type Settlement } from '@callout/db';
import type { Logger } from '@callout/runtime';
import type { Targets } from './targets.ts';

export interface DeliverDeps {
  targetOf: Targets;
  send: (request: { url: string; headers: Record<string, string>; body: Buffer }) => Promise<AttemptOutcome>;
  /** Resolves when the result is committed. */
  settle: (settlement: Settlement) => Promise<void>;
  schedule: RetrySchedule;
  userAgent: string;
  random: () => number;
  log: Logger;
}

/** Header values that would let a reader of the delivery log forge a callout. */
const redacted: ReadonlySet<string> = new Set(['x-hook-signature', 'webhook-signature']);

/**
 * One attempt of one claimed callout: sign, send, judge, settle. Calls `answered` when the receiver is done with it, and
 * resolves when the result is committed. Never rejects: when something of ours fails, the lease runs out and the callout
 * is claimed again.
 */
export async function deliver(deps: DeliverDeps, callout: ClaimedCallout, answered: () => void): Promise<void> {
  try {
    await attempt(deps, callout, answered);
  } catch (err) {
    deps.log.error({ err, calloutId: callout.id, webhookKey: callout.webhookKey }, 'attempt not made or not stored');
  }
}

async function attempt(deps: DeliverDeps, callout: ClaimedCallout, answered: () => void): Promise<void> {
  const target = await deps.targetOf(callout.webhookKey, callout.webhookVersion);
  if (!target) throw new Error('the webhook is gone');
  const startedAt = new Date();
  const number = callout.attemptsMade + 1;
  const body = Buffer.from(callout.body, 'utf8');
  const headers = calloutHeaders({
    secretKeys: target.secretKeys,
    calloutId: callout.id,
    attemptNumber: number,
    action: callout.action === 'Deactivated' ? undefined : callout.action,
    eventId: callout.eventId ?? undefined,
    body,
    now: startedAt,
    userAgent: deps.userAgent,
  });
  const outcome = await deps.send({ url: target.url, headers, body });
  answered();
  // This process stops and broke it off: no attempt of the receiver's. Its lease ends, and another worker sends it.
  if (outcome.kind === 'failed' && outcome.reason === 'aborted') return;
  const finishedAt = new Date();
  const verdict = judgeAttempt(outcome, number, deps.schedule, finishedAt, deps.random);
  const next: Settlement['next'] =
    verdict.kind === 'retry'
      ? { kind: 'retry', waitMs: Math.max(0, verdict.at.getTime() - finishedAt.getTime()) }
      : { kind: 'ended', state: verdict.kind };
  logAttempt(deps.log, callout, number, outcome, next);
  await deps.settle({
    calloutId: callout.id,
    tenantId: callout.tenantId,
    webhookKey: callout.webhookKey,
    recordId: callout.recordId,
    leaseOwner: callout.leaseOwner,
    attempt: {
      id: newId(),
      number,
      startedAt,
      durationMs: Math.round(outcome.durationMs),
      url: target.url,
      requestHeaders: JSON.stringify(headers, (name, value: unknown) =>
        redacted.has(name.toLowerCase()) ? '<redacted>' : value,
      ),
      ...whatCame(outcome),
    },
    next,
  });
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
    failure: null,
  };
}

function logAttempt(
  log: Logger,
  callout: ClaimedCallout,
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
