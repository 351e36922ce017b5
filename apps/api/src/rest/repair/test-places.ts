import { Problem } from '@callout/domain/problem';

/** The place of one request that waits for its test. */
export interface TestPlace {
  /** False once another tenant has the place: the request then gets the present state of its test. */
  readonly isHeld: () => boolean;
  readonly leave: () => void;
}

export interface TestPlaces {
  /** Throws a Problem: 429 when the tenant has its share, 503 when every tenant that waits has one place only. */
  enter(tenantId: number): TestPlace;
}

const RETRY_AFTER_S = 5;

/**
 * Places for requests that wait for a test, each for as long as a receiver may take. When all are in use, the tenant
 * with the most gives up its oldest for one that would have fewer: hanging receivers shorten the wait for their own
 * tests, which are sent in any case, and take no test from another tenant.
 */
export function createTestPlaces({ most = 30, mostOfTenant = 3 } = {}): TestPlaces {
  /** Whose each place is, the oldest first. */
  const places = new Set<{ readonly tenantId: number }>();
  const heldBy = (tenantId: number) => [...places].filter((one) => one.tenantId === tenantId).length;

  /** The oldest place of the tenant that has most; undefined: none has more than one with another place would have. */
  function spared(held: number) {
    const all = [...places].map((place) => ({ place, held: heldBy(place.tenantId) }));
    const largest = Math.max(...all.map((one) => one.held));
    return largest > held + 1 ? all.find((one) => one.held === largest)?.place : undefined;
  }

  return {
    enter(tenantId) {
      const held = heldBy(tenantId);
      const given = places.size >= most ? spared(held) : undefined;
      if (held >= mostOfTenant || (places.size >= most && given === undefined)) {
        throw held > 0
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
