import {
  type Contender,
  type Grant,
  attemptsOf,
  groupContenders,
  type SharedGrants,
  shareGrants,
} from './share-grants.rules.ts';
import type { Pool } from 'pg';
import { columns, statementFrom } from '@callout/database/connection/statement/statement';
import type { ClaimedCallout } from '@callout/domain/callout/claimed';

const countAttempts = statementFrom<Grant>('limits/threshold_take');

const openWindows = statementFrom('limits/threshold_open_windows');

/** Which first attempts are made now, and which are held. */
export type CountedFirstAttempts = Pick<SharedGrants, 'held' | 'countedAt'>;

/** Counts as many first attempts as their thresholds allow. */
export async function countFirstAttempts(pool: Pool, contenders: readonly Contender[]): Promise<CountedFirstAttempts> {
  const counted = await countIn(pool, contenders);
  if (counted.uncounted.length === 0) return counted;
  const groups = [...groupContenders(counted.uncounted).values()].map(([first]) => first);
  await openWindows(pool, columns(groups, ['tenantId', 'entityType']));
  const late = await countIn(pool, counted.uncounted);
  return { held: [...counted.held, ...late.held], countedAt: new Map([...counted.countedAt, ...late.countedAt]) };
}

async function countIn(pool: Pool, contenders: readonly Contender[]): Promise<SharedGrants> {
  return shareGrants(
    contenders,
    await countAttempts(pool, columns(attemptsOf(contenders), ['tenantId', 'entityType', 'requested', 'limit'])),
  );
}

const giveBack = statementFrom('limits/threshold_give_back');

/** Reverses the count of a first attempt that was not made. It is counted again when it is made. */
export async function giveBackFirstAttempt(
  pool: Pool,
  { tenantId, entityType, countedAt }: Pick<ClaimedCallout, 'tenantId' | 'entityType' | 'countedAt'>,
): Promise<void> {
  if (countedAt !== null) await giveBack(pool, [tenantId, entityType, countedAt]);
}
