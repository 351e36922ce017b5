import { Problem } from '@callout/domain/problem';
import { createPermits, type PermitRefusal } from '@callout/runtime/concurrency/permits';

/** The capacity that a request uses until the response is sent. */
export interface Reservation {
  /**
   * Acquires more capacity. Throws a Problem without capacity: 503, or 429 when the tenant has used the share of a
   * tenant.
   */
  acquire(amount: number): void;
  /** Throws as `acquire` does when `amount` more is not available now. Acquires nothing. */
  ensure(amount: number): void;
  /** Acquires more capacity even where nothing is free, for a response that can no longer be refused. */
  acquireUnchecked(amount: number): void;
  /** Releases a part of the reservation, at most all of it. */
  release(amount: number): void;
  /** The used part of the tenant's capacity, by the tenant or by all: 0 to 1, and more after `acquireUnchecked`. */
  usage(): number;
  /** Releases the whole reservation. */
  releaseAll(): void;
}

/** The owner of a reservation: a tenant, or the address of a caller without authentication. */
type Holder = number | string;

/** Bounds what all requests of the process use at a time, for any number and size. */
export interface TenantBudget<H extends Holder = number> {
  reserve(holder: H): Reservation;
}

/** What is answered to requests beyond a limit. */
export interface Refusals {
  /** The message of a 503, in whole sentences: further tenants use the capacity. */
  readonly unavailable: string;
  /** The message of a 429: the tenant has used the share of a tenant. */
  readonly tooManyRequests: string;
  readonly retryAfterS: number;
}

/** The Problem of a refusal. */
export function problemOf({ unavailable, tooManyRequests, retryAfterS }: Refusals, refusal: PermitRefusal): Problem {
  if (refusal === 'full') return Problem.unavailable(unavailable, retryAfterS);
  return Problem.tooManyRequests(tooManyRequests, retryAfterS);
}

interface BudgetOptions extends Refusals {
  /**
   * Separate capacity for requests of `most` at most, since any number of large requests must not block small requests.
   */
  readonly small?: { readonly most: number; readonly capacity: number };
}

/**
 * Bounds the capacity that requests use together. A reservation lasts until the request has a response: parsed values
 * and events that wait for a commit are larger than the body, by a factor that does not depend on the sender. A lone
 * request is never refused. `PermitLimits` describes how tenants share; small requests beyond the common capacity share
 * the separate capacity by the same rule.
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
      let reserved = 0;
      /** A request is counted in a single pool. */
      let within = common;

      /** The pool that has capacity for the request and `amount` more. */
      function poolFor(amount: number): typeof common {
        const after = reserved + amount;
        const refusal = common.refusal(holder, within === common ? reserved : 0, after);
        if (refusal === undefined) return common;
        if (after > mostSmall) throw problemOf(refusals, refusal);
        const refusalBeside = beside.refusal(holder, within === beside ? reserved : 0, after);
        if (refusalBeside !== undefined) throw problemOf(refusals, refusalBeside);
        return beside;
      }

      function change(amount: number, to = within): void {
        within.add(holder, -reserved);
        reserved += amount;
        within = to;
        within.add(holder, reserved);
      }

      return {
        ensure: (amount) => void poolFor(amount),
        acquire: (amount) => change(amount, poolFor(amount)),
        acquireUnchecked: (amount) => change(amount),
        release: (amount) => change(-Math.min(amount, reserved)),
        usage: () => common.usage(holder),
        releaseAll: () => change(-reserved),
      };
    },
  };
}
