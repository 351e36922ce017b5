import type { Pool } from 'pg';
import type { Client, Transaction } from '../connection/database.ts';
import { columns, statementFrom, type Statement } from '../connection/statement.ts';
import type { ClaimedCallout } from './claimed.ts';

/** A tenant's callouts of one entity share a threshold. */
export interface ThresholdGroup {
  tenantId: number;
  entityType: string;
}

/** A leased callout whose attempt would be its first. */
export interface Contender extends ThresholdGroup {
  id: string;
  webhookKey: number;
  leaseOwner: string;
  /** First attempts of its group in any 3,600 s. */
  limit: number;
}

type Granted = ThresholdGroup & { granted: number; countedAt: Date };

const take = statementFrom<Granted>('claim/threshold_take');

const takeInTransaction = statementFrom<Granted>('claim/threshold_take_in_transaction');

const openWindows = statementFrom('claim/threshold_open_windows');

export interface TakenAttempts {
  /** Those that may not be sent now: the newest of their group. */
  held: Contender[];
  /** Of the others, by their ids, when they were counted. */
  countedAt: ReadonlyMap<string, Date>;
}

/** Counts first attempts, as far as their thresholds allow. */
export async function takeFirstAttempts(pool: Pool, contenders: readonly Contender[]): Promise<TakenAttempts> {
  const taken = await takeFrom(take, pool, contenders);
  if (taken.uncounted.length === 0) return taken;
  const groups = [...groupContenders(taken.uncounted).values()].map(([first]) => first);
  await openWindows(pool, columns(groups, ['tenantId', 'entityType']));
  const late = await takeFrom(take, pool, taken.uncounted);
  return { held: [...taken.held, ...late.held], countedAt: new Map([...taken.countedAt, ...late.countedAt]) };
}

/**
 * The same as one statement of a transaction that leases the callouts, too: what it counts is counted when that commits.
 * `uncounted`: their tenant has had no callout of their entity so far; they are to be counted by `takeFirstAttempts`.
 */
export function takeFirstAttemptsIn(
  transaction: Transaction,
  contenders: readonly Contender[],
): Promise<TakenAttempts & { uncounted: Contender[] }> {
  return takeFrom(takeInTransaction, transaction, contenders);
}

async function takeFrom(
  taking: Statement<Granted>,
  client: Client,
  contenders: readonly Contender[],
): Promise<TakenAttempts & { uncounted: Contender[] }> {
  const groups = groupContenders(contenders);
  const asked = [...groups.values()].map((members) => {
    const { tenantId, entityType, limit } = members[0];
    return { tenantId, entityType, wanted: members.length, limit };
  });
  const granted = await taking(client, columns(asked, ['tenantId', 'entityType', 'wanted', 'limit']));
  const held: Contender[] = [];
  const takenAt = new Map<string, Date>();
  for (const { granted: count, countedAt, ...group } of granted) {
    const members = groups.get(nameOf(group)) ?? [];
    groups.delete(nameOf(group));
    const inTurn = members.length === count ? members : members.toSorted(olderFirst);
    for (const { id } of inTurn.slice(0, count)) takenAt.set(id, countedAt);
    held.push(...inTurn.slice(count));
  }
  return { held, countedAt: takenAt, uncounted: [...groups.values()].flat() };
}

const giveBack = statementFrom('claim/threshold_give_back');

/** A first attempt that was counted was not made after all: it is counted again when it is. */
export async function giveBackFirstAttempt(
  pool: Pool,
  { tenantId, entityType, countedAt }: Pick<ClaimedCallout, 'tenantId' | 'entityType' | 'countedAt'>,
): Promise<void> {
  if (countedAt !== null) await giveBack(pool, [tenantId, entityType, countedAt]);
}

function nameOf({ tenantId, entityType }: ThresholdGroup): string {
  return `${tenantId}/${entityType}`;
}

/** Those of a tenant and entity together, in the order in which they come. */
export function groupContenders(contenders: readonly Contender[]): Map<string, [Contender, ...Contender[]]> {
  const groups = new Map<string, [Contender, ...Contender[]]>();
  for (const contender of contenders) {
    const members = groups.get(nameOf(contender));
    if (members) members.push(contender);
    else groups.set(nameOf(contender), [contender]);
  }
  return groups;
}

/** Ids are made in the order of time. */
function olderFirst(a: { id: string }, b: { id: string }): number {
  return a.id < b.id ? -1 : 1;
}
