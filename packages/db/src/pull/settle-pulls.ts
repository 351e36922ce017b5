import { headersOfAttempt, prepareSecret, pullOutcome, pullUrl, type PullWord } from '@callout/core/deliver';
import type { RetrySchedule } from '@callout/core/deliver';
import { type Settlement, settlementOf, type SettleRules, withoutLate } from '@callout/core/settle';
import type { Pool } from 'pg';
import type { Client } from '../connection/database.ts';
import { statement } from '../connection/statement/statement.ts';
import { newId } from '../schema/ids.ts';
import { settleAttempts } from '../settle/settle-attempts.ts';
import { endPullLeases, type PullLease, type PullOutcome } from './pull-leases.ts';

/** What is said of a lease. */
export interface SaidOfLease {
  lease: PullLease;
  word: PullWord;
}

export interface PullRules extends SettleRules {
  schedule: RetrySchedule;
  userAgent: string;
}

export interface SettledPulls {
  /**
   * What became of each lease, by its name: `lapsed` also where the lease had ended before. Nothing of a webhook whose tenant
   * is being moved to another zone, unless it was settled before.
   */
  outcomes: Map<string, PullOutcome>;
  /** Those that were settled now. */
  settlements: readonly Settlement[];
  /** Webhooks that have something to hand out, or to send, because of it. */
  dueWebhookKeys: number[];
}

/** Signatures are not kept: what would sign, and what would be signed, does not matter. */
const noSecret = prepareSecret('');
const noBody = Buffer.alloc(0);

/**
 * Settles what became of callouts that were handed out, as the results of attempts that were sent: only the holder of a
 * lease may, so of two acknowledgements of one callout the first counts.
 */
export async function settlePulls(pool: Pool, said: readonly SaidOfLease[], rules: PullRules): Promise<SettledPulls> {
  const known = new Map<string, PullOutcome>();
  for (const { lease } of said) if (lease.outcome !== null) known.set(lease.id, lease.outcome);
  const open = said.filter(({ lease }) => lease.outcome === null);
  if (open.length === 0) return { outcomes: known, settlements: [], dueWebhookKeys: [] };
  const settlements = open.map((one) => settlementOfPull(one, rules));
  const { lateCalloutIds, dueWebhookKeys } = await settleAttempts(pool, settlements, rules);
  const late = new Set(lateCalloutIds);
  // What is delivered stays so: perhaps by this very acknowledgement, whose answer got lost.
  const delivered = late.size === 0 ? new Set() : await deliveredAmong(pool, lateCalloutIds);
  // Moving a tenant takes the leases over: the acknowledgement counts where the tenant is then.
  const moving = await movingAmong(pool, late.size === 0 ? [] : open.map(({ lease }) => lease.webhookKey));
  const isKept = ({ calloutId, webhookKey }: PullLease) =>
    late.has(calloutId) && !delivered.has(calloutId) && moving.has(webhookKey);
  const told = open.filter(({ lease }) => !isKept(lease));
  const ended = told.map(({ lease: { id, calloutId }, word }) => ({
    id,
    outcome: late.has(calloutId)
      ? delivered.has(calloutId)
        ? ('acked' as const)
        : ('lapsed' as const)
      : outcomeOf(word),
  }));
  await endPullLeases(pool, ended);
  for (const { id, outcome } of ended) known.set(id, outcome);
  return {
    outcomes: known,
    settlements: withoutLate(settlements, lateCalloutIds),
    dueWebhookKeys,
  };
}

function settlementOfPull({ lease, word }: SaidOfLease, { schedule, userAgent, random }: PullRules): Settlement {
  const { id: _name, calloutId, handedOutAt, now, number, ...rest } = lease;
  const callout = { ...rest, id: calloutId };
  const traceParent = callout.traceParent ?? undefined;
  const attempt = { secretKeys: { current: noSecret }, number, body: noBody, now: handedOutAt, userAgent, traceParent };
  const finished = {
    id: newId(),
    callout,
    number,
    startedAt: handedOutAt,
    finishedAt: now,
    url: pullUrl,
    requestHeaders: headersOfAttempt(callout, attempt),
    outcome: pullOutcome(word, Math.max(0, now.getTime() - handedOutAt.getTime())),
  };
  return settlementOf(finished, word.kind === 'notFetched' ? noRetries : schedule, random);
}

const noRetries: RetrySchedule = { waitsMs: [], jitter: 0 };

function outcomeOf({ kind }: PullWord): PullOutcome {
  if (kind === 'acked') return 'acked';
  return kind === 'nacked' ? 'nacked' : 'lapsed';
}

const findDelivered = statement<{ id: string }>(
  'pull_find_delivered',
  `SELECT d.id FROM unnest($1::uuid[]) AS u (id),
     LATERAL (SELECT id, state FROM callouts WHERE id = u.id OFFSET 0) AS d WHERE d.state = 'delivered'`,
);

async function deliveredAmong(pool: Pool, calloutIds: readonly string[]): Promise<Set<unknown>> {
  return new Set((await findDelivered(pool, [calloutIds])).map(({ id }) => id));
}

const findMoving = statement<{ key: number }>(
  'pull_find_moving',
  'SELECT key FROM webhooks WHERE key = ANY($1::bigint[]) AND is_moving',
);

/** Which of these webhooks belong to a tenant that is being moved to another zone. */
export async function movingAmong(client: Client, webhookKeys: readonly number[]): Promise<Set<number>> {
  if (webhookKeys.length === 0) return new Set();
  return new Set((await findMoving(client, [webhookKeys])).map(({ key }) => key));
}
