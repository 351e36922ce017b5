import { Queue } from 'bullmq';
import { eventQueueKey, maxQueuedEvents } from './event-queue.ts';
import { jobQueue } from './jobs.ts';
import { queuePrefix } from './redis/connect.ts';
import { connectProducer } from './redis/redis.ts';

/** The content of Redis at this moment. */
export interface QueueFigures {
  /** Waiting events in Redis; above its maximum the sweep adds no more. */
  readonly events: {
    readonly waiting: number;
    readonly most: number;
    /** The minute of the earliest and of the latest priority; null when no event waits. */
    readonly firstDateTime: Date | null;
    readonly lastDateTime: Date | null;
  };
  readonly jobs: readonly { readonly queue: string; readonly waiting: number; readonly active: number }[];
}

interface QueueReaderOptions {
  readonly url: string;
  readonly prefix: string;
  readonly onError: (error: Error) => void;
}

const minuteMs = 60_000;

/** Reads the queues without removing anything, on a connection of its own. */
export function createQueueReader({ url, prefix, onError }: QueueReaderOptions) {
  const redis = connectProducer({ url, onError });
  const queue = new Queue(jobQueue, { connection: redis, prefix: queuePrefix(url, prefix), skipVersionCheck: true });
  queue.on('error', onError);
  const key = eventQueueKey(url, prefix);

  async function read(): Promise<QueueFigures> {
    const [waiting, first, last, jobs] = await Promise.all([
      redis.zcard(key),
      redis.zrange(key, '0', '0', 'WITHSCORES'),
      redis.zrange(key, '-1', '-1', 'WITHSCORES'),
      queue.getJobCounts('waiting', 'active'),
    ]);
    return {
      events: { waiting, most: maxQueuedEvents, firstDateTime: minuteOf(first), lastDateTime: minuteOf(last) },
      jobs: [{ queue: jobQueue, waiting: jobs['waiting'] ?? 0, active: jobs['active'] ?? 0 }],
    };
  }

  return {
    /** Null while Redis is away. */
    figures: (): Promise<QueueFigures | null> => read().catch(() => null),
    async close(): Promise<void> {
      await queue.close();
      redis.disconnect();
    },
  };
}

/** A priority is a minute since 1970. */
function minuteOf([, score]: readonly string[]): Date | null {
  return score === undefined ? null : new Date(Number(score) * minuteMs);
}
