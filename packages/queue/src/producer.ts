import { Queue } from 'bullmq';
import { queuePrefix, type RedisConnection } from './redis/connect.ts';
import { createEventQueue, eventQueueKey } from './event-queue.ts';
import { jobQueue } from './jobs.ts';
import { priorityOfRepeats } from './priorities.ts';
import { checkRedis, connectProducer } from './redis/redis.ts';
import { pullChannel } from './pull-signals.ts';
import { requirePermissions } from './redis/permissions.ts';
import { type RedisRefusal, refusalOf } from './redis/refusals.ts';
import { createWriteWatch } from './redis/write-watch.ts';

export interface ProducerOptions {
  url: string;
  /** First part of every key, so that installations can share a server. */
  prefix: string;
  /** Redis is away, or refused a command: only a warning, since the sweep enqueues the rows again. */
  onError: (error: Error) => void;
}

/**
 * Passes the keys of rows that need work to workers, through Redis. It never waits and never fails: PostgreSQL has the
 * work, and workers find it there when Redis is away.
 */
export interface Producer {
  /**
   * Enqueues pending events for match.
   * @param priorities one for each event, as `createFairEnqueue` assigns them, or one for all. Absent for
   * events that are enqueued again.
   */
  enqueueEvents(eventIds: readonly string[], priorities?: number | readonly number[]): void;
  /** Enqueues webhooks that have due callouts. */
  enqueueWebhooks(webhookKeys: readonly number[]): void;
  /** How many pending events wait in Redis; null while Redis cannot be used. */
  waitingEvents(): Promise<number | null>;
  /** How many jobs wait; null while Redis cannot be used. */
  waitingJobs(): Promise<number | null>;
  /**
   * Claims a task that one of many processes does in each period of `forMs`. False when another has claimed it, and
   * while Redis cannot be used.
   */
  claimPeriod(what: string, forMs: number): Promise<boolean>;
  /** Whether Redis is connected and takes writes: otherwise nothing is enqueued. */
  isReady(): boolean;
  isConnected(): boolean;
  /** Why Redis, although connected, takes no writes; null when it does. */
  refusal(): RedisRefusal | null;
  /** Why nothing is enqueued, without confidential data; null when `isReady`. */
  problem(): string | null;
  /** Why Redis cannot be used, or should not be, after a write and a look at its settings; empty when all is well. */
  problems(): Promise<string[]>;
  /** For the start. @throws with a sentence when the user of REDIS_URL lacks a permission. A Redis that is away is not checked. */
  requirePermissions(): Promise<void>;
  /** Waits until the first attempt to connect has succeeded or failed: before, a missing connection means nothing. */
  firstAttempt: Promise<void>;
  redis: RedisConnection;
  /** Waits for commands under way. */
  close(): Promise<void>;
}

/** A job with this many webhooks is not made larger. */
const manyWebhooks = 500;

export function createProducer({ url, prefix, onError: report }: ProducerOptions): Producer {
  const redis = connectProducer({ url, onError: report });
  const writes = createWriteWatch(redis, `${queuePrefix(url, prefix)}:writable`);
  const isConnected = (): boolean => redis.status === 'ready';
  const problem = (): string | null => writes.refusal()?.sentence ?? (isConnected() ? null : 'Redis is away');
  const isReady = (): boolean => problem() === null;
  const onError = (error: Error): void => {
    report(error);
    void writes.check();
  };
  const firstAttempt = new Promise<void>((resolve) => redis.once('ready', resolve).once('close', resolve));
  const events = createEventQueue(redis, eventQueueKey(url, prefix), onError);
  const queue = openQueue(queuePrefix(url, prefix), redis, onError);
  /** The webhooks of each job that is not sent yet. */
  const gathered: Set<number>[] = [];
  const underWay = new Set<Promise<unknown>>();
  let isPutSoon = false;

  /**
   * A job is sent as soon as no other of this process is under way to Redis. Jobs that come meanwhile are merged
   * into one: a job costs some 30 commands of Redis. So nothing waits while there is little to do, and the more there
   * is, the more webhooks each job names.
   */
  function putSoon(): void {
    if (isPutSoon || underWay.size > 0) return;
    isPutSoon = true;
    setImmediate(() => {
      isPutSoon = false;
      put();
    });
  }

  function put(): void {
    // BullMQ would keep the job until Redis is back; by then the sweep has found the work already.
    for (const webhookKeys of gathered.splice(0)) if (isReady()) add([...webhookKeys]);
  }

  function add(webhookKeys: number[]): void {
    const call: Promise<unknown> = queue
      .add(jobQueue, { webhookKeys })
      .catch(onError)
      .finally(() => {
        underWay.delete(call);
        if (underWay.size === 0) put();
      });
    underWay.add(call);
  }

  return {
    redis,
    isReady,
    isConnected,
    refusal: () => writes.refusal(),
    problem,
    async problems() {
      await firstAttempt;
      await writes.check();
      const known = problem();
      return known === null ? checkRedis(redis).catch(refusedSentence) : [known];
    },
    requirePermissions: () =>
      requirePermissions(redis, firstAttempt, {
        key: `${queuePrefix(url, prefix)}:writable`,
        channel: pullChannel(prefix),
      }),
    firstAttempt,
    enqueueEvents(eventIds, priorities = priorityOfRepeats(Date.now())) {
      if (isReady()) events.add(eventIds, priorities);
    },
    enqueueWebhooks(webhookKeys) {
      if (!isReady()) return;
      const last = gathered.at(-1);
      if (last === undefined || last.size >= manyWebhooks) gathered.push(new Set(webhookKeys));
      else for (const webhookKey of webhookKeys) last.add(webhookKey);
      putSoon();
    },
    async waitingEvents() {
      return isReady() ? events.length().catch(() => null) : null;
    },
    async waitingJobs() {
      return isReady() ? queue.getJobCountByTypes('waiting').catch(() => null) : null;
    },
    async claimPeriod(what, forMs) {
      if (!isReady()) return false;
      const claimed = await redis.set(`${prefix}:period:${what}`, '1', 'PX', forMs, 'NX').catch(() => null);
      return claimed === 'OK';
    },
    async close() {
      writes.stop();
      put();
      await events.drain();
      while (underWay.size > 0) await Promise.all(underWay);
      await queue.close();
      redis.disconnect();
    },
  };
}

function openQueue(prefix: string, connection: RedisConnection, onError: (error: Error) => void): Queue {
  // Jobs are tried once and leave nothing behind: their work stays in PostgreSQL until it is done.
  const defaultJobOptions = { attempts: 1, removeOnComplete: true, removeOnFail: true };
  const queue = new Queue(jobQueue, { connection, prefix, defaultJobOptions, skipVersionCheck: true });
  queue.on('error', onError);
  return queue;
}

/** @throws the error itself when it is no refusal of Redis. */
function refusedSentence(error: unknown): string[] {
  const refusal = refusalOf(error);
  if (refusal === null) throw error;
  return [refusal.sentence];
}
