import { setTimeout as sleep } from 'node:timers/promises';
import { Worker, type Job } from 'bullmq';
import { queuePrefix } from './redis/connect.ts';
import { isJob, type JobName, type Jobs } from './jobs.ts';
import { connectConsumer } from './redis/redis.ts';

export interface ConsumerOptions<Name extends JobName> {
  url: string;
  prefix: string;
  name: Name;
  /** @param priority of the job; 0 for a job without a priority. */
  work: (job: Jobs[Name], priority: number) => Promise<void>;
  /**
   * How long a job that comes to an empty queue delays the next. BullMQ fetches the jobs that come meanwhile with one
   * command each; four commands wake a consumer that waits on an empty queue.
   */
  lingerMs?: number;
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
/** The pause after a refused command: Redis is full, or read-only. */
const REST_MS = 1_000;

/**
 * Runs jobs of one name, one at a time. A failed job is reported and removed: the sweep enqueues the work again, later.
 */
export function createConsumer<Name extends JobName>(options: ConsumerOptions<Name>): JobConsumer {
  const { url, prefix, name, work, lingerMs = 0, onError, onFailed } = options;
  let isWanted = true;
  let isDrained = true;
  let isHalted = false;
  const connection = connectConsumer({ url, onError, isWanted: () => isWanted });
  const inHand = new Set<Promise<void>>();
  async function take({ data, priority }: Job<unknown>): Promise<void> {
    if (!isJob[name](data)) throw new Error(`a job of the queue ${name} that Callout cannot have put there`);
    const working = work(data, Number.isSafeInteger(priority) ? priority : 0).finally(() => inHand.delete(working));
    inHand.add(working);
    await working;
    if (isDrained && lingerMs > 0) await sleep(lingerMs);
    isDrained = false;
  }
  const worker = new Worker<unknown>(name, take, {
    connection,
    prefix: queuePrefix(url, prefix),
    concurrency: 1,
    // A job whose worker died is not repeated: the sweep knows better which work is still due.
    maxStalledCount: 0,
    // The same options as for the producer's jobs, since jobs of other programs come too.
    removeOnComplete: { count: 0 },
    removeOnFail: { count: 0 },
    skipVersionCheck: true,
  });
  /** BullMQ itself requests the next job at once when a request was refused, thousands of times a second. */
  async function rest({ message }: Error): Promise<void> {
    if (worker.isPaused()) return;
    await worker.pause(true);
    // Another program has overwritten a key of the queue. Without those keys the queue works again, and the sweep
    // enqueues the lost work.
    if (message.includes('WRONGTYPE')) await connection.unlink(...Object.values(worker.keys)).catch(onError);
    await sleep(REST_MS, undefined, { ref: false });
    if (isWanted && !isHalted) await worker.resume();
  }
  worker.on('error', (error) => {
    onError(error);
    if (error.name === 'ReplyError') void rest(error);
  });
  worker.on('drained', () => (isDrained = true));
  worker.on('failed', (_job, error) => onFailed(error));
  return {
    isReady: () => connection.status === 'ready',
    halt(halted) {
      isHalted = halted;
      if (halted) void worker.pause(true);
      else if (isWanted) void worker.resume();
    },
    async close() {
      // Also for the connection that BullMQ makes, as a copy of the first.
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
