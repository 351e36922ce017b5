import { Problem } from '@callout/core';

/** The room that one request's body takes until the request is answered. */
export interface BodyRoom {
  /** Takes more room. Throws a Problem when there is none: 503, or 429 when it is the tenant that has all it may. */
  take(bytes: number): void;
  /** Whether that many bytes more would find room now. Throws as `take` does, and takes nothing. */
  expect(bytes: number): void;
  /** Gives back all of it. */
  leave(): void;
}

/** Bounds the bytes of all bodies that are being read or worked on in this process, whatever their number and size. */
export interface BodyBudget {
  enter(tenantId: number): BodyRoom;
}

const RETRY_AFTER_S = 1;
/** One tenant that sends all it can leaves room for others. */
const SHARE_OF_TENANT = 0.5;

/**
 * A body counts as it comes and until its request is answered: parsed values and events that wait for their commit are
 * larger than the body, by a factor that does not depend on who sends it. A body that is alone always finds room.
 * @param maxBytes of all bodies together.
 */
export function createBodyBudget(maxBytes: number): BodyBudget {
  let used = 0;
  const usedBy = new Map<number, number>();

  function check(tenantId: number, own: number, bytes: number): void {
    if (used + bytes > maxBytes && used > own) {
      throw Problem.unavailable('Too many requests are being read: send this one again.', RETRY_AFTER_S);
    }
    const byTenant = usedBy.get(tenantId) ?? 0;
    if (byTenant + bytes > maxBytes * SHARE_OF_TENANT && byTenant > own) {
      throw Problem.tooManyRequests('Too many large requests of this tenant are being read.', RETRY_AFTER_S);
    }
  }

  function add(tenantId: number, bytes: number): void {
    used += bytes;
    const byTenant = (usedBy.get(tenantId) ?? 0) + bytes;
    if (byTenant === 0) usedBy.delete(tenantId);
    else usedBy.set(tenantId, byTenant);
  }

  return {
    enter(tenantId) {
      let own = 0;
      return {
        expect: (bytes) => check(tenantId, own, bytes),
        take(bytes) {
          check(tenantId, own, bytes);
          own += bytes;
          add(tenantId, bytes);
        },
        leave() {
          add(tenantId, -own);
          own = 0;
        },
      };
    },
  };
}
