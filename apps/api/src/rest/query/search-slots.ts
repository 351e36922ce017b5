import { createWithPermit, type WithPermit } from '@callout/runtime/concurrency/permits';
import { problemOf } from '../../http/limits/tenant-budget.ts';

/** Short: a client that is refused narrows its query, and one that waits may send more of them. */
const MAX_WAIT_MS = 5_000;
/** Most searches need milliseconds, so hundreds of them are done within this time. */
const MAX_WAITING_PER_TENANT = 500;
const MAX_WAITING = 5_000;

/**
 * Shares the connections for searches among tenants: a scan may use one for seconds, and a tenant that sends many of
 * them gets half of the connections at most (one, where there is only one). Waiting tenants take turns. Refuses with a
 * Problem: 429 to a tenant that waits for its own searches, 503 to one that waits for those of others.
 */
export function createSearchSlots(connections: number): WithPermit<number> {
  const perKey = Math.max(1, Math.floor(connections / 2));
  const waits = { maxWaiting: MAX_WAITING, maxWaitingPerKey: MAX_WAITING_PER_TENANT, maxWaitMs: MAX_WAIT_MS };
  const searches = perKey === 1 ? '1 query' : `${perKey} queries`;
  const refusals = {
    unavailable: 'Too many queries are running. Try again later.',
    tooManyRequests: `${searches} of this tenant can run at once, and they take long: send fewer at a time, or narrow their filters.`,
    retryAfterS: 5,
  };
  return createWithPermit({ total: connections, perKey, ...waits }, (refusal) => problemOf(refusals, refusal));
}
