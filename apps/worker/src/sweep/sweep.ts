import { type Logger, logRepeats } from '@callout/runtime/log';
import type { JobName, Producer } from '@callout/queue';

export interface SweepDeps {
  takeLateEvents: (limit: number) => Promise<string[]>;
  webhooksWithDueCallouts: (afterKey: number, limit: number) => Promise<number[]>;
  producer: Pick<Producer, 'wake' | 'waiting' | 'takeTurn'>;
  everyMs: number;
  log: Logger;
}

/** While more jobs wait than this, naming more would only make Redis larger: the queue is slow, not forgetful. */
const maxWaitingJobs = 1_000;
/** Rows asked for at once, and named in one job. */
const eventsPerJob = 500;
const webhooksPerJob = 100;
/** Jobs made in one round: what is left comes with the next. */
const maxJobsPerRound = 20;
export interface Sweep {
  stop(): Promise<void>;
}

/**
 * Finds work that is owed and that no process is doing, and enqueues it again: Redis lost its job, a worker died, or the time of a
 * next attempt has come. It runs from a timer of this process, not from a job: a job could be lost with the rest.
 */
export function startSweep(deps: SweepDeps): Sweep {
  let timer: NodeJS.Timeout | null = null;
  let isStopping = false;
  /** Where the last round over webhooks ended. */
  let afterKey = 0;

  const onEventsFailed = logRepeats(deps.log, 'late events could not be enqueued; the next round tries again');
  const onCalloutsFailed = logRepeats(deps.log, 'due callouts could not be enqueued; the next round tries again');

  /** Each step of a round for itself: one that fails again and again must not keep the other from being done. */
  async function round(): Promise<void> {
    await sweepEvents(deps).catch(onEventsFailed);
    try {
      afterKey = await sweepCallouts(deps, afterKey);
    } catch (error) {
      onCalloutsFailed(error);
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

/** One round over pending events. Several workers get different ones: an event that is enqueued is not late again for a while. */
export async function sweepEvents({ takeLateEvents, producer, log }: SweepDeps): Promise<void> {
  for (let jobs = 0; jobs < maxJobsPerRound && (await hasRoom(producer, 'match')); jobs += 1) {
    const eventIds = await takeLateEvents(eventsPerJob);
    if (eventIds.length === 0) return;
    log.info({ events: eventIds.length }, 'enqueued late events');
    producer.wake('match', { eventIds });
  }
}

/**
 * One round over due callouts, from the webhook after `afterKey`, by one worker at a time: all of them would find the same.
 * @returns where the next one goes on: at the beginning, when this one came to the end.
 */
export async function sweepCallouts(
  { webhooksWithDueCallouts, producer, everyMs }: SweepDeps,
  afterKey: number,
): Promise<number> {
  // A little less than a round, so that a worker alone makes every round.
  if (!(await producer.takeTurn('sweep', Math.ceil(everyMs * 0.8)))) return afterKey;
  let after = afterKey;
  for (let jobs = 0; jobs < maxJobsPerRound && (await hasRoom(producer, 'deliver')); jobs += 1) {
    const webhookKeys = await webhooksWithDueCallouts(after, webhooksPerJob);
    if (webhookKeys.length > 0) producer.wake('deliver', { webhookKeys });
    if (webhookKeys.length < webhooksPerJob) return 0;
    after = webhookKeys.at(-1) ?? 0;
  }
  return after;
}

/** False also while Redis is away: a job would not get there. */
async function hasRoom(producer: SweepDeps['producer'], name: JobName): Promise<boolean> {
  const waiting = await producer.waiting(name);
  return waiting !== null && waiting < maxWaitingJobs;
}
