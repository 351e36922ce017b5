import { Queue } from 'bullmq';
import { jobNames, mergeJobs, rowsOf, type JobName, type Jobs } from './jobs.ts';
import { shareOf } from './priorities.ts';
import type { RedisConnection } from './redis/connect.ts';

/** Sends jobs to Redis. Never waits and never fails: the sweep enqueues the work of jobs that are lost. */
interface JobSender {
  /** @param priority lower first; a job with the priority 0 comes before all others. */
  enqueue<Name extends JobName>(name: Name, job: Jobs[Name], priority: number): void;
  /** How many jobs wait, with the jobs enqueued before the call. @throws Error when Redis refuses to say it. */
  waiting(name: JobName): Promise<number>;
  /** Sends what was enqueued before, and waits for commands under way. */
  drain(): Promise<void>;
  close(): Promise<void>;
}

interface JobSenderDeps {
  redis: RedisConnection;
  /** First part of the keys of queues. */
  prefix: string;
  /** Whether Redis is connected and takes writes: otherwise jobs are dropped. */
  isReady: () => boolean;
  onError: (error: Error) => void;
}

/** A job that is not under way to Redis yet. */
interface GatheredJob<Name extends JobName> {
  job: Jobs[Name];
  readonly priority: number;
}

/** A job with this many rows is not made larger. */
export const manyRows: Record<JobName, number> = { match: 100, deliver: 500 };
/** Jobs in Redis that name events: some 3 MB with an event each, 40 MB at most. */
export const maxMatchJobs = 5_000;
/** Jobs that wait in memory while an earlier job is under way to Redis. */
const mostGathered = 100;
/** How often the jobs of match are counted while events come. Between, only the jobs of this process are counted. */
const countEveryMs = 500;

/**
 * A job is sent as soon as no other job of the process is under way to Redis. Jobs of the same priority that come
 * meanwhile are merged: a job costs some 50 commands of Redis. So nothing waits while there is little to do, and the
 * more there is, the more rows each job names.
 */
export function createJobSender({ redis, prefix, isReady, onError }: JobSenderDeps): JobSender {
  const queues = {
    match: openQueue('match', prefix, redis, onError),
    deliver: openQueue('deliver', prefix, redis, onError),
  };
  const gathered: { [Name in JobName]: GatheredJob<Name>[] } = { match: [], deliver: [] };
  const underWay = new Set<Promise<unknown>>();
  let isSendSoon = false;
  const matchJobs = { waiting: 0, countedAtMs: 0 };

  function sendSoon(): void {
    if (isSendSoon || underWay.size > 0) return;
    isSendSoon = true;
    setImmediate(() => {
      isSendSoon = false;
      send();
    });
  }

  function send(): void {
    for (const name of jobNames) {
      // BullMQ would keep the job until Redis is back; by then the sweep has found the work already.
      for (const { job, priority } of gathered[name].splice(0)) {
        if (isReady() && (name !== 'match' || hasRoom(priority))) add(name, job, priority);
      }
    }
  }

  function add(name: JobName, job: Jobs[JobName], priority: number): void {
    const call: Promise<unknown> = queues[name]
      .add(name, job, { priority })
      .catch(onError)
      .finally(() => {
        underWay.delete(call);
        if (underWay.size === 0) send();
      });
    underWay.add(call);
  }

  function hasRoom(priority: number): boolean {
    if (performance.now() - matchJobs.countedAtMs >= countEveryMs) void count('match').catch(() => undefined);
    if (matchJobs.waiting >= maxMatchJobs * shareOf(priority, Date.now())) return false;
    matchJobs.waiting += 1;
    return true;
  }

  async function count(name: JobName): Promise<number> {
    if (name === 'match') matchJobs.countedAtMs = performance.now();
    const waiting = await queues[name].getJobCountByTypes('waiting', 'prioritized');
    if (name === 'match') matchJobs.waiting = waiting;
    return waiting;
  }

  async function drain(): Promise<void> {
    send();
    while (underWay.size > 0) await Promise.all(underWay);
  }

  return {
    drain,
    enqueue<Name extends JobName>(name: Name, job: Jobs[Name], priority: number) {
      const jobs: GatheredJob<Name>[] = gathered[name];
      const last = jobs.findLast((one) => one.priority === priority);
      if (last !== undefined && rowsOf[name](last.job) < manyRows[name]) last.job = mergeJobs[name](last.job, job);
      else if (jobs.length < mostGathered) jobs.push({ job, priority });
      sendSoon();
    },
    async waiting(name) {
      await drain();
      return count(name);
    },
    async close() {
      await drain();
      await Promise.all(jobNames.map((name) => queues[name].close()));
    },
  };
}

function openQueue(name: JobName, prefix: string, connection: RedisConnection, onError: (error: Error) => void): Queue {
  // Jobs are tried once and leave nothing behind: their work stays in PostgreSQL until it is done.
  const defaultJobOptions = { attempts: 1, removeOnComplete: true, removeOnFail: true };
  const queue = new Queue(name, { connection, prefix, defaultJobOptions, skipVersionCheck: true });
  queue.on('error', onError);
  return queue;
}
