import { queuePrefix, type RedisConnection } from './redis/connect.ts';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Consumer } from './consumer.ts';
import { connectConsumer } from './redis/redis.ts';

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

export interface EventConsumerOptions {
  url: string;
  prefix: string;
  /** Maximum number of events in a batch. */
  maxEvents: number;
  /** Maximum number of concurrent batches. */
  concurrency: number;
  /** @param priority the common priority of all events of a batch. */
  work: (eventIds: string[], priority: number) => Promise<void>;
  /** Enqueues the events that this consumer returns when it is closed. */
  producer: { redis: RedisConnection; enqueueEvents: (eventIds: readonly string[], priority: number) => void };
  /** Redis is away, or refused a command. */
  onError: (error: Error) => void;
  /** The work on a batch failed, or the queue contained something other than event ids. */
  onFailed: (error: Error) => void;
}

/** How long Redis blocks while no event comes. Shorter than the silence after which a connection is replaced. */
const blockSeconds = 10;
/** The pause after a command that Redis has refused: it is full, or read-only. */
const restMs = 1_000;
/** How long a closing consumer waits for Redis to end its blocking command. */
const goodbyeMs = 1_000;
const eventId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/iu;

/**
 * Claims pending events from the queue: those of the lowest priority first, those of different priorities in different
 * batches. Only events that can be processed at once are claimed, so that an event of a lower priority that comes
 * meanwhile precedes the others. While there is none, Redis blocks until one comes: nothing is polled.
 *
 * The events of a process that dies are still in PostgreSQL, and the sweep enqueues them again.
 */
export function createEventConsumer(options: EventConsumerOptions): Consumer {
  const { url, prefix, maxEvents, concurrency, work, producer, onError, onFailed } = options;
  const key = eventQueueKey(url, prefix);
  /** No other client waits for this key: anything that is put there ends a blocking command of this consumer. */
  const closingKey = `${key}:closing:${randomUUID()}`;
  const closing = new AbortController();
  const connection = connectConsumer({ url, onError, isWanted: () => !closing.signal.aborted });
  /** Event ids that are claimed and not processed yet, by priority. */
  const claimed = new Map<number, string[]>();
  let isBlocking = false;
  let claiming = Promise.resolve<[number, string[]] | undefined>(undefined);

  /** One request at a time: the first free worker gets the first events. */
  const claimNext = () => (claiming = claiming.then(claim));

  async function claim(): Promise<[number, string[]] | undefined> {
    if (closing.signal.aborted) return undefined;
    isBlocking = true;
    try {
      const free = maxEvents - [...claimed.values()].reduce((sum, ids) => sum + ids.length, 0);
      keep(claimed.size > 0 ? await pop(free) : await waitAndPop(free));
    } catch (error) {
      await rest(error as Error);
    } finally {
      isBlocking = false;
    }
    return closing.signal.aborted || claimed.size === 0 ? undefined : claimLowest();
  }

  function claimLowest(): [number, string[]] {
    const lowest = Math.min(...claimed.keys());
    const eventIds = claimed.get(lowest) ?? [];
    claimed.delete(lowest);
    return [lowest, eventIds];
  }

  async function pop(count: number): Promise<unknown[]> {
    return (await connection.zpopmin(key, count)).flat();
  }

  /** Two commands in one packet: the second claims the events that came together with the first one. */
  async function waitAndPop(count: number): Promise<unknown[]> {
    const replies = await connection
      .pipeline()
      .bzpopmin(closingKey, key, blockSeconds)
      .zpopmin(key, count - 1)
      .exec();
    const [first, others] = (replies ?? []).map(([error, reply]) => {
      if (error) throw error;
      return reply as unknown[] | null;
    });
    const [from, member, score] = first ?? [];
    return [...(from === key ? [member, score] : []), ...(others ?? []).flat()];
  }

  /** @param popped members and scores alternately. Another program that can write to Redis can put anything there. */
  function keep(popped: unknown[]): void {
    let refused = 0;
    for (let at = 0; at < popped.length; at += 2) {
      const [member, score] = [String(popped[at]), Number(popped[at + 1])];
      const priority = Number.isSafeInteger(score) ? score : 0;
      const eventIds = claimed.get(priority);
      if (!eventId.test(member)) refused += 1;
      else if (eventIds) eventIds.push(member);
      else claimed.set(priority, [member]);
    }
    if (refused > 0) onFailed(new Error(`${refused} entries of ${key} are no event ids`));
  }

  async function rest(refusal: Error): Promise<void> {
    // Ended by `close`.
    if (closing.signal.aborted) return;
    onError(refusal);
    // The key is ours, and its content is useless: without it the queue works again.
    if (refusal.message.startsWith('WRONGTYPE')) await connection.unlink(key).catch(onError);
    await sleep(restMs, undefined, { ref: false, signal: closing.signal }).catch(() => undefined);
  }

  async function run(): Promise<void> {
    while (!closing.signal.aborted) {
      const [priority, eventIds] = (await claimNext()) ?? [0, []];
      if (eventIds.length > 0) await work(eventIds, priority).catch(onFailed);
    }
  }

  /** Ends the blocking command without losing an event that Redis has just returned. */
  async function endBlocking(): Promise<void> {
    if (!isBlocking) return;
    await producer.redis.pipeline().zadd(closingKey, 0, 'closing').pexpire(closingKey, restMs).exec();
    await claiming;
  }

  const running = Array.from({ length: concurrency }, run);
  return {
    isReady: () => connection.status === 'ready',
    async close() {
      closing.abort();
      let timer: NodeJS.Timeout | undefined;
      const patience = new Promise((resolve) => (timer = setTimeout(resolve, goodbyeMs)));
      await Promise.race([endBlocking().catch(() => undefined), patience]);
      clearTimeout(timer);
      connection.disconnect();
      await Promise.all(running);
      for (const [priority, eventIds] of claimed) producer.enqueueEvents(eventIds, priority);
      claimed.clear();
    },
  };
}
