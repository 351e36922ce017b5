import type { Database } from '@callout/database/connection/database';
import { createWithPermit } from '@callout/runtime/concurrency/permits';
import { problemOf } from '../http/limits/tenant-budget.ts';

/** As long as work waits for any connection; see `openDatabase`. */
const MAX_WAIT_MS = 20_000;
/** A change takes milliseconds, and hundreds of changes end within the time. */
const MAX_WAITING_PER_TENANT = 500;
const MAX_WAITING = 5_000;
/** Operators, and sessions of the console, take turns like a tenant. */
const NO_TENANT = 0;

/**
 * The database, with the few connections for changes shared among tenants: a tenant that changes much at once, or waits
 * for a lock, leaves a connection to the rest, and waiting tenants take turns. A change that waits too long is refused
 * with a Problem: 429 when the tenant itself is in the way, else 503.
 */
export function changingInTurn(database: Database): Database {
  const total = database.changePool.options.max;
  const limits = {
    total,
    perKey: Math.max(1, total - 1),
    maxWaiting: MAX_WAITING,
    maxWaitingPerKey: MAX_WAITING_PER_TENANT,
    maxWaitMs: MAX_WAIT_MS,
  };
  const refusals = {
    unavailable: 'The database is busy with other changes. Send this again later.',
    tooManyRequests: 'Too many changes of this tenant are waiting: send fewer at a time.',
    retryAfterS: 5,
  };
  const inTurn = createWithPermit<number>(limits, (refusal) => problemOf(refusals, refusal));
  return {
    ...database,
    transaction: (tenantId, work) => inTurn(tenantId ?? NO_TENANT, () => database.transaction(tenantId, work)),
  };
}
