import { setTimeout as sleep } from 'node:timers/promises';
import { queuePrefix, type RedisConnection } from './redis/connect.ts';
import { createJobSender, manyRows } from './job-sender.ts';
import type { JobName } from './jobs.ts';
import { priorityOfRepeats } from './priorities.ts';
import { checkRedis, connectProducer } from './redis/redis.ts';
import { pullChannel } from './pull-signals.ts';
import { type RedisRefusal, refusalOf } from './redis/refusals.ts';
import { createWriteWatch } from './redis/write-watch.ts';

export interface ProducerOptions {
  url: string;
  /** First part of every key, for installations that share a server. */
  prefix: string;
  /** Redis is away, or refused a command: only a warning, since the sweep enqueues the rows again. */
  onError: (error: Error) => void;
}

/**
 * Passes the keys of rows that need work to workers, through Redis. The producer never waits and never fails:
 * PostgreSQL has the work, where workers find everything when Redis is away.
 */
export interface Producer {
  /**
   * Enqueues pending events for match, as one job for each priority. Above `maxMatchJobs`, events are left to the
   * sweep.
   * @param priorities a number for each event, as `createFairEnqueue` assigns them, or one number for all. Absent for
   * events that are enqueued again.
   */
  enqueueEvents(eventIds: readonly string[], priorities?: number | readonly number[]): void;
  /** Enqueues webhooks that have due callouts. */
  enqueueWebhooks(webhookKeys: readonly number[]): void;
  /** How many jobs wait, with the jobs enqueued before the call; null while Redis cannot be used. */
  waitingJobs(name: JobName): Promise<number | null>;
  /**
   * Claims a task that one of many processes does in each period of `forMs`. False when another process has claimed the
   * task, and while Redis cannot be used.
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

/** A start does not wait longer for Redis, which is not required. */
const patienceMs = 2_000;

export function createProducer({ url, prefix, onError: report }: ProducerOptions): Producer {
  const redis = connectProducer({ url, onError: report });
  const probed = { key: `${queuePrefix(url, prefix)}:writable`, channel: pullChannel(prefix) };
  const writes = createWriteWatch(redis, probed);
  const isConnected = (): boolean => redis.status === 'ready';
  const problem = (): string | null => writes.refusal()?.sentence ?? (isConnected() ? null : 'Redis is away');
  const isReady = (): boolean => problem() === null;
  const onError = (error: Error): void => {
    report(error);
    void writes.check();
  };
  const firstAttempt = new Promise<void>((resolve) => redis.once('ready', resolve).once('close', resolve));
  const jobs = createJobSender({ redis, prefix: queuePrefix(url, prefix), isReady, onError });

  return {
    redis,
    isReady,
    isConnected,
    refusal: () => writes.refusal(),
    problem,
    async problems() {
      await firstAttempt;
      await writes.check();
      const writeProblem = problem();
      return writeProblem === null ? checkRedis(redis).catch(refusedSentence) : [writeProblem];
    },
    async requirePermissions() {
      await Promise.race([firstAttempt, sleep(patienceMs, undefined, { ref: false })]);
      const refusal = await writes.check();
      if (refusal?.reason === 'NOPERM') throw new Error(refusal.sentence);
    },
    firstAttempt,
    enqueueEvents(eventIds, priorities = priorityOfRepeats(Date.now())) {
      if (!isReady()) return;
      const byPriority = new Map<number, string[]>();
      for (const [index, eventId] of eventIds.entries()) {
        const priority = typeof priorities === 'number' ? priorities : (priorities[index] ?? 0);
        const samePriority = byPriority.get(priority);
        if (samePriority) samePriority.push(eventId);
        else byPriority.set(priority, [eventId]);
      }
      for (const [priority, ids] of byPriority) {
        for (let from = 0; from < ids.length; from += manyRows.match) {
          jobs.enqueue('match', { eventIds: ids.slice(from, from + manyRows.match) }, priority);
        }
      }
    },
    enqueueWebhooks(webhookKeys) {
      if (isReady()) jobs.enqueue('deliver', { webhookKeys: [...webhookKeys] }, 0);
    },
    async waitingJobs(name) {
      return isReady() ? jobs.waiting(name).catch(() => null) : null;
    },
    async claimPeriod(what, forMs) {
      if (!isReady()) return false;
      const claimed = await redis.set(`${prefix}:period:${what}`, '1', 'PX', forMs, 'NX').catch(() => null);
      return claimed === 'OK';
    },
    async close() {
      writes.stop();
      await jobs.close();
      redis.disconnect();
    },
  };
}

/** @throws the error itself when it is no refusal of Redis. */
function refusedSentence(error: unknown): string[] {
  const refusal = refusalOf(error);
  if (refusal === null) throw error;
  return [refusal.sentence];
}
