import { Worker } from 'bullmq';
import type { JobName, Jobs } from './jobs.ts';
import { connectConsumer } from './redis.ts';

export interface ConsumerOptions<Name extends JobName> {
  url: string;
  prefix: string;
  name: Name;
  /** Jobs worked on at once. */
  concurrency: number;
  work: (job: Jobs[Name]) => Promise<void>;
  onError: (error: Error) => void;
}

export interface Consumer {
  isReady(): boolean;
  /** Takes no more jobs and waits for those in hand. */
  close(): Promise<void>;
}

/** Takes wake-up calls of one kind. A job that fails is reported and gone: the sweep wakes its work again, later. */
export function createConsumer<Name extends JobName>(options: ConsumerOptions<Name>): Consumer {
  const { url, prefix, name, concurrency, work, onError } = options;
  const connection = connectConsumer({ url, onError });
  const worker = new Worker<Jobs[Name]>(name, async (job) => work(job.data), {
    connection,
    prefix,
    concurrency,
    // A job whose worker died is not worth repeating: the sweep knows better what is still owed.
    maxStalledCount: 0,
    skipVersionCheck: true,
  });
  worker.on('error', onError);
  worker.on('failed', (_job, error) => onError(error));
  return {
    isReady: () => connection.status === 'ready',
    async close() {
      await worker.close();
      connection.disconnect();
    },
  };
}
