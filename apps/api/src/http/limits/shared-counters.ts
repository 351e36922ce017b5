import { RateLimiterRedis } from 'rate-limiter-flexible';
import type { connectCounter } from '@callout/queue/redis/redis';
import type { Logger } from '@callout/runtime/log/logger';
import { createOwnCounter, type MakeCounter } from './rate.ts';

interface CountersDeps {
  readonly redis: ReturnType<typeof connectCounter>;
  /** First part of every key in Redis. */
  readonly prefix: string;
  readonly log: Pick<Logger, 'warn'>;
  /** Milliseconds of any steady clock. */
  readonly now?: () => number;
}

/** How often an absent Redis is tried: a hanging Redis delays few requests. */
const ASK_AGAIN_AFTER_MS = 1_000;
/** Keys have limits of their own, which change at any time: the library only counts, and the limit is compared here. */
const POINTS = Number.MAX_SAFE_INTEGER;

/**
 * Counters of all processes together, in Redis. While Redis is away each process counts in memory, and no request fails
 * or waits: the log reports once that Redis is away, and once that Redis is back.
 */
export function createCounters({ redis, prefix, log, now = () => performance.now() }: CountersDeps): MakeCounter {
  let isAway = false;
  let askAgainAtMs = -Infinity;

  async function inRedisElse<T>(inRedis: () => Promise<T>, here: () => T): Promise<T> {
    if (now() < askAgainAtMs) return here();
    try {
      const result = await inRedis();
      if (isAway) log.warn({}, 'Redis is back: API requests are counted for all processes together');
      isAway = false;
      return result;
    } catch (err) {
      if (!isAway) log.warn({ err }, 'Redis is away: each process counts API requests for itself');
      isAway = true;
      askAgainAtMs = now() + ASK_AGAIN_AFTER_MS;
      return here();
    }
  }

  return (name, windowS) => {
    const options = { points: POINTS, duration: windowS, keyPrefix: `${prefix}:${name}` };
    const shared = new RateLimiterRedis({ ...options, storeClient: redis, rejectIfRedisNotReady: true });
    const ownCounter = createOwnCounter({ windowMs: windowS * 1000 });
    return {
      add: (key) =>
        inRedisElse(
          async () => {
            const { consumedPoints, msBeforeNext } = await shared.consume(key);
            return { used: consumedPoints, endsInS: Math.max(1, Math.ceil(msBeforeNext / 1000)) };
          },
          () => ownCounter.add(key),
        ),
      used: (key) =>
        inRedisElse(
          async () => (await shared.get(key))?.consumedPoints ?? 0,
          () => ownCounter.useOf(key).used,
        ),
    };
  };
}
