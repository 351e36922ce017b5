import { type RedisConnection } from './connect.ts';
import { keptMs, type ProbedNames, refusedCommands } from './permissions.ts';
import { type RedisRefusal, lackOf, refusalOf } from './refusals.ts';

/** Finds out whether Redis takes writes. */
export interface WriteWatch {
  /** Why Redis took no write, or no connection, the last time; null after a success, and while Redis is away. */
  refusal(): RedisRefusal | null;
  /** Writes now. Resolves with the result, and never rejects. */
  check(): Promise<RedisRefusal | null>;
  stop(): void;
}

const everyMs = 2_000;
/** Redis counts most of the tried commands as errors, so they are tried less often. */
const permissionsEveryMs = 10_000;

/**
 * Writes one small key every two seconds, and every ten tries the other commands. A server that has become a replica,
 * is full, or cannot save answers reads as usual, and permissions can be withdrawn, so a connection proves nothing.
 * @param names the key expires without help.
 */
export function createWriteWatch(redis: RedisConnection, names: ProbedNames): WriteWatch {
  let refusal: RedisRefusal | null = null;
  let triedAtMs = -Infinity;
  let checking: Promise<RedisRefusal | null> | undefined;

  async function write(): Promise<RedisRefusal | null> {
    // ioredis connects again after READONLY: until then the last result stands.
    if (redis.status !== 'ready') return refusal;
    const [error, refused] = await Promise.all([
      redis.set(names.key, '1', 'PX', keptMs).then(
        () => null,
        (reason: unknown) => reason,
      ),
      findRefused(),
    ]);
    refusal = refused.length > 0 ? lackOf(refused) : error === null ? null : refusalOf(error);
    return refusal;
  }

  async function findRefused(): Promise<string[]> {
    const isSoon = performance.now() - triedAtMs < permissionsEveryMs;
    if (isSoon && refusal?.reason !== 'NOPERM') return [];
    triedAtMs = performance.now();
    return refusedCommands(redis, names);
  }

  const check = () => (checking ??= write().finally(() => (checking = undefined)));
  redis.on('ready', () => {
    // After a refusal the timer is soon enough: each READONLY ends the connection, and leads to a new connection.
    if (refusal === null) void check();
  });
  // A broken connection says nothing about writes, but a connection refused for the password says why.
  redis.on('error', (error) => (refusal = refusalOf(error)));
  const timer = setInterval(() => void check(), everyMs).unref();
  return { refusal: () => refusal, check, stop: () => clearInterval(timer) };
}
