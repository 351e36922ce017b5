import { describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { testRedis } from './test-redis.ts';

describe('testRedis', () => {
  it('gives every caller a prefix of its own and removes only the keys under it', async () => {
    const [mine, yours] = [await testRedis(), await testRedis()];
    expect(mine.prefix).toMatch(/^callout_test_[0-9a-f]{16}$/);
    expect(mine.prefix).not.toBe(yours.prefix);
    const redis = new Redis(mine.url);
    const keys = Array.from({ length: 2500 }, (_, n) => [`${mine.prefix}:${n}`, '1']).flat();
    await redis.mset(...keys, `${yours.prefix}:a`, 'kept');
    await mine.cleanUp();
    expect(await redis.exists(`${mine.prefix}:0`, `${mine.prefix}:2499`)).toBe(0);
    expect(await redis.get(`${yours.prefix}:a`)).toBe('kept');
    await yours.cleanUp();
    redis.disconnect();
  });
});
