import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { createTenantBudget } from './tenant-budget.ts';

const [mine, theirs] = [1, 2];
const aBudget = () => createTenantBudget(100, { unavailable: 'others have it', tooManyRequests: 'you have it' });

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
    // Half of the whole: the other half of the room for small ones is for others.
    expect(() => budget.enter(mine).take(5)).toThrow(expect.objectContaining({ kind: 'tooMany' }));
    budget.enter(theirs).take(5);
    budget.enter(theirs).take(5);
    expect(() => budget.enter(3).take(1)).toThrow(expect.objectContaining({ kind: 'unavailable' }));
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
          for (const bytes of takes) {
            try {
              room.take(bytes);
            } catch (problem) {
              expect(problem).toMatchObject({ retryAfterS: 1 });
            }
          }
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
