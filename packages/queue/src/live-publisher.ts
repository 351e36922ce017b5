import type { RedisConnection } from './redis/connect.ts';
import { liveChannel, watchedKey, type LiveResult } from './live-result.ts';

/** Results of one tenant. */
export interface TenantResult extends LiveResult {
  readonly tenantId: number;
}

type MakeResults = () => readonly TenantResult[];

export interface LivePublisherOptions {
  /** The connection of a producer: its commands fail at once while Redis is away. */
  readonly redis: RedisConnection;
  readonly prefix: string;
  /** A monotonic clock in milliseconds. */
  readonly nowMs: () => number;
}

/** How long the list of watched tenants is cached. */
const knownForMs = 1_000;
/** Maximum number of batches that wait for that list; further ones are dropped, as all are while Redis is away. */
const mostWaiting = 200;

/**
 * Publishes the results of attempts for live views. Redis is queried at most once a second for the watched tenants, in
 * one command and only when there are results; nothing is published for the others. It never waits and never fails: the
 * delivery log has all results.
 */
export function createLivePublisher({ redis, prefix, nowMs }: LivePublisherOptions): {
  /** @param make called only while a tenant is watched. */
  publish(make: MakeResults): void;
} {
  let watched: ReadonlySet<number> = new Set();
  let askedAtMs = -Infinity;
  let isAsking = false;
  let waiting: MakeResults[] = [];

  async function ask(): Promise<void> {
    isAsking = true;
    try {
      const ids = await redis.zrangebyscore(watchedKey(prefix), Date.now(), '+inf');
      watched = new Set(ids.map(Number));
    } catch {
      watched = new Set();
    }
    askedAtMs = nowMs();
    isAsking = false;
    const batches = waiting;
    waiting = [];
    for (const make of batches) publish(make);
  }

  function publish(make: MakeResults): void {
    if (watched.size === 0 || redis.status !== 'ready') return;
    const byTenant = new Map<number, LiveResult[]>();
    for (const { tenantId, ...result } of make()) {
      if (!watched.has(tenantId)) continue;
      const list = byTenant.get(tenantId) ?? [];
      list.push(result);
      byTenant.set(tenantId, list);
    }
    for (const [tenantId, list] of byTenant) {
      redis.publish(liveChannel(prefix, tenantId), JSON.stringify(list)).catch(() => undefined);
    }
  }

  return {
    publish(make) {
      if (redis.status !== 'ready') return;
      if (!isAsking && nowMs() - askedAtMs < knownForMs) {
        publish(make);
        return;
      }
      if (waiting.length < mostWaiting) waiting.push(make);
      if (!isAsking) void ask();
    },
  };
}
