import { type Contender, type Grant, groupContenders, type SharedGrants, shareGrants } from '@callout/core/threshold';
import type { Pool } from 'pg';
import { columns, statementFrom } from '../../connection/statement/statement.ts';
import type { ClaimedCallout } from '../claimed.ts';

const take = statementFrom<Grant>('threshold/threshold_take');

const openWindows = statementFrom('threshold/threshold_open_windows');

/** Which callouts go out now, and which are held. */
export type TakenAttempts = Pick<SharedGrants, 'held' | 'countedAt'>;

/** Counts first attempts, as far as their thresholds allow. */
export async function takeFirstAttempts(pool: Pool, contenders: readonly Contender[]): Promise<TakenAttempts> {
  const taken = await takeFrom(pool, contenders);
  if (taken.uncounted.length === 0) return taken;
  const groups = [...groupContenders(taken.uncounted).values()].map(([first]) => first);
  await openWindows(pool, columns(groups, ['tenantId', 'entityType']));
  const late = await takeFrom(pool, taken.uncounted);
  return { held: [...taken.held, ...late.held], countedAt: new Map([...taken.countedAt, ...late.countedAt]) };
}

async function takeFrom(pool: Pool, contenders: readonly Contender[]): Promise<SharedGrants> {
  return shareGrants(contenders, await take(pool, askedFor(contenders)));
}

/** What the thresholds are asked for, as parameters of a statement that counts: tenants, entity types, how many, limits. */
export function askedFor(contenders: readonly Contender[]): unknown[][] {
  const asked = [...groupContenders(contenders).values()].map((members) => {
    const { tenantId, entityType, limit } = members[0];
    return { tenantId, entityType, wanted: members.length, limit };
  });
  return columns(asked, ['tenantId', 'entityType', 'wanted', 'limit']);
}

const giveBack = statementFrom('threshold/threshold_give_back');

/** A first attempt that was counted was not made after all: it is counted again when it is. */
export async function giveBackFirstAttempt(
  pool: Pool,
  { tenantId, entityType, countedAt }: Pick<ClaimedCallout, 'tenantId' | 'entityType' | 'countedAt'>,
): Promise<void> {
  if (countedAt !== null) await giveBack(pool, [tenantId, entityType, countedAt]);
}
