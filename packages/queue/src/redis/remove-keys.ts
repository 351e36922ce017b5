import { once } from 'node:events';
import { Cluster } from 'ioredis';
import { queuePrefix, type RedisConnection } from './connect.ts';
import { connectProducer } from './redis.ts';

/**
 * Removes every key under a prefix, and nothing else.
 * @throws when Redis cannot be reached.
 */
export async function removeKeys(url: string, prefix: string): Promise<void> {
  const redis = connectProducer({ url, onError: () => undefined });
  try {
    await once(redis, 'ready');
    for (const start of new Set([prefix, queuePrefix(url, prefix)])) await removeStartingWith(redis, `${start}:`);
  } finally {
    redis.disconnect();
  }
}

async function removeStartingWith(redis: RedisConnection, start: string): Promise<void> {
  const servers = redis instanceof Cluster ? redis.nodes('master') : [redis];
  for (const server of servers) {
    for await (const keys of server.scanStream({ match: `${start}*`, count: 1000 })) {
      // One by one: a Cluster accepts several keys at once only in one slot.
      await Promise.all((keys as string[]).map((key) => redis.unlink(key)));
    }
  }
}
