import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { createTenantBudget, type Room } from './tenant-budget.ts';

const [mine, theirs, bystander] = [1, 2, 3];
const aBudget = () => createTenantBudget(100, { unavailable: 'others have it', tooManyRequests: 'you have it' });

function takeIfPossible(room: Room, amount: number): void {
  try {
    room.take(amount);
  } catch (problem) {
    expect(problem).toMatchObject({ retryAfterS: 1 });
  }
}

describe('a budget', () => {
  it('has room up to its last byte, and refuses one more with 503', () => {
    const budget = aBudget();
    budget.enter(mine).take(50);
    const other = budget.enter(theirs);
    other.take(50);
    expect(() => other.take(1)).toThrow(expect.objectContaining({ kind: 'unavailable', retryAfterS: 1 }));
    expect(() => other.expect(1)).toThrow(expect.objectContaining({ kind: 'unavailable' }));
  });

  it('gives one tenant half of it, and refuses more with 429', () => {
    const budget = aBudget();
    budget.enter(mine).take(30);
    const second = budget.enter(mine);
    second.expect(20);
    second.take(20);
    expect(() => second.take(1)).toThrow(expect.objectContaining({ kind: 'tooMany', retryAfterS: 1 }));
    budget.enter(theirs).take(50);
  });

  it('has room of its own for small requests, which large ones cannot take', () => {
    const budget = createTenantBudget(100, {
      unavailable: 'others have it',
      tooManyRequests: 'you have it',
      small: { most: 5, room: 20 },
    });
    const [large, other] = [budget.enter(mine), budget.enter(theirs)];
    large.take(50);
    other.take(50);
    const small = budget.enter(mine);
    small.take(5);
    expect(() => small.take(1)).toThrow(expect.objectContaining({ kind: 'unavailable' }));
    budget.enter(mine).take(5);
    // The other half of the room for small ones is for others.
    expect(() => budget.enter(mine).take(5)).toThrow(expect.objectContaining({ kind: 'tooMany' }));
    budget.enter(theirs).take(5);
    expect(() => budget.enter(theirs).take(5)).toThrow(expect.objectContaining({ kind: 'tooMany' }));
    budget.enter(bystander).take(5);
  });

  it('lets a small request that grows leave the room of small ones', () => {
    const budget = createTenantBudget(100, {
      unavailable: 'others have it',
      tooManyRequests: 'you have it',
      small: { most: 5, room: 20 },
    });
    const large = budget.enter(mine);
    large.take(100);
    const grows = budget.enter(theirs);
    grows.take(5);
    large.give(50);
    grows.take(10);
    large.hold(40);
    for (let n = 0; n < 2; n += 1) budget.enter(theirs).take(5);
    expect(() => budget.enter(theirs).take(1)).toThrow(expect.objectContaining({ kind: 'tooMany' }));
  });

  it('leaves room for one more tenant, whatever others take and give back', () => {
    const usual = { leaves: false };
    const step = fc.record({
      tenant: fc.constantFrom(mine, theirs),
      request: fc.nat(9),
      takes: fc.oneof(fc.constantFrom(5, 50), fc.integer({ min: 1, max: 30 })),
      leaves: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const budget = createTenantBudget(100, {
          unavailable: 'others have it',
          tooManyRequests: 'you have it',
          small: { most: 5, room: 20 },
        });
        const requests = new Map<string, ReturnType<typeof budget.enter>>();
        for (const { tenant, request, takes, leaves } of steps) {
          const name = `${tenant} ${request}`;
          const room = requests.get(name) ?? budget.enter(tenant);
          requests.set(name, room);
          if (leaves) room.leave();
          else takeIfPossible(room, takes);
        }
        expect(() => budget.enter(bystander).take(5)).not.toThrow();
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

  it('shares the room of all by the same rule: a third beside another that has a third', () => {
    const budget = createTenantBudget(90, { unavailable: 'others have it', tooManyRequests: 'you have it' });
    for (let n = 0; n < 30; n += 1) {
      for (const tenant of [mine, theirs]) takeIfPossible(budget.enter(tenant), 1);
    }
    for (const tenant of [mine, theirs]) {
      expect(() => budget.enter(tenant).take(1)).toThrow(expect.objectContaining({ kind: 'tooMany' }));
    }
    budget.enter(bystander).take(30);
  });

  it('always has room for a request that is alone, and for one that is the only one of its tenant', () => {
    const budget = aBudget();
    const large = budget.enter(mine);
    large.take(1000);
    expect(() => large.take(1000)).not.toThrow();
    large.leave();
    budget.enter(theirs).take(20);
    expect(() => budget.enter(mine).take(70)).not.toThrow();
  });

  it('tells each tenant how much of its room is in use, by itself or by others', () => {
    const budget = aBudget();
    const [own, other] = [budget.enter(mine), budget.enter(theirs)];
    expect(own.fill()).toBe(0);
    own.take(20);
    expect([own.fill(), other.fill()]).toEqual([0.4, 0.2]);
    own.hold(60);
    expect([own.fill(), other.fill()]).toEqual([1.6, 0.8]);
    own.give(50);
    expect([own.fill(), other.fill()]).toEqual([0.6, 0.3]);
    own.give(1000);
    expect([own.fill(), other.fill()]).toEqual([0, 0]);
  });

  it('is whole again when everybody has left, whatever happened', () => {
    const visit = fc.record({ tenant: fc.constantFrom(mine, theirs), takes: fc.array(fc.nat(60), { maxLength: 4 }) });
    fc.assert(
      fc.property(fc.array(visit, { maxLength: 8 }), (visits) => {
        const budget = aBudget();
        const rooms = visits.map(({ tenant, takes }) => {
          const room = budget.enter(tenant);
          for (const bytes of takes) takeIfPossible(room, bytes);
          return room;
        });
        for (const room of rooms) room.leave();
        for (const room of rooms) room.leave();
        budget.enter(mine).take(50);
        const second = budget.enter(theirs);
        second.take(50);
        expect(() => second.take(1)).toThrow(expect.objectContaining({ kind: 'unavailable' }));
      }),
    );
  });
});
