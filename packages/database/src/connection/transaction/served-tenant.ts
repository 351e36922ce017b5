import { Problem } from '@callout/domain/problem';
import type { ClientBase } from 'pg';
import { statementFrom } from '../statement/statement.ts';

const hold = statementFrom<{ isServed: boolean }>('database:connection/transaction/tenant_hold');

/** Seconds after which a change of a tenant that is being moved may be tried again. */
const RETRY_AFTER_S = 5;

/** Unavailable for a while: the tenant is on its way to another zone. */
export function tenantIsMoving(): Problem {
  return Problem.unavailable('The tenant is being moved to another zone: send this again.', RETRY_AFTER_S);
}

/**
 * Keeps a tenant here until the end of the transaction: a move waits, and then copies the changes. Nothing else waits,
 * since the row of a tenant is hardly ever written. A writer of the row waits for no lock of a change afterwards, so
 * the call may come anywhere in a transaction.
 * @throws a Problem `unavailable` when the tenant is being moved; does nothing without a tenant.
 */
export async function holdTenant(transaction: ClientBase, tenantId: number): Promise<void> {
  const [tenant] = await hold(transaction, [tenantId]);
  if (tenant?.isServed === false) throw tenantIsMoving();
}
