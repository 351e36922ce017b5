import type { Contender } from '../limits/share-grants.rules.ts';
import type { Pool } from 'pg';
import { newId } from '@callout/database/schema/ids';
import { statementFrom } from '@callout/database/connection/statement/statement';
import { withBodies } from '../payload/callout-bodies.ts';
import type { ClaimedCallout } from '@callout/domain/callout/claimed';
import { endLeases, holdCallouts } from '../limits/hold.ts';
import type { PullClaim } from '../limits/release-held.ts';
import { keepingRoom, type LongBodies } from '../payload/long-bodies.ts';
import { endCalls, giveBackCalls, openRates } from '../limits/limited-calls.ts';
import { giveBackFirstAttempt, grantFirstAttempts } from '../limits/threshold.ts';

interface ClaimedRow extends Omit<ClaimedCallout, 'body'> {
  bodyBytes: number;
  /** The threshold of the tenant; null: the threshold of the installation. */
  threshold: number | null;
}

/**
 * What a claim found at the limits of a webhook that limits calls. `taken`: calls begin, `open`: no callout is due, or all
 * places are occupied; `closed`: the rate allows no call yet; `locked`: another claim was looking; `absent`: the first
 * claim since the webhook has limits.
 */
export interface RateGate {
  webhookKey: number;
  gate: 'taken' | 'open' | 'closed' | 'locked' | 'absent';
  /** Until the rate allows the next call. Not positive: the rate allows a call now. */
  opensInMs: number | null;
}

/** A callout, or a gate: then there is no id. */
type DueRow = (ClaimedRow & { gate: null }) | (RateGate & { id: null });

const claim = statementFrom<DueRow>('deliver/delivery_claim');

/** The free slots of a webhook. */
export interface FreeSlots {
  webhookKey: number;
  slots: number;
}

export interface ClaimRules {
  /** Longer than the time limit of a call; otherwise a second worker would send a callout that is still being sent. */
  leaseMs: number;
  /** First attempts per tenant and entity in any 3,600 s, where the tenant has no threshold; 0: no limit. */
  threshold: number;
  /** Reports how many callouts a threshold holds. */
  onHeld?: (callouts: number) => void;
  /** Called with the limits that the claim found; not called without webhooks that limit calls. */
  onGates?: (gates: readonly RateGate[]) => void;
  /** Where room is taken for long bodies, to be released when sent; absent: there is no limit. */
  longBodies?: LongBodies;
}

/**
 * Leases due callouts, of each webhook the longest due first, and no more than the limits of the webhook allow. First
 * attempts that would exceed the threshold of tenant and entity are held instead, and are not returned. Leases of callouts
 * for whose bodies there is no room end at once, before the bodies are read.
 */
export async function claimDueCallouts(
  pool: Pool,
  wanted: readonly FreeSlots[],
  rules: ClaimRules,
): Promise<ClaimedCallout[]> {
  const { longBodies } = rules;
  const claimed = await claimWithinLimits(pool, wanted, rules);
  const fitting = claimed.filter((callout) => longBodies?.take(callout) ?? true);
  return keepingRoom(longBodies, fitting, async () => {
    if (fitting.length < claimed.length) await giveBack(pool, without(claimed, fitting));
    return withBodies(pool, await withoutHeld(pool, fitting, rules));
  });
}

/** Callouts that were neither sent nor counted for a threshold are due as before. */
async function giveBack(pool: Pool, callouts: readonly ClaimedRow[]): Promise<void> {
  await endLeases(pool, callouts);
  await endCalls(pool, callouts);
  await giveBackCalls(pool, callouts);
}

function without<Row extends { id: string }>(all: readonly Row[], some: readonly { id: string }[]): Row[] {
  const ids = new Set(some.map(({ id }) => id));
  return all.filter(({ id }) => !ids.has(id));
}

async function claimWithinLimits(
  pool: Pool,
  wanted: readonly FreeSlots[],
  { leaseMs, onGates }: Pick<ClaimRules, 'leaseMs' | 'onGates'>,
): Promise<ClaimedRow[]> {
  const rows = await claim(pool, [wanted.map((w) => w.webhookKey), wanted.map((w) => w.slots), newId(), leaseMs]);
  const gates = rows.filter((row) => row.gate !== null);
  const claimed = rows.filter((row) => row.gate === null);
  if (gates.length === 0) return claimed;
  const absent = new Set(gates.flatMap(({ webhookKey, gate }) => (gate === 'absent' ? [webhookKey] : [])));
  onGates?.(gates.filter(({ webhookKey }) => !absent.has(webhookKey)));
  if (absent.size === 0) return claimed;
  await openRates(pool, [...absent]);
  const late = wanted.filter(({ webhookKey }) => absent.has(webhookKey));
  return [...claimed, ...(await claimWithinLimits(pool, late, { leaseMs, ...(onGates && { onGates }) }))];
}

