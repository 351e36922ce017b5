import type { RedisConnection } from '../redis/connect.ts';
import { pullChannel, writePullMessages } from './pull-message.ts';

export interface PullNotifierOptions {
  /** The connection of a producer: its commands fail at once while Redis is away. */
  readonly redis: RedisConnection;
  readonly prefix: string;
}

/** Notifies requests that wait to fetch callouts. */
export interface PullNotifier {
  /**
   * These webhooks may have callouts to fetch. It never waits and never fails: waiting requests also look on their own.
   */
  notify(webhookKeys: readonly number[]): void;
}

export function createPullNotifier({ redis, prefix }: PullNotifierOptions): PullNotifier {
  return {
    notify(webhookKeys) {
      if (redis.status !== 'ready') return;
      for (const message of writePullMessages(webhookKeys))
        redis.publish(pullChannel(prefix), message).catch(() => undefined);
    },
  };
}
