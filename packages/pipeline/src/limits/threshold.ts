import { type Contender, type Grant, attemptsOf, type SharedGrants, shareGrants } from './share-grants.rules.ts';
import type { Pool } from 'pg';
import { columns, statementFrom } from '@callout/database/connection/statement/statement';
import type { ClaimedCallout } from '@callout/domain/callout/claimed';

const grant = statementFrom<Grant>('limits/threshold_grant');

/** Counts as many first attempts as their thresholds allow. */
export async function grantFirstAttempts(pool: Pool, contenders: readonly Contender[]): Promise<SharedGrants> {
  const attempts = columns(attemptsOf(contenders), ['tenantId', 'entityType', 'requested', 'limit']);
  return shareGrants(contenders, await grant(pool, attempts));
}

const giveBack = statementFrom('limits/threshold_give_back');

/** Reverses the count of a first attempt that was not made. It is counted again when it is made. */
export async function giveBackFirstAttempt(
  pool: Pool,
  { tenantId, entityType, countedAt }: Pick<ClaimedCallout, 'tenantId' | 'entityType' | 'countedAt'>,
): Promise<void> {
  if (countedAt !== null) await giveBack(pool, [tenantId, entityType, countedAt]);
}
