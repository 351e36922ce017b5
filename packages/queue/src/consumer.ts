import { Worker } from 'bullmq';
import { queuePrefix } from './connect.ts';
import type { JobName, Jobs } from './jobs.ts';
import { connectConsumer } from './redis.ts';

export interface ConsumerOptions<Name extends JobName> {
  url: string;
  prefix: string;
  name: Name;
  /** Jobs worked on at once. */
  concurrency: number;
  work: (job: Jobs[Name]) => Promise<void>;
  /** Redis is away, or refused a command. */
  onError: (error: Error) => void;
  /** A job failed. */
  onFailed: (error: Error) => void;
}

export interface Consumer {
  isReady(): boolean;
  /** Takes no more jobs and waits for those in hand, but not for a Redis that is away. */
  close(): Promise<void>;
}

/** How long Redis may take to say goodbye, once no job is in hand any more. */
const GOODBYE_MS = 1_000;

/** Takes wake-up calls of one kind. A job that fails is reported and gone: the sweep wakes its work again, later. */
export function createConsumer<Name extends JobName>(options: ConsumerOptions<Name>): Consumer {
  const { url, prefix, name, concurrency, work, onError, onFailed } = options;
  let isWanted = true;
  const connection = connectConsumer({ url, onError, isWanted: () => isWanted });
  const inHand = new Set<Promise<void>>();
  async function take(job: Jobs[Name]): Promise<void> {
    const working = work(job).finally(() => inHand.delete(working));
    inHand.add(working);
    return working;
  }
  const worker = new Worker<Jobs[Name]>(name, (job) => take(job.data), {
    connection,
    prefix: queuePrefix(url, prefix),
    concurrency,
    // A job whose worker died is not worth repeating: the sweep knows better what is still owed.
    maxStalledCount: 0,
    skipVersionCheck: true,
  });
  worker.on('error', onError);
  worker.on('failed', (_job, error) => onFailed(error));
  return {
    isReady: () => connection.status === 'ready',
    async close() {
      // Also for the connection that BullMQ makes for itself, as a copy of this one.
      isWanted = false;
      const goodbye = worker.close();
      while (inHand.size > 0) await Promise.allSettled(inHand);
      // BullMQ has more to tell Redis, and waits as long as Redis is away.
      let timer: NodeJS.Timeout | undefined;
      const patience = new Promise((resolve) => (timer = setTimeout(resolve, GOODBYE_MS)));
      await Promise.race([goodbye, patience]);
      clearTimeout(timer);
      connection.disconnect();
    },
  };
}
