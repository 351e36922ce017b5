import { randomBytes } from 'node:crypto';
import { sharedRedis } from '@callout/local/test-run';
import { Redis } from 'ioredis';

export interface TestRedis {
  url: string;
  /** The prefix of every key of this test file; pass it to BullMQ as `prefix`. */
  prefix: string;
  /** Removes the keys under the prefix, and no others. */
  cleanUp: () => Promise<void>;
}

/**
 * The Redis of the test run, with a key prefix of its own for a test file. Others use the same server at the same time:
 * never empty it; a test that empties, stops or restarts Redis starts one with `startRedis`.
 */
export async function testRedis(): Promise<TestRedis> {
  const { url } = await sharedRedis();
  const prefix = `callout_test_${randomBytes(8).toString('hex')}`;
  return { url, prefix, cleanUp: () => removeKeys(url, prefix) };
}

async function removeKeys(url: string, prefix: string): Promise<void> {
  const redis = new Redis(url);
  try {
    for await (const keys of redis.scanStream({ match: `${prefix}*`, count: 1000 })) {
      if (keys.length > 0) await redis.unlink(...keys);
    }
  } finally {
    redis.disconnect();
  }
}
