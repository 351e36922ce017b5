import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { createTenantBudget, type Reservation } from './tenant-budget.ts';

const [mine, theirs, bystander] = [1, 2, 3];
const refusals = { unavailable: 'others have it', tooManyRequests: 'you have it', retryAfterS: 1 };
const aBudget = () => createTenantBudget(100, refusals);

function acquireIfPossible(reservation: Reservation, amount: number): void {
  try {
    reservation.acquire(amount);
  } catch (problem) {
    expect(problem).toMatchObject({ retryAfterS: 1 });
  }
}

describe('a budget', () => {
  it('has capacity up to its last byte, and refuses one more with 503', () => {
    const budget = aBudget();
    budget.reserve(mine).acquire(50);
    const other = budget.reserve(theirs);
    other.acquire(50);
    expect(() => other.acquire(1)).toThrow(expect.objectContaining({ kind: 'unavailable', retryAfterS: 1 }));
    expect(() => other.ensure(1)).toThrow(expect.objectContaining({ kind: 'unavailable' }));
  });

  it('gives one tenant half of it, and refuses more with 429', () => {
    const budget = aBudget();
    budget.reserve(mine).acquire(30);
    const second = budget.reserve(mine);
    second.ensure(20);
    second.acquire(20);
    expect(() => second.acquire(1)).toThrow(expect.objectContaining({ kind: 'tooMany', retryAfterS: 1 }));
    budget.reserve(theirs).acquire(50);
  });

  it('has separate capacity for small requests, which large ones cannot use', () => {
    const budget = createTenantBudget(100, { ...refusals, small: { most: 5, capacity: 20 } });
    const [large, other] = [budget.reserve(mine), budget.reserve(theirs)];
    large.acquire(50);
    other.acquire(50);
    const small = budget.reserve(mine);
    small.acquire(5);
    expect(() => small.acquire(1)).toThrow(expect.objectContaining({ kind: 'unavailable' }));
    budget.reserve(mine).acquire(5);
    // The other half of the capacity for small ones is for others.
    expect(() => budget.reserve(mine).acquire(5)).toThrow(expect.objectContaining({ kind: 'tooMany' }));
    budget.reserve(theirs).acquire(5);
    expect(() => budget.reserve(theirs).acquire(5)).toThrow(expect.objectContaining({ kind: 'tooMany' }));
    budget.reserve(bystander).acquire(5);
  });

  it('moves a small request that grows out of the capacity of small ones', () => {
    const budget = createTenantBudget(100, { ...refusals, small: { most: 5, capacity: 20 } });
    const large = budget.reserve(mine);
    large.acquire(100);
    const grows = budget.reserve(theirs);
    grows.acquire(5);
    large.release(50);
    grows.acquire(10);
    large.acquireUnchecked(40);
    for (let n = 0; n < 2; n += 1) budget.reserve(theirs).acquire(5);
    expect(() => budget.reserve(theirs).acquire(1)).toThrow(expect.objectContaining({ kind: 'tooMany' }));
  });

  it('leaves capacity for one more tenant, for any reservations of others', () => {
    const usual = { leaves: false };
    const step = fc.record({
      tenant: fc.constantFrom(mine, theirs),
      request: fc.nat(9),
      takes: fc.oneof(fc.constantFrom(5, 50), fc.integer({ min: 1, max: 30 })),
      leaves: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const budget = createTenantBudget(100, { ...refusals, small: { most: 5, capacity: 20 } });
        const requests = new Map<string, ReturnType<typeof budget.reserve>>();
        for (const { tenant, request, takes, leaves } of steps) {
          const name = `${tenant} ${request}`;
          const reservation = requests.get(name) ?? budget.reserve(tenant);
          requests.set(name, reservation);
          if (leaves) reservation.releaseAll();
          else acquireIfPossible(reservation, takes);
        }
        expect(() => budget.reserve(bystander).acquire(5)).not.toThrow();
      }),
      {
        examples: [
          [
            [50, 5, 5].flatMap((takes, request) =>
              [mine, theirs].map((tenant) => ({ ...usual, tenant, request, takes })),
            ),
          ],
        ],
      },
    );
  });

  it('shares the capacity of all by the same rule: a third beside another that has a third', () => {
    const budget = createTenantBudget(90, refusals);
    for (let n = 0; n < 30; n += 1) {
      for (const tenant of [mine, theirs]) acquireIfPossible(budget.reserve(tenant), 1);
    }
    for (const tenant of [mine, theirs]) {
      expect(() => budget.reserve(tenant).acquire(1)).toThrow(expect.objectContaining({ kind: 'tooMany' }));
    }
    budget.reserve(bystander).acquire(30);
  });

  it('always has capacity for a request that is alone, and for one that is the only one of its tenant', () => {
    const budget = aBudget();
    const large = budget.reserve(mine);
    large.acquire(1000);
    expect(() => large.acquire(1000)).not.toThrow();
    large.releaseAll();
    budget.reserve(theirs).acquire(20);
    expect(() => budget.reserve(mine).acquire(70)).not.toThrow();
  });

  it('reports to each tenant the use of its capacity, by itself or by others', () => {
    const budget = aBudget();
    const [own, other] = [budget.reserve(mine), budget.reserve(theirs)];
    expect(own.usage()).toBe(0);
    own.acquire(20);
    expect([own.usage(), other.usage()]).toEqual([0.4, 0.2]);
    own.acquireUnchecked(60);
    expect([own.usage(), other.usage()]).toEqual([1.6, 0.8]);
    own.release(50);
    expect([own.usage(), other.usage()]).toEqual([0.6, 0.3]);
    own.release(1000);
    expect([own.usage(), other.usage()]).toEqual([0, 0]);
  });

  it('is complete again when everything is released', () => {
    const visit = fc.record({ tenant: fc.constantFrom(mine, theirs), takes: fc.array(fc.nat(60), { maxLength: 4 }) });
    fc.assert(
      fc.property(fc.array(visit, { maxLength: 8 }), (visits) => {
        const budget = aBudget();
        const reservations = visits.map(({ tenant, takes }) => {
          const reservation = budget.reserve(tenant);
          for (const bytes of takes) acquireIfPossible(reservation, bytes);
          return reservation;
        });
        for (const reservation of reservations) reservation.releaseAll();
        for (const reservation of reservations) reservation.releaseAll();
        budget.reserve(mine).acquire(50);
        const second = budget.reserve(theirs);
        second.acquire(50);
        expect(() => second.acquire(1)).toThrow(expect.objectContaining({ kind: 'unavailable' }));
      }),
    );
  });
});
