import { Queue } from 'bullmq';
import { queuePrefix, type RedisConnection } from './connect.ts';
import { jobNames, mergeJobs, type JobName, type Jobs } from './jobs.ts';
import { connectProducer } from './redis.ts';

export interface ProducerOptions {
  url: string;
  /** First part of every key, so that installations can share a server. */
  prefix: string;
  /** Redis is away, or a job could not be put: a warning, since the sweep wakes what was missed. */
  onError: (error: Error) => void;
}

export interface Producer {
  /**
   * Puts a wake-up call into Redis. Never waits and never fails: PostgreSQL holds the work, and the sweep finds it when
   * Redis is away.
   */
  wake<Name extends JobName>(name: Name, job: Jobs[Name]): void;
  /** How many jobs wait; null while Redis is away. */
  waiting(name: JobName): Promise<number | null>;
  /**
   * Whether it is this process's turn to do something that one of many does every `forMs`. False also while Redis is away.
   */
  takeTurn(what: string, forMs: number): Promise<boolean>;
  isReady(): boolean;
  redis: RedisConnection;
  /** Waits for the calls that are on their way. */
  close(): Promise<void>;
}

/** Calls that come within this time of each other become one job: a job costs some 30 commands of Redis. */
const gatherMs = 2;

export function createProducer({ url, prefix, onError }: ProducerOptions): Producer {
  const redis = connectProducer({ url, onError });
  const isReady = (): boolean => redis.status === 'ready';
  const queues = {
    match: openQueue('match', queuePrefix(url, prefix), redis, onError),
    deliver: openQueue('deliver', queuePrefix(url, prefix), redis, onError),
    notify: openQueue('notify', queuePrefix(url, prefix), redis, onError),
  };
  const gathered: Partial<Jobs> = {};
  const underWay = new Set<Promise<unknown>>();
  let timer: NodeJS.Timeout | null = null;

  function put(): void {
    if (timer) clearTimeout(timer);
    timer = null;
    for (const name of jobNames) {
      const job = gathered[name];
      delete gathered[name];
      // BullMQ would keep the job until Redis is back; by then the sweep has found the work already.
      if (!job || !isReady()) continue;
      const call: Promise<unknown> = queues[name]
        .add(name, job)
        .catch(onError)
        .finally(() => underWay.delete(call));
      underWay.add(call);
    }
  }

  return {
    redis,
    isReady,
    wake<Name extends JobName>(name: Name, job: Jobs[Name]): void {
      if (!isReady()) return;
      const before = gathered[name];
      gathered[name] = before ? mergeJobs[name](before, job) : job;
      timer ??= setTimeout(put, gatherMs);
    },
    async waiting(name) {
      return isReady() ? queues[name].getWaitingCount().catch(() => null) : null;
    },
    async takeTurn(what, forMs) {
      if (!isReady()) return false;
      const taken = await redis.set(`${prefix}:turn:${what}`, '1', 'PX', forMs, 'NX').catch(() => null);
      return taken === 'OK';
    },
    async close() {
      put();
      await Promise.all(underWay);
      await Promise.all(jobNames.map((name) => queues[name].close()));
      redis.disconnect();
    },
  };
}

function openQueue(name: JobName, prefix: string, connection: RedisConnection, onError: (error: Error) => void): Queue {
  // Jobs are tried once and leave nothing behind: what they name stays in PostgreSQL until it is done.
  const defaultJobOptions = { attempts: 1, removeOnComplete: true, removeOnFail: true };
  const queue = new Queue(name, { connection, prefix, defaultJobOptions, skipVersionCheck: true });
  queue.on('error', onError);
  return queue;
}
