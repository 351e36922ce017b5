import { createWithPermit, type WithPermit } from '@callout/runtime/concurrency/permits';
import { problemOf } from '../../http/limits/tenant-budget.ts';

/** Short: a refused client narrows the query, and a waiting client may send more queries. */
const MAX_WAIT_MS = 5_000;
/** Most searches need milliseconds, and hundreds of searches end within the time. */
const MAX_WAITING_PER_TENANT = 500;
const MAX_WAITING = 5_000;

/**
 * Shares the connections for searches among tenants: a scan may use a connection for seconds, and a tenant with many
 * scans gets half of the connections at most (at least one). Waiting tenants take turns. Refuses with a Problem: 429 to
 * a tenant whose searches wait for each other, 503 to a tenant that waits for the searches of further tenants.
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
