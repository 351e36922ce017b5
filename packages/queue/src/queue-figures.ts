import { Queue } from 'bullmq';
import { eventQueueKey, maxQueuedEvents } from './event-queue.ts';
import { jobNames, type JobName } from './jobs.ts';
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
  readonly jobs: readonly { readonly queue: JobName; readonly waiting: number; readonly active: number }[];
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
  const queues = jobNames.map((name) => {
    const queue = new Queue(name, { connection: redis, prefix: queuePrefix(url, prefix), skipVersionCheck: true });
    queue.on('error', onError);
    return { name, queue };
  });
  const key = eventQueueKey(url, prefix);

  async function read(): Promise<QueueFigures> {
    const [waiting, first, last, ...counts] = await Promise.all([
      redis.zcard(key),
      redis.zrange(key, '0', '0', 'WITHSCORES'),
      redis.zrange(key, '-1', '-1', 'WITHSCORES'),
      ...queues.map(({ queue }) => queue.getJobCounts('waiting', 'active')),
    ]);
    return {
      events: { waiting, most: maxQueuedEvents, firstDateTime: minuteOf(first), lastDateTime: minuteOf(last) },
      jobs: queues.map(({ name }, index) => ({
        queue: name,
        waiting: counts[index]?.['waiting'] ?? 0,
        active: counts[index]?.['active'] ?? 0,
      })),
    };
  }

  return {
    /** Null while Redis is away. */
    figures: (): Promise<QueueFigures | null> => read().catch(() => null),
    async close(): Promise<void> {
      await Promise.all(queues.map(({ queue }) => queue.close()));
      redis.disconnect();
    },
  };
}

/** A priority is a minute since 1970. */
function minuteOf([, score]: readonly string[]): Date | null {
  return score === undefined ? null : new Date(Number(score) * minuteMs);
}
