import { type RedisConnection } from './connect.ts';
import { type RedisRefusal, refusalOf } from './refusals.ts';

/** Finds out whether Redis takes writes. */
export interface WriteWatch {
  /** Why Redis took no write, or no connection, the last time; null when it did, and while it is away. */
  refusal(): RedisRefusal | null;
  /** Writes now. Resolves with the result, and never rejects. */
  check(): Promise<RedisRefusal | null>;
  stop(): void;
}

const everyMs = 2_000;
const keptMs = 60_000;

/**
 * Writes one small key every two seconds. A server that has become a replica, is full, or cannot save answers reads as
 * usual, so a connection proves nothing.
 * @param key expires by itself.
 */
export function createWriteWatch(redis: RedisConnection, key: string): WriteWatch {
  let refusal: RedisRefusal | null = null;
  let checking: Promise<RedisRefusal | null> | undefined;

  async function write(): Promise<RedisRefusal | null> {
    // ioredis connects again after READONLY: until then the last result stands.
    if (redis.status !== 'ready') return refusal;
    try {
      await redis.set(key, '1', 'PX', keptMs);
      refusal = null;
    } catch (error) {
      refusal = refusalOf(error);
    }
    return refusal;
  }

  const check = () => (checking ??= write().finally(() => (checking = undefined)));
  redis.on('ready', () => {
    // After a refusal the timer is soon enough: each READONLY ends the connection, and so brings another one.
    if (refusal === null) void check();
  });
  // A connection that breaks says nothing about writes, but one that is refused for its password says why.
  redis.on('error', (error) => (refusal = refusalOf(error)));
  const timer = setInterval(() => void check(), everyMs).unref();
  return { refusal: () => refusal, check, stop: () => clearInterval(timer) };
}
