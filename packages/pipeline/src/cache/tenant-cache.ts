import { LRUCache } from 'lru-cache';
import { memorySize } from './memory-size.ts';

export interface TenantCacheLimits {
  /** Maximum number of entries. */
  readonly maxKept: number;
  /** Maximum size of all of them, in bytes by `memorySize`. */
  readonly maxBytes: number;
}

/** What is prepared once for many events or calls, by the key of its webhook. Entries may disappear at any time. */
export interface TenantCache<Value extends object> {
  get(key: number): Value | undefined;
  /** @param more what is kept as long as the value is. */
  set(key: number, tenantId: number, value: Value, more?: unknown): void;
  /** The bytes of all entries. */
  bytes(): number;
}

/** The part of a cache that a tenant may fill at the expense of others. */
const largestShare = 1 / 4;

/**
 * A cache that is bounded in bytes as well as in entries: what a webhook takes is chosen by its integrator. Of a full
 * cache the entry goes that was used longest ago; but a tenant with more than a quarter of it makes room by its own
 * entries, oldest first, so however many costly webhooks it has, those of others stay prepared.
 */
export function createTenantCache<Value extends object>({ maxKept, maxBytes }: TenantCacheLimits): TenantCache<Value> {
  const owners = new Map<number, { bytes: number; keys: Map<number, number> }>();
  const kept = new LRUCache<number, { value: Value; tenantId: number }>({
    max: maxKept,
    maxSize: maxBytes,
    dispose: ({ tenantId }, key) => {
      const owner = owners.get(tenantId);
      if (owner === undefined) return;
      owner.bytes -= owner.keys.get(key) ?? 0;
      owner.keys.delete(key);
      if (owner.keys.size === 0) owners.delete(tenantId);
    },
  });

  function makeRoom(tenantId: number, size: number): void {
    const owner = owners.get(tenantId);
    if (owner === undefined) return;
    for (const key of owner.keys.keys()) {
      const isFull = kept.calculatedSize + size > maxBytes || kept.size >= maxKept;
      const hasMuch = owner.bytes + size > maxBytes * largestShare || owner.keys.size >= maxKept * largestShare;
      if (!isFull || !hasMuch) return;
      kept.delete(key);
    }
  }

  return {
    get: (key) => kept.get(key)?.value,
    set(key, tenantId, value, more) {
      kept.delete(key);
      const size = memorySize([value, more]);
      if (size > maxBytes) return;
      makeRoom(tenantId, size);
      const owner = owners.get(tenantId) ?? { bytes: 0, keys: new Map<number, number>() };
      owners.set(tenantId, owner);
      owner.bytes += size;
      owner.keys.set(key, size);
      kept.set(key, { value, tenantId }, { size });
    },
    bytes: () => kept.calculatedSize,
  };
}
