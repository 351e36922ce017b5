import { Queue, type Job } from 'bullmq';
import type { JobName } from './jobs.ts';
import { timeOf } from './priorities.ts';
import { maxMatchJobs } from './job-sender.ts';
import { queuePrefix } from './redis/connect.ts';
import { connectProducer } from './redis/redis.ts';

/** The content of Redis at this moment. */
export interface QueueFigures {
  /** Jobs that name events to match, and how many there may be: further events are left to the sweep. */
  readonly events: {
    readonly waiting: number;
    readonly most: number;
    /** The minute of the earliest and of the latest priority; null when no job waits. */
    readonly firstDateTime: Date | null;
    readonly lastDateTime: Date | null;
  };
  readonly jobs: readonly { readonly queue: JobName; readonly waiting: number; readonly active: number }[];
}

interface QueueReaderOptions {
  readonly url: string;
  readonly prefix: string;
  readonly onError: (error: Error) => void;
}

/** Reads the queues without removing anything, on a connection of its own. */
export function createQueueReader({ url, prefix, onError }: QueueReaderOptions) {
  const redis = connectProducer({ url, onError });
  const openQueue = (name: JobName) => {
    const queue = new Queue(name, { connection: redis, prefix: queuePrefix(url, prefix), skipVersionCheck: true });
    return queue.on('error', onError);
  };
  const queues = { match: openQueue('match'), deliver: openQueue('deliver') };

  async function read(): Promise<QueueFigures> {
    const [events, jobs, first, last] = await Promise.all([
      queues.match.getJobCountByTypes('waiting', 'prioritized'),
      queues.deliver.getJobCounts('waiting', 'active'),
      queues.match.getJobs('prioritized', 0, 0, true),
      queues.match.getJobs('prioritized', 0, 0, false),
    ]);
    return {
      events: {
        waiting: events,
        most: maxMatchJobs,
        firstDateTime: timeOfJob(first[0]),
        lastDateTime: timeOfJob(last[0]),
      },
      jobs: [{ queue: 'deliver', waiting: jobs['waiting'] ?? 0, active: jobs['active'] ?? 0 }],
    };
  }

  return {
    /** Null while Redis is away. */
    figures: (): Promise<QueueFigures | null> => read().catch(() => null),
    async close(): Promise<void> {
      await Promise.all(Object.values(queues).map((queue) => queue.close()));
      redis.disconnect();
    },
  };
}

function timeOfJob(job: Job | undefined): Date | null {
  return job === undefined ? null : timeOf(job.priority, Date.now());
}
