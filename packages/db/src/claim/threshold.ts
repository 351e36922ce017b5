import {
  type Contender,
  type Grant,
  groupContenders,
  type SharedGrants,
  shareGrants,
  type ThresholdGroup,
} from '@callout/core/threshold';
import type { Pool } from 'pg';
import type { Client, Transaction } from '../connection/database.ts';
import { columns, statementFrom, type Statement } from '../connection/statement.ts';
import type { ClaimedCallout } from './claimed.ts';

const take = statementFrom<Grant>('claim/threshold_take');

const takeInTransaction = statementFrom<Grant>('claim/threshold_take_in_transaction');

const openWindows = statementFrom('claim/threshold_open_windows');

/** Which callouts go out now, and which are held. */
export type TakenAttempts = Pick<SharedGrants, 'held' | 'countedAt'>;

/** Counts first attempts, as far as their thresholds allow. */
export async function takeFirstAttempts(pool: Pool, contenders: readonly Contender[]): Promise<TakenAttempts> {
  const taken = await takeFrom(take, pool, contenders);
  if (taken.uncounted.length === 0) return taken;
  const groups = [...groupContenders(taken.uncounted).values()].map(([first]) => first);
  await openWindows(pool, columns(groups, ['tenantId', 'entityType']));
  const late = await takeFrom(take, pool, taken.uncounted);
  return { held: [...taken.held, ...late.held], countedAt: new Map([...taken.countedAt, ...late.countedAt]) };
}

const lockWindows = statementFrom('claim/threshold_lock_windows');

/** Locks the windows of tenants and entities until the transaction ends: before it locks health or open callouts. */
export async function lockThresholds(transaction: Transaction, groups: readonly ThresholdGroup[]): Promise<void> {
  if (groups.length > 0) await lockWindows(transaction, columns(groups, ['tenantId', 'entityType']));
}

/**
 * The same as one statement of a transaction that has locked the windows by `lockThresholds`, and leases the callouts, too: what it counts is counted when that commits.
 * `uncounted`: their tenant has had no callout of their entity so far; they are to be counted by `takeFirstAttempts`.
 */
export function takeFirstAttemptsIn(transaction: Transaction, contenders: readonly Contender[]): Promise<SharedGrants> {
  return takeFrom(takeInTransaction, transaction, contenders);
}

async function takeFrom(
  taking: Statement<Grant>,
  client: Client,
  contenders: readonly Contender[],
): Promise<SharedGrants> {
  const asked = [...groupContenders(contenders).values()].map((members) => {
    const { tenantId, entityType, limit } = members[0];
    return { tenantId, entityType, wanted: members.length, limit };
  });
  return shareGrants(contenders, await taking(client, columns(asked, ['tenantId', 'entityType', 'wanted', 'limit'])));
}

const giveBack = statementFrom('claim/threshold_give_back');

/** A first attempt that was counted was not made after all: it is counted again when it is. */
export async function giveBackFirstAttempt(
  pool: Pool,
  { tenantId, entityType, countedAt }: Pick<ClaimedCallout, 'tenantId' | 'entityType' | 'countedAt'>,
): Promise<void> {
  if (countedAt !== null) await giveBack(pool, [tenantId, entityType, countedAt]);
}
