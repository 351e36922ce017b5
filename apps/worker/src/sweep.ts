import type { Logger } from '@callout/runtime';
import type { JobName, Producer } from '@callout/queue';

export interface SweepDeps {
  wakeLateEvents: (limit: number) => Promise<string[]>;
  webhooksWithDueCallouts: (afterKey: number, limit: number) => Promise<number[]>;
  ensurePartitions: () => Promise<string[]>;
  producer: Pick<Producer, 'wake' | 'waiting'>;
  everyMs: number;
  log: Logger;
}

/** While more jobs wait than this, waking more would only make Redis larger: the queue is slow, not forgetful. */
const maxWaitingJobs = 1_000;
/** Rows asked for at once, and named in one job. */
const eventsPerJob = 500;
const webhooksPerJob = 100;
/** Jobs made in one round: what is left comes with the next. */
const maxJobsPerRound = 20;
const partitionsEveryMs = 3_600_000;

export interface Sweep {
  stop(): Promise<void>;
}

/**
 * Finds work that is owed and that nobody is doing, and wakes it: Redis lost its job, a worker died, or the time of a
 * next attempt has come. It runs from a timer of this process, not from a job: a job could be lost with the rest.
 */
export function startSweep(deps: SweepDeps): Sweep {
  let timer: NodeJS.Timeout | null = null;
  let isStopping = false;
  let partitionsAt = 0;

  async function round(): Promise<void> {
    try {
      if (Date.now() >= partitionsAt) {
        const made = await deps.ensurePartitions();
        if (made.length > 0) deps.log.info({ made }, 'partitions made');
        partitionsAt = Date.now() + partitionsEveryMs;
      }
      await sweepEvents(deps);
      await sweepCallouts(deps);
    } catch (err) {
      deps.log.warn({ err }, 'sweep failed; the next round tries again');
    }
  }

  function schedule(): void {
    if (isStopping) return;
    timer = setTimeout(() => {
      timer = null;
      underWay = round().then(schedule);
    }, deps.everyMs);
  }

  let underWay: Promise<void> = round().then(schedule);
  return {
    async stop() {
      isStopping = true;
      if (timer) clearTimeout(timer);
      await underWay;
    },
  };
}

/** One round over pending events. */
export async function sweepEvents({ wakeLateEvents, producer, log }: SweepDeps): Promise<void> {
  for (let jobs = 0; jobs < maxJobsPerRound && (await hasRoom(producer, 'match')); jobs += 1) {
    const eventIds = await wakeLateEvents(eventsPerJob);
    if (eventIds.length === 0) return;
    log.info({ events: eventIds.length }, 'woke late events');
    producer.wake('match', { eventIds });
  }
}

/** One round over due callouts. */
export async function sweepCallouts({ webhooksWithDueCallouts, producer }: SweepDeps): Promise<void> {
  let after = 0;
  for (let jobs = 0; jobs < maxJobsPerRound && (await hasRoom(producer, 'deliver')); jobs += 1) {
    const webhookKeys = await webhooksWithDueCallouts(after, webhooksPerJob);
    if (webhookKeys.length === 0) return;
    producer.wake('deliver', { webhookKeys });
    after = webhookKeys.at(-1) ?? after;
  }
}

/** False also while Redis is away: a wake-up call now would reach nobody. */
async function hasRoom(producer: SweepDeps['producer'], name: JobName): Promise<boolean> {
  const waiting = await producer.waiting(name);
  return waiting !== null && waiting < maxWaitingJobs;
}
