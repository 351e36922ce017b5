import { headersOfAttempt, prepareSecret } from '../deliver/sign.rules.ts';
import { usesSecret } from '@callout/domain/callout/signature-kind';
import { pullOutcome, type PullResult } from '@callout/domain/outcome/pull-outcome';
import { pullUrl } from '@callout/domain/target/delivery-mode';
import { noRetries, type RetrySchedule } from '../settle/retry.rules.ts';
import type { SettleRules } from '../settle/judge-settlements.rules.ts';
import { settlementOf, type Settlement, withoutLate } from '../settle/settlement.rules.ts';
import type { Pool } from 'pg';
import type { Client } from '@callout/database/connection/database';
import { statementFrom } from '@callout/database/connection/statement/statement';
import { newId } from '@callout/database/schema/ids';
import { settleAttempts } from '../settle/settle.ts';
import { outcomeOfPull, type PullOutcome } from './acknowledgement.rules.ts';
import { endPullLeases, type PullLease } from './pull-leases.ts';

/** The result of a lease: an acknowledgement, a refusal, or no answer. */
export interface LeaseResult {
  lease: PullLease;
  result: PullResult;
}

export interface PullRules extends SettleRules {
  schedule: RetrySchedule;
  userAgent: string;
}

export interface SettledPulls {
  /**
   * The result of each lease by the id of the lease: `lapsed` also where the lease had ended before. Leases of a webhook
   * whose tenant is being moved to another zone have no result, unless settled before.
   */
  outcomes: Map<string, PullOutcome>;
  /** The results that were settled now. */
  settlements: readonly Settlement[];
  /** Webhooks with callouts that became due. */
  dueWebhookKeys: number[];
}

/** Signatures are not stored, only whether a secret signs: neither the secret nor the body matters. */
const byNoSecret = { hmac: { current: prepareSecret('') } };
const noBody = Buffer.alloc(0);

/**
 * Settles the results of callouts that were handed out, like results of attempts that were sent: only the holder of a
 * lease may, so of two acknowledgements of a callout the first counts.
 */
export async function settlePulls(
  pool: Pool,
  results: readonly LeaseResult[],
  rules: PullRules,
): Promise<SettledPulls> {
  const outcomes = new Map<string, PullOutcome>();
  for (const { lease } of results) if (lease.outcome !== null) outcomes.set(lease.id, lease.outcome);
  const unsettled = results.filter(({ lease }) => lease.outcome === null);
  if (unsettled.length === 0) return { outcomes, settlements: [], dueWebhookKeys: [] };
  const settlements = unsettled.map((result) => settlementOfPull(result, rules));
  const { lateCalloutIds, dueWebhookKeys } = await settleAttempts(pool, settlements, rules);
  const late = new Set(lateCalloutIds);
  const delivered = late.size === 0 ? new Set() : await deliveredAmong(pool, lateCalloutIds);
  const moving = await movingAmong(pool, late.size === 0 ? [] : unsettled.map(({ lease }) => lease.webhookKey));
  const ended = unsettled.flatMap(({ lease: { id, calloutId, webhookKey }, result }) => {
    const [isLate, isDelivered, isMoving] = [late.has(calloutId), delivered.has(calloutId), moving.has(webhookKey)];
    const outcome = outcomeOfPull(result, { isLate, isDelivered, isMoving });
    return outcome === null ? [] : [{ id, outcome }];
  });
  await endPullLeases(pool, ended);
  for (const { id, outcome } of ended) outcomes.set(id, outcome);
  return {
    outcomes,
    settlements: withoutLate(settlements, lateCalloutIds),
    dueWebhookKeys,
  };
}

function settlementOfPull({ lease, result }: LeaseResult, { schedule, userAgent, random }: PullRules): Settlement {
  const { id: _name, calloutId, handedOutAt, now, number, signatureKind, ...rest } = lease;
  const callout = { ...rest, id: calloutId };
  const signingKeys = usesSecret(signatureKind ?? 'hmac') ? byNoSecret : {};
  const attempt = { signingKeys, attemptNumber: number, body: noBody, now: handedOutAt, userAgent };
  const finished = {
    id: newId(),
    callout,
    number,
    startedAt: handedOutAt,
    finishedAt: now,
    url: pullUrl,
    requestHeaders: headersOfAttempt(callout, attempt),
    outcome: pullOutcome(result, Math.max(0, now.getTime() - handedOutAt.getTime())),
  };
  return settlementOf(finished, result.kind === 'notFetched' ? noRetries : schedule, random);
}

const findDelivered = statementFrom<{ id: string }>('pull/pull_find_delivered');

async function deliveredAmong(pool: Pool, calloutIds: readonly string[]): Promise<Set<unknown>> {
  return new Set((await findDelivered(pool, [calloutIds])).map(({ id }) => id));
}

const findMoving = statementFrom<{ key: number }>('pull/pull_find_moving');

/** The webhooks that belong to a tenant that is being moved to another zone. */
export async function movingAmong(client: Client, webhookKeys: readonly number[]): Promise<Set<number>> {
  if (webhookKeys.length === 0) return new Set();
  return new Set((await findMoving(client, [webhookKeys])).map(({ key }) => key));
}
