import { describe, expect, it } from '@jest/globals';
import { createTenantCache } from './tenant-cache.ts';

const kilobytes = (count: number) => ({ table: new Uint8Array(count * 1_000) });

describe('a cache of what tenants have prepared', () => {
  it('has no more bytes than it may, however few entries it has', () => {
    const cache = createTenantCache({ maxKept: 1_000, maxBytes: 100_000 });
    for (let key = 1; key <= 100; key += 1) {
      cache.set(key, key, kilobytes(10));
      expect(cache.bytes()).toBeLessThanOrEqual(100_000);
    }
    expect(cache.get(100)).toBeDefined();
    expect(cache.get(1)).toBeUndefined();
    cache.set(101, 1, kilobytes(200));
    expect(cache.get(101)).toBeUndefined();
    expect(cache.get(100)).toBeDefined();
  });

  it('has no more entries than it may, and drops what was used longest ago', () => {
    const cache = createTenantCache({ maxKept: 4, maxBytes: 100_000 });
    for (const key of [1, 2, 3, 4]) cache.set(key, key, kilobytes(1));
    cache.get(1);
    cache.set(5, 5, kilobytes(1));
    expect([1, 2, 3, 4, 5].filter((key) => cache.get(key) !== undefined)).toEqual([1, 3, 4, 5]);
  });

  it('lets a tenant that has much of it replace its own entries only', () => {
    const cache = createTenantCache({ maxKept: 1_000, maxBytes: 100_000 });
    for (let key = 1; key <= 5; key += 1) cache.set(key, key, kilobytes(1));
    for (let key = 100; key < 200; key += 1) cache.set(key, 9, kilobytes(10));
    expect([1, 2, 3, 4, 5].filter((key) => cache.get(key) === undefined)).toEqual([]);
    expect(cache.get(199)).toBeDefined();
    expect(cache.get(100)).toBeUndefined();
    // A tenant with little takes the place of what was used longest ago, whose ever it is.
    for (let key = 6; key <= 20; key += 1) cache.set(key, key, kilobytes(1));
    expect([6, 20].filter((key) => cache.get(key) === undefined)).toEqual([]);
  });

  it('lets the only tenant fill all of it', () => {
    const cache = createTenantCache({ maxKept: 1_000, maxBytes: 100_000 });
    for (let key = 1; key <= 9; key += 1) cache.set(key, 1, kilobytes(10));
    expect(cache.bytes()).toBeGreaterThan(90_000);
  });

  it('counts a replaced entry once', () => {
    const cache = createTenantCache({ maxKept: 1_000, maxBytes: 100_000 });
    for (let version = 1; version <= 50; version += 1) cache.set(1, 1, kilobytes(10));
    expect(cache.bytes()).toBeLessThan(11_000);
  });
});
