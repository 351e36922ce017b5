import { type Logger, logRepeats } from '@callout/runtime/log';
import type { Producer } from '@callout/queue';
import type { ChoreMetrics } from '../metrics/chore-metrics.ts';

export interface SweepDeps {
  takeLateEvents: (limit: number) => Promise<string[]>;
  webhooksWithDueCallouts: (afterKey: number, limit: number) => Promise<number[]>;
  producer: Pick<Producer, 'enqueue' | 'enqueueEvents' | 'waitingEvents' | 'waitingJobs' | 'claimPeriod'>;
  everyMs: number;
  log: Logger;
  metrics: Pick<ChoreMetrics, 'onSweep' | 'onSwept'>;
}

/** While more wait than this, adding more would only make Redis larger: what waits is late, not lost. */
const maxWaitingEvents = 10_000;
const maxWaitingJobs = 1_000;
/** Rows asked for at once. */
const eventsAtOnce = 500;
const webhooksPerJob = 100;
/** Steps of one round: what is left comes with the next. */
const maxStepsPerRound = 20;

export interface Sweep {
  stop(): Promise<void>;
}

/**
 * Finds work that is owed and that no process is doing, and enqueues it: Redis lost it, a worker died, or the time of a
 * next attempt has come. It runs from a timer of this process, not from a job: a job could be lost with the rest.
 */
export function startSweepLoop(deps: SweepDeps): Sweep {
  let timer: NodeJS.Timeout | null = null;
  let isStopping = false;
  /** Where the last round over webhooks ended. */
  let afterKey = 0;

  const onEventsFailed = logRepeats(deps.log, 'late events could not be enqueued; the next round tries again');
  const onCalloutsFailed = logRepeats(deps.log, 'due callouts could not be enqueued; the next round tries again');

  /** Each step of a round for itself: one that fails again and again must not keep the other from being done. */
  async function round(): Promise<void> {
    let isDone = true;
    await sweepEvents(deps).catch((error: unknown) => {
      isDone = false;
      onEventsFailed(error);
    });
    try {
      afterKey = await sweepCallouts(deps, afterKey);
    } catch (error) {
      isDone = false;
      onCalloutsFailed(error);
    }
    deps.metrics.onSweep(isDone);
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

/** One round over pending events. Several workers get different ones: taking an event moves its next time. */
export async function sweepEvents({ takeLateEvents, producer, log, metrics }: SweepDeps): Promise<void> {
  for (let step = 0; step < maxStepsPerRound; step += 1) {
    if (!hasRoom(await producer.waitingEvents(), maxWaitingEvents)) return;
    const eventIds = await takeLateEvents(eventsAtOnce);
    if (eventIds.length === 0) return;
    log.info({ events: eventIds.length }, 'late events enqueued');
    metrics.onSwept('events', eventIds.length);
    producer.enqueueEvents(eventIds);
  }
}

/**
 * One round over due callouts, from the webhook after `afterKey`, by one worker in each period: all would find the same.
 * @returns where the next one goes on: at the beginning, when this one came to the end.
 */
export async function sweepCallouts(
  { webhooksWithDueCallouts, producer, everyMs, metrics }: SweepDeps,
  afterKey: number,
): Promise<number> {
  // A little less than a round, so that a worker alone has every period.
  if (!(await producer.claimPeriod('sweep', Math.ceil(everyMs * 0.8)))) return afterKey;
  let after = afterKey;
  for (let step = 0; step < maxStepsPerRound; step += 1) {
    const webhookKeys = await webhooksWithDueCallouts(after, webhooksPerJob);
    if (webhookKeys.length === 0) return 0;
    // Asked for only now: most rounds find nothing.
    if (!hasRoom(await producer.waitingJobs('deliver'), maxWaitingJobs)) return after;
    producer.enqueue('deliver', { webhookKeys });
    metrics.onSwept('webhooks', webhookKeys.length);
    if (webhookKeys.length < webhooksPerJob) return 0;
    after = webhookKeys.at(-1) ?? 0;
  }
  return after;
}

/** @param waiting null while Redis is away: what is enqueued now would be lost. */
function hasRoom(waiting: number | null, most: number): boolean {
  return waiting !== null && waiting < most;
}
