import { Problem } from '@callout/domain/problem';
import { createPermits, type PermitRefusal } from '@callout/runtime/concurrency/permits';

/** The capacity that one request uses until its response is sent. */
export interface Reservation {
  /** Acquires more capacity. Throws a Problem when there is none: 503, or 429 when the tenant has used its share. */
  acquire(amount: number): void;
  /** Throws as `acquire` does when that much more is not available now. Acquires nothing. */
  ensure(amount: number): void;
  /** Acquires more capacity even where there is none, for what can no longer be refused. */
  acquireUnchecked(amount: number): void;
  /** Releases a part of the reservation, at most all of it. */
  release(amount: number): void;
  /** The part of its tenant's capacity that is in use, by the tenant or by all: 0 to 1, and more after `acquireUnchecked`. */
  usage(): number;
  /** Releases the whole reservation. */
  releaseAll(): void;
}

/** The owner of a reservation: a tenant, or the address of a caller that is not authenticated. */
type Holder = number | string;

/** Bounds what all requests of this process use at a time, whatever their number and size. */
export interface TenantBudget<H extends Holder = number> {
  reserve(holder: H): Reservation;
}

/** What is answered to requests beyond a limit. */
export interface Refusals {
  /** The message of a 503, in whole sentences: other tenants use the capacity. */
  readonly unavailable: string;
  /** The message of a 429: the tenant itself has used its share. */
  readonly tooManyRequests: string;
  readonly retryAfterS: number;
}

/** The Problem of a refusal. */
export function problemOf({ unavailable, tooManyRequests, retryAfterS }: Refusals, refusal: PermitRefusal): Problem {
  if (refusal === 'full') return Problem.unavailable(unavailable, retryAfterS);
  return Problem.tooManyRequests(tooManyRequests, retryAfterS);
}

interface BudgetOptions extends Refusals {
  /** Separate capacity for requests of `most` at most, so that large requests, however many, never block small ones. */
  readonly small?: { readonly most: number; readonly capacity: number };
}

/**
 * Bounds the capacity that requests use together. A reservation lasts until its request has a response: parsed values and
 * events that wait for their commit are larger than the body, by a factor that does not depend on the sender. A request that
 * is alone is never refused. `PermitLimits` describes how tenants share; small requests that do not fit into the common
 * capacity share the separate one by the same rule.
 * @param max for all requests together.
 */
export function createTenantBudget<H extends Holder = number>(
  max: number,
  { small, ...refusals }: BudgetOptions,
): TenantBudget<H> {
  const common = createPermits<H>({ total: max, perKey: 'share' });
  const beside = createPermits<H>({ total: small?.capacity ?? 0, perKey: 'share' });
  const mostSmall = small?.most ?? 0;

  return {
    reserve(holder) {
      let own = 0;
      /** A request uses one of the two pools as a whole. */
      let within = common;

      /** The pool that has capacity for the request and `amount` more. */
      function poolFor(amount: number): typeof common {
        const after = own + amount;
        const refusal = common.refusal(holder, within === common ? own : 0, after);
        if (refusal === undefined) return common;
        if (after > mostSmall) throw problemOf(refusals, refusal);
        const refusalBeside = beside.refusal(holder, within === beside ? own : 0, after);
        if (refusalBeside !== undefined) throw problemOf(refusals, refusalBeside);
        return beside;
      }

      function change(amount: number, to = within): void {
        within.add(holder, -own);
        own += amount;
        within = to;
        within.add(holder, own);
      }

      return {
        ensure: (amount) => void poolFor(amount),
        acquire: (amount) => change(amount, poolFor(amount)),
        acquireUnchecked: (amount) => change(amount),
        release: (amount) => change(-Math.min(amount, own)),
        usage: () => common.usage(holder),
        releaseAll: () => change(-own),
      };
    },
  };
}