const claimPulled = statementFrom<Omit<ClaimedRow, 'bodyBytes'>>('pull/pull_claim');

/** As `claimDueCallouts`, for the program that fetches the callouts of a webhook. */
export async function claimPulledCallouts(
  pool: Pool,
  { webhookKey, most, mostBytes }: PullClaim,
  rules: ClaimRules,
): Promise<ClaimedCallout[]> {
  const values = [webhookKey, most, newId(), rules.leaseMs, mostBytes];
  return withBodies(pool, await withoutHeld(pool, await claimPulled(pool, values), rules));
}

/** Counts first attempts for the thresholds, and holds callouts above a threshold. */
async function withoutHeld<Row extends Omit<ClaimedRow, 'bodyBytes'>>(
  pool: Pool,
  claimed: readonly Row[],
  { threshold, onHeld }: Omit<ClaimRules, 'leaseMs'>,
): Promise<Row[]> {
  const contenders = claimed.flatMap((callout): Contender[] => {
    const limit = callout.threshold ?? threshold;
    return limit > 0 && isFirstAttempt(callout) ? [{ ...callout, limit }] : [];
  });
  if (contenders.length === 0) return [...claimed];
  const { held, countedAt } = await grantFirstAttempts(pool, contenders);
  if (held.length > 0) {
    onHeld?.(held.length);
    await holdCallouts(pool, held);
  }
  const heldIds = new Set(held.map(({ id }) => id));
  const notMade = claimed.filter(({ id }) => heldIds.has(id));
  await endCalls(pool, notMade);
  await giveBackCalls(pool, notMade);
  return claimed.flatMap((callout) =>
    heldIds.has(callout.id) ? [] : { ...callout, countedAt: countedAt.get(callout.id) ?? null },
  );
}

/** Redeliveries, tests and deactivation calls do not count for the threshold. */
function isFirstAttempt({ kind, attemptsMade, isRedelivery }: Omit<ClaimedRow, 'bodyBytes'>): boolean {
  return kind === 'event' && attemptsMade === 0 && !isRedelivery;
}

const reschedule = statementFrom('deliver/delivery_reschedule');

const rescheduleProbe = statementFrom('deliver/delivery_reschedule_probe');

/**
 * Ends a lease under which no request was made: the callout is due again after `waitMs`, and a count for the threshold, as
 * a first attempt, or for the rate of the webhook is reversed. A probe is due when the callout was due before.
 */
export async function rescheduleCallout(
  pool: Pool,
  callout: Pick<
    ClaimedCallout,
    'id' | 'webhookKey' | 'leaseOwner' | 'tenantId' | 'entityType' | 'countedAt' | 'holdsPlace' | 'isRated' | 'aheadMs'
  >,
  waitMs: number,
): Promise<void> {
  await reschedule(pool, [callout.id, callout.leaseOwner, Math.max(waitMs, callout.aheadMs ?? 0)]);
  // Not in one transaction: each row comes before callouts in the order of locks.
  await rescheduleProbe(pool, [callout.webhookKey, callout.leaseOwner, waitMs]);
  await giveBackFirstAttempt(pool, callout);
  await giveBackCalls(pool, [callout]);
}

/** A callout that only this process may send until the lease ends. */
export interface LeasedCallout extends ClaimedCallout {
  /** Until when this process may rely on the lease, in milliseconds of `performance.now()`. */
  leaseEndsAtMs: number;
}

/**
 * Claims callouts and computes when the leases end. The time is measured from before the claim was sent, so the end is
 * never later than by the clock of PostgreSQL, however long the claim took.
 */
export async function withLeaseEnd(
  claim: () => Promise<ClaimedCallout[]>,
  leaseMs: number,
  nowMs: () => number,
): Promise<LeasedCallout[]> {
  const leaseEndsAtMs = nowMs() + leaseMs;
  return (await claim()).map((callout) => ({ ...callout, leaseEndsAtMs }));
}
