import { queuePrefix, type RedisConnection } from '../redis/connect.ts';

/** The producing side of the queue of pending events. */
export interface EventQueue {
  /** Adds events; a waiting event keeps the earlier of its priorities. Never waits and never fails. */
  add(eventIds: readonly string[], priorities: number | readonly number[]): void;
  /** The number of waiting events, including those added before the call. */
  length(): Promise<number>;
  /** Waits for commands under way to Redis. */
  drain(): Promise<void>;
}

/**
 * Maximum number of events in Redis, some 7 MB: the last in line are dropped. PostgreSQL has them, and
 * the sweep enqueues them again.
 */
export const maxQueuedEvents = 50_000;
/** The queue is trimmed after this many additions of one process. */
const trimEvery = 1_000;
/** The lifetime of the queue of an installation that no longer exists. */
const keptMs = 86_400_000;
/** Maximum number of events that wait in memory while an addition is under way; the others are left to the sweep. */
const mostGathered = 10_000;

/** The key of the queue: a sorted set of event ids, with their priorities as scores. */
export function eventQueueKey(url: string, prefix: string): string {
  return `${queuePrefix(url, prefix)}:events`;
}

/**
 * Pending events wait in a sorted set and not in jobs: a commit costs one command. Event ids are in the order of their
 * times, so events of the same priority are claimed in order of acceptance.
 * @param onError Redis refused an addition: the sweep enqueues its events again.
 */
export function createEventQueue(redis: RedisConnection, key: string, onError: (error: Error) => void): EventQueue {
  /** Priorities and ids alternately, in the order of ZADD's arguments. */
  let gathered: (string | number)[] = [];
  let untilTrim = 0;
  /** One addition at a time. */
  const underWay = new Set<Promise<void>>();

  /** Events that come while an addition is under way gather, and are sent with the next. */
  function send(): void {
    const entries = gathered;
    gathered = [];
    const adding: Promise<void> = addToRedis(entries)
      .catch(onError)
      .finally(() => {
        underWay.delete(adding);
        if (gathered.length > 0) send();
      });
    underWay.add(adding);
  }

  async function addToRedis(entries: (string | number)[]): Promise<void> {
    untilTrim -= entries.length / 2;
    if (untilTrim >= 0) {
      await redis.zadd(key, 'LT', ...entries);
      return;
    }
    untilTrim = trimEvery;
    const replies = await redis
      .pipeline()
      .zadd(key, 'LT', ...entries)
      .zremrangebyrank(key, maxQueuedEvents, -1)
      .pexpire(key, keptMs)
      .exec();
    for (const [error] of replies ?? []) if (error) throw error;
  }

  async function drain(): Promise<void> {
    while (underWay.size > 0) await Promise.all(underWay);
  }

  return {
    drain,
    add(eventIds, priorities) {
      for (const [index, eventId] of eventIds.entries()) {
        if (gathered.length >= 2 * mostGathered) break;
        gathered.push(typeof priorities === 'number' ? priorities : (priorities[index] ?? 0), eventId);
      }
      if (underWay.size === 0 && gathered.length > 0) send();
    },
    async length() {
      await drain();
      return redis.zcard(key);
    },
  };
}
