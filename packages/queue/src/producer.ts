import { Queue } from 'bullmq';
import { queuePrefix, type RedisConnection } from './connect.ts';
import { jobNames, mergeJobs, rowsOf, type JobName, type Jobs } from './jobs.ts';
import { connectProducer } from './redis.ts';
import { turnOfRepeats } from './turns.ts';

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
   * @param turn of a match job, as `createWakeInTurn` gives it. Without one it is for events that are woken again.
   */
  wake<Name extends JobName>(name: Name, job: Jobs[Name], turn?: number): void;
  /** How many jobs wait, whatever their turn; null while Redis is away. */
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

/** A job that names as many rows is not made larger. */
const manyRows = 500;
/** Jobs of this number come before all that have a turn. */
const withoutTurn = 0;

export function createProducer({ url, prefix, onError }: ProducerOptions): Producer {
  const redis = connectProducer({ url, onError });
  const isReady = (): boolean => redis.status === 'ready';
  const queues = {
    match: openQueue('match', queuePrefix(url, prefix), redis, onError),
    deliver: openQueue('deliver', queuePrefix(url, prefix), redis, onError),
    notify: openQueue('notify', queuePrefix(url, prefix), redis, onError),
  };
  /** By turn: those of different turns must not become one job. */
  const gathered: { [Name in JobName]: Map<number, Jobs[Name]> } = {
    match: new Map(),
    deliver: new Map(),
    notify: new Map(),
  };
  const underWay = new Set<Promise<unknown>>();
  let isPutSoon = false;

  /**
   * A call leaves as soon as nothing else of this process is on its way to Redis. Those that come meanwhile gather, and
   * become one job: a job costs some 30 commands of Redis. So nothing waits while there is little to do, and the more
   * there is, the more is named by each job.
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
    for (const name of jobNames) {
      // BullMQ would keep the job until Redis is back; by then the sweep has found the work already.
      if (isReady()) for (const [turn, job] of gathered[name]) add(name, job, turn);
      gathered[name].clear();
    }
  }

  function add<Name extends JobName>(name: Name, job: Jobs[Name], priority: number): void {
    const call: Promise<unknown> = queues[name]
      .add(name, job, { priority })
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
    wake<Name extends JobName>(
      name: Name,
      job: Jobs[Name],
      turn = name === 'match' ? turnOfRepeats(Date.now()) : withoutTurn,
    ): void {
      if (!isReady()) return;
      const calls: Map<number, Jobs[Name]> = gathered[name];
      const before = calls.get(turn);
      const isFull = before !== undefined && rowsOf[name](before) >= manyRows;
      if (isFull) put();
      calls.set(turn, before && !isFull ? mergeJobs[name](before, job) : job);
      putSoon();
    },
    async waiting(name) {
      // BullMQ keeps jobs with a turn apart from those without.
      return isReady() ? queues[name].getJobCountByTypes('waiting', 'prioritized').catch(() => null) : null;
    },
    async takeTurn(what, forMs) {
      if (!isReady()) return false;
      const taken = await redis.set(`${prefix}:turn:${what}`, '1', 'PX', forMs, 'NX').catch(() => null);
      return taken === 'OK';
    },
    async close() {
      put();
      while (underWay.size > 0) await Promise.all(underWay);
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
