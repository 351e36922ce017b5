import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { jobNames, type JobName, type Jobs } from './jobs.ts';
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
  isReady(): boolean;
  redis: Redis;
  /** Waits for the calls that are on their way. */
  close(): Promise<void>;
}

export function createProducer({ url, prefix, onError }: ProducerOptions): Producer {
  const redis = connectProducer({ url, onError });
  const queues = new Map(jobNames.map((name) => [name, openQueue(name, prefix, redis, onError)]));
  const underWay = new Set<Promise<unknown>>();
  const queueOf = (name: JobName): Queue => {
    const queue = queues.get(name);
    if (!queue) throw new Error(`no queue ${name}`);
    return queue;
  };
  const isReady = (): boolean => redis.status === 'ready';
  return {
    redis,
    isReady,
    wake(name, job) {
      // BullMQ would keep the job until Redis is back; by then the sweep has found the work already.
      if (!isReady()) return;
      const call: Promise<unknown> = queueOf(name)
        .add(name, job)
        .catch(onError)
        .finally(() => underWay.delete(call));
      underWay.add(call);
    },
    async waiting(name) {
      return isReady()
        ? queueOf(name)
            .getWaitingCount()
            .catch(() => null)
        : null;
    },
    async close() {
      await Promise.all(underWay);
      await Promise.all([...queues.values()].map((queue) => queue.close()));
      redis.disconnect();
    },
  };
}

function openQueue(name: JobName, prefix: string, connection: Redis, onError: (error: Error) => void): Queue {
  // Jobs are tried once and leave nothing behind: what they name stays in PostgreSQL until it is done.
  const defaultJobOptions = { attempts: 1, removeOnComplete: true, removeOnFail: true };
  const queue = new Queue(name, { connection, prefix, defaultJobOptions, skipVersionCheck: true });
  queue.on('error', onError);
  return queue;
}
