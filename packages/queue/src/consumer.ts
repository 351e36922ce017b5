import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'bullmq';
import { queuePrefix } from './redis/connect.ts';
import { isJob, type Job, jobQueue } from './jobs.ts';
import { connectConsumer } from './redis/redis.ts';

export interface ConsumerOptions {
  url: string;
  prefix: string;
  work: (job: Job) => Promise<void>;
  /** Redis is away, or refused a command. */
  onError: (error: Error) => void;
  /** A job failed. */
  onFailed: (error: Error) => void;
}

export interface Consumer {
  isReady(): boolean;
  /** Claims no more jobs and waits for the running ones, but not for a Redis that is away. */
  close(): Promise<void>;
}

export interface JobConsumer extends Consumer {
  /** Claims no job while halted: other workers get them. */
  halt(isHalted: boolean): void;
}

/** How long closing may take after the last running job. */
const GOODBYE_MS = 1_000;
/** The pause after a command that Redis has refused: it is full, or read-only. */
const REST_MS = 1_000;

/** Runs jobs, one at a time. A job that fails is reported and removed: the sweep enqueues its work again, later. */
export function createConsumer({ url, prefix, work, onError, onFailed }: ConsumerOptions): JobConsumer {
  let isWanted = true;
  let isHalted = false;
  const connection = connectConsumer({ url, onError, isWanted: () => isWanted });
  const inHand = new Set<Promise<void>>();
  async function take(job: unknown): Promise<void> {
    if (!isJob(job)) throw new Error(`a job of the queue ${jobQueue} that Callout cannot have put there`);
    const working = work(job).finally(() => inHand.delete(working));
    inHand.add(working);
    return working;
  }
  const worker = new Worker<unknown>(jobQueue, (job) => take(job.data), {
    connection,
    prefix: queuePrefix(url, prefix),
    concurrency: 1,
    // A job whose worker died is not repeated: the sweep knows better which work is still due.
    maxStalledCount: 0,
    // The same options as for the producer's jobs, also for jobs of other programs.
    removeOnComplete: { count: 0 },
    removeOnFail: { count: 0 },
    skipVersionCheck: true,
  });
  /** BullMQ itself requests the next job at once when a request was refused, thousands of times a second. */
  async function rest(): Promise<void> {
    if (worker.isPaused()) return;
    await worker.pause(true);
    await sleep(REST_MS, undefined, { ref: false });
    if (isWanted && !isHalted) await worker.resume();
  }
  worker.on('error', (error) => {
    onError(error);
    if (error.name === 'ReplyError') void rest();
  });
  worker.on('failed', (_job, error) => onFailed(error));
  return {
    isReady: () => connection.status === 'ready',
    halt(halted) {
      isHalted = halted;
      if (halted) void worker.pause(true);
      else if (isWanted) void worker.resume();
    },
    async close() {
      // Also for the connection that BullMQ makes itself, as a copy of this one.
      isWanted = false;
      const goodbye = worker.close();
      while (inHand.size > 0) await Promise.allSettled(inHand);
      // BullMQ sends further commands, and waits as long as Redis is away.
      let timer: NodeJS.Timeout | undefined;
      const patience = new Promise((resolve) => (timer = setTimeout(resolve, GOODBYE_MS)));
      await Promise.race([goodbye, patience]);
      clearTimeout(timer);
      connection.disconnect();
    },
  };
}
