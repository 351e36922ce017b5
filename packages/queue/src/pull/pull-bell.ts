import type { RedisConnection } from '../redis/connect.ts';
import { pullChannel, writeRings } from './ring.ts';

export interface PullBellOptions {
  /** Of a producer: its commands fail at once while Redis is away. */
  readonly redis: RedisConnection;
  readonly prefix: string;
}

/** Wakes those who wait to fetch callouts. */
export interface PullBell {
  /** These webhooks may have something to fetch. It never waits and never fails: those who wait also look on their own. */
  ring(webhookKeys: readonly number[]): void;
}

export function createPullBell({ redis, prefix }: PullBellOptions): PullBell {
  return {
    ring(webhookKeys) {
      if (redis.status !== 'ready') return;
      for (const ring of writeRings(webhookKeys)) redis.publish(pullChannel(prefix), ring).catch(() => undefined);
    },
  };
}
