import { Problem } from '@callout/domain/problem';

/** The place of a request that waits for a test. */
export interface TestPlace {
  /** False once a further tenant has the place: the request then gets the present state of the test. */
  readonly isHeld: () => boolean;
  readonly leave: () => void;
}

export interface TestPlaces {
  /**
   * Throws a Problem: 429 when the tenant has the share of a tenant, 503 when every waiting tenant has a single place.
   */
  enter(tenantId: number): TestPlace;
}

const RETRY_AFTER_S = 5;

/**
 * Places for requests that wait for a test, each for as long as a receiver may take. When all places are in use, the
 * tenant with most places loses the oldest to a tenant with fewer: hanging receivers shorten the wait for tests of the
 * tenant, which are sent in any case, and take no test from a further tenant.
 */
export function createTestPlaces({ most = 30, mostOfTenant = 3 } = {}): TestPlaces {
  /** Whose each place is, the oldest first. */
  const places = new Set<{ readonly tenantId: number }>();
  const heldBy = (tenantId: number) => [...places].filter((one) => one.tenantId === tenantId).length;

  /** The oldest place of the tenant with most places; undefined: no tenant would still have more than the new one. */
  function spared(heldPlaces: number) {
    const all = [...places].map((place) => ({ place, held: heldBy(place.tenantId) }));
    const largest = Math.max(...all.map((one) => one.held));
    return largest > heldPlaces + 1 ? all.find((one) => one.held === largest)?.place : undefined;
  }

  return {
    enter(tenantId) {
      const heldPlaces = heldBy(tenantId);
      const given = places.size >= most ? spared(heldPlaces) : undefined;
      if (heldPlaces >= mostOfTenant || (places.size >= most && given === undefined)) {
        throw heldPlaces > 0
          ? Problem.tooManyRequests('Other tests are under way: wait for their answers', RETRY_AFTER_S)
          : Problem.unavailable('Too many tests are under way: try again later', RETRY_AFTER_S);
      }
      if (given !== undefined) places.delete(given);
      const place = { tenantId };
      places.add(place);
      return { isHeld: () => places.has(place), leave: () => void places.delete(place) };
    },
  };
}
