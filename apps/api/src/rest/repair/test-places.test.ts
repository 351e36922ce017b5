import { describe, expect, it } from '@jest/globals';
import type { ProblemKind } from '@callout/domain/problem';
import { createTestPlaces } from './test-places.ts';

const refusal = (kind: ProblemKind) => expect.objectContaining({ kind });

describe('createTestPlaces', () => {
  it('gives a tenant no more than its share, and the next when one is free', () => {
    const places = createTestPlaces({ most: 5, mostOfTenant: 2 });
    const [first] = [places.enter(1), places.enter(1)];
    expect(() => places.enter(1)).toThrow(refusal('tooMany'));
    first.leave();
    first.leave();
    expect(places.enter(1).isHeld()).toBe(true);
    expect(() => places.enter(1)).toThrow(refusal('tooMany'));
  });

  it('always has one for an eleventh tenant, when ten have filled it: the oldest of one that has most', () => {
    const places = createTestPlaces();
    const tenants = Array.from({ length: 10 }, (_, index) => index + 1);
    const held = [...tenants, ...tenants, ...tenants].map((tenantId) => places.enter(tenantId));
    const place = places.enter(11);
    expect(place.isHeld()).toBe(true);
    expect(held.map((one) => one.isHeld())).toEqual(held.map((_, index) => index !== 0));
  });

  it('is shared evenly by as many tenants as there are places, so that each keeps its last one', () => {
    const places = createTestPlaces({ most: 4, mostOfTenant: 3 });
    const [oldest] = [places.enter(1), places.enter(1), places.enter(1), places.enter(2)];
    const second = places.enter(2);
    expect(oldest.isHeld()).toBe(false);
    // Two each: neither gets another one at the cost of the other.
    expect(() => places.enter(1)).toThrow(refusal('tooMany'));
    const others = [places.enter(3), places.enter(4)];
    expect(() => places.enter(5)).toThrow(refusal('unavailable'));
    expect(others.every((one) => one.isHeld())).toBe(true);
    second.leave();
    expect(places.enter(5).isHeld()).toBe(true);
  });
});
