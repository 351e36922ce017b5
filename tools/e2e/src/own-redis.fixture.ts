import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type LocalRedis, startRedis } from '@callout/local/redis';
import { connectConsumer } from '@callout/queue/redis/redis';
import { type CalloutSetup, createTestDatabase, prepareCallout } from '@callout/testing';

/** A Redis that a test may change as a whole, and a setup on this Redis. */
export interface OwnRedis {
  readonly redis: LocalRedis;
  readonly setup: CalloutSetup;
  /** Runs a command, and returns the reply. */
  command(...words: readonly string[]): Promise<unknown>;
  readonly stop: () => Promise<void>;
}

export async function startOwnRedis(): Promise<OwnRedis> {
  const dir = await mkdtemp(path.join(tmpdir(), 'callout-own-redis-'));
  const [redis, database] = await Promise.all([startRedis({ dataDir: dir }), createTestDatabase()]);
  const setup = await prepareCallout({ databaseUrl: database.url, redisUrl: redis.url, redisPrefix: 'callout' });
  return {
    redis,
    setup,
    async command(...[name = '', ...args]) {
      const connection = connectConsumer({ url: redis.url, onError: () => undefined, isWanted: () => true });
      const reply = await connection.call(name, ...args);
      connection.disconnect();
      return reply;
    },
    async stop() {
      await setup.stop();
      await Promise.all([redis.stop(), database.drop()]);
      await rm(dir, { recursive: true });
    },
  };
}
