import type { RedisConnection } from '../redis/connect.ts';
import { liveChannel, watchedKey } from './live-keys.ts';
import type { LiveResult } from './live-result.ts';

/** Results of one tenant. */
interface TenantResult extends LiveResult {
  readonly tenantId: number;
}

type MakeResults = () => readonly TenantResult[];

export interface LivePublisherOptions {
  /** Of a producer: its commands fail at once while Redis is away. */
  readonly redis: RedisConnection;
  readonly prefix: string;
  /** Milliseconds, rising. */
  readonly nowMs: () => number;
}

/** How long it is taken for true which tenants are watched. */
const knownForMs = 1_000;
/** Batches that wait while Redis is asked who is watched; more is left out, as all of it is while Redis is away. */
const mostWaiting = 200;

/**
 * Tells those who watch what came of attempts. Redis is asked at most once a second which tenants are watched, in one
 * command and only when there is something to tell; nothing is published for the others. It never waits and never fails:
 * what is not told is in the delivery log.
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
    const told = waiting;
    waiting = [];
    for (const make of told) tell(make);
  }

  function tell(make: MakeResults): void {
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
        tell(make);
        return;
      }
      if (waiting.length < mostWaiting) waiting.push(make);
      if (!isAsking) void ask();
    },
  };
}
