import { once } from 'node:events';
import { connectProducer } from './redis.ts';

/**
 * Removes every key under a prefix, of both queues and whatever else is there, and nothing else.
 * @throws when Redis cannot be reached.
 */
export async function removeKeys(url: string, prefix: string): Promise<void> {
  const redis = connectProducer({ url, onError: () => undefined });
  try {
    await once(redis, 'ready');
    for await (const keys of redis.scanStream({ match: `${prefix}:*`, count: 1000 })) {
      if (keys.length > 0) await redis.unlink(...keys);
    }
  } finally {
    redis.disconnect();
  }
}
