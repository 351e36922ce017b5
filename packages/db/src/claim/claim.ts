import type { Contender } from '@callout/core/threshold';
import type { Pool } from 'pg';
import { newId } from '../schema/ids.ts';
import { statementFrom } from '../connection/statement/statement.ts';
import { usualDays, withBodies } from './callout-bodies.ts';
import type { ClaimedCallout } from './claimed.ts';
import { holdCallouts } from './threshold/hold.ts';
import { giveBackFirstAttempt, takeFirstAttempts } from './threshold/threshold.ts';

interface ClaimedRow extends ClaimedCallout {
  /** The tenant's own threshold; null: the installation's. */
  threshold: number | null;
}

/** The body of one that is older than most is null. */
const claim = statementFrom<Omit<ClaimedRow, 'body'> & { body: string | null }>('claim/delivery_claim');

/** How many callouts of a webhook there is room for. */
export interface FreeSlots {
  webhookKey: number;
  slots: number;
}

export interface ClaimRules {
  /** Longer than the time limit of a call, or a second worker would send what is still on its way. */
  leaseMs: number;
  /** First attempts per tenant and entity in any 3,600 s, where the tenant has none of its own; 0: no limit. */
  threshold: number;
  /** Told how many callouts a threshold holds back. */
  onHeld?: (callouts: number) => void;
}

/**
 * Leases due callouts, the longest due first of each webhook. First attempts that would go beyond the threshold of their
 * tenant and entity are held instead, and are none of those returned.
 */
export async function claimDueCallouts(
  pool: Pool,
  wanted: readonly FreeSlots[],
  rules: ClaimRules,
): Promise<ClaimedCallout[]> {
  const values = [wanted.map((w) => w.webhookKey), wanted.map((w) => w.slots), newId(), rules.leaseMs];
  const claimed = await claim(pool, [...values, ...usualDays(new Date())]);
  return withoutHeld(pool, await withBodies(pool, claimed), rules);
}

/** A claim of one webhook whose callouts are fetched. */
export interface PullClaim {
  webhookKey: number;
  /** Callouts at most. */
  most: number;
  /** Bytes that their bodies may have altogether; one callout is claimed whatever its size. */
  mostBytes: number;
  /** Between which ids its callouts are looked for: what PostgreSQL may have to look into costs it something. */
  ids: readonly [lowest: string, highest: string];
}

const claimPulled = statementFrom<ClaimedRow>('pull/pull_claim');

/** As `claimDueCallouts`, for the program that fetches the callouts of a webhook. */
export async function claimPulledCallouts(
  pool: Pool,
  { webhookKey, most, mostBytes, ids }: PullClaim,
  rules: ClaimRules,
): Promise<ClaimedCallout[]> {
  const values = [webhookKey, most, newId(), rules.leaseMs, mostBytes, ...ids];
  return withoutHeld(pool, await claimPulled(pool, values), rules);
}

/** Counts first attempts for their thresholds, and holds those that are too many. */
async function withoutHeld(
  pool: Pool,
  claimed: readonly ClaimedRow[],
  { threshold, onHeld }: Omit<ClaimRules, 'leaseMs'>,
): Promise<ClaimedCallout[]> {
  const contenders = claimed.flatMap((callout): Contender[] => {
    const limit = callout.threshold ?? threshold;
    return limit > 0 && isFirstAttempt(callout) ? [{ ...callout, limit }] : [];
  });
  if (contenders.length === 0) return [...claimed];
  const { held, countedAt } = await takeFirstAttempts(pool, contenders);
  if (held.length > 0) {
    onHeld?.(held.length);
    await holdCallouts(pool, held);
  }
  const heldIds = new Set(held.map(({ id }) => id));
  return claimed.flatMap((callout) =>
    heldIds.has(callout.id) ? [] : { ...callout, countedAt: countedAt.get(callout.id) ?? null },
  );
}

/** Redeliveries, tests and deactivation calls do not count for the threshold. */
function isFirstAttempt({ kind, attemptsMade, isRedelivery }: ClaimedRow): boolean {
  return kind === 'event' && attemptsMade === 0 && !isRedelivery;
}

const reschedule = statementFrom('claim/delivery_reschedule');

const rescheduleProbe = statementFrom('claim/delivery_reschedule_probe');

/**
 * Ends a lease under which no request was made: the callout is due again after `waitMs`, and the first attempt that it
 * counted towards its threshold is given back.
 */
export async function rescheduleCallout(
  pool: Pool,
  callout: Pick<ClaimedCallout, 'id' | 'webhookKey' | 'leaseOwner' | 'tenantId' | 'entityType' | 'countedAt'>,
  waitMs: number,
): Promise<void> {
  await reschedule(pool, [callout.id, callout.leaseOwner, waitMs]);
  // Not in one transaction: each of these is locked before callouts are.
  await rescheduleProbe(pool, [callout.webhookKey, callout.leaseOwner, waitMs]);
  await giveBackFirstAttempt(pool, callout);
}
