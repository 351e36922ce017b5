import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { expect, it } from '@jest/globals';
import { sharedRedis } from '@callout/local/test-run';
import { connectProducer } from './redis.ts';
import { removeKeys } from './remove-keys.ts';

it('removes the keys under its prefix and leaves other keys', async () => {
  const { url } = await sharedRedis();
  const prefix = `callout_test_${randomUUID()}`;
  const redis = connectProducer({ url, onError: () => undefined });
  await once(redis, 'ready');
  await redis.mset(`${prefix}:match:1`, 'a', `${prefix}:deliver:meta`, 'b', `${prefix}2:match:1`, 'another');
  await removeKeys(url, prefix);
  expect(await redis.keys(`${prefix}*`)).toEqual([`${prefix}2:match:1`]);
  await redis.unlink(`${prefix}2:match:1`);
  redis.disconnect();
});

it('fails without Redis, and does not wait for it', async () => {
  await expect(removeKeys('redis://127.0.0.1:1', 'callout_test')).rejects.toThrow('ECONNREFUSED');
});
