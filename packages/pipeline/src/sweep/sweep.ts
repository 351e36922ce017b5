import { logRepeats } from '@callout/runtime/log/log-repeats';
import type { Logger } from '@callout/runtime/log/logger';
import type { Producer } from '@callout/queue/producer';
import type { MaintenanceMetrics } from './maintenance-metrics.ts';

export interface SweepDeps {
  claimLateEvents: (limit: number) => Promise<string[]>;
  webhooksWithDueCallouts: (afterKey: number, limit: number) => Promise<number[]>;
  producer: Pick<Producer, 'enqueueWebhooks' | 'enqueueEvents' | 'waitingJobs' | 'claimPeriod'>;
  everyMs: number;
  log: Logger;
  metrics: Pick<MaintenanceMetrics, 'onSweep' | 'onSwept'>;
}

/** While more jobs wait, further jobs would only make Redis larger: the work is late, not lost. */
const maxWaitingJobs = 1_000;
/** Rows per query. */
const eventsAtOnce = 500;
const webhooksPerJob = 100;
/** Maximum steps of one round: the next round continues. */
const maxStepsPerRound = 20;

/**
 * Finds due work that no process is doing, and enqueues it: Redis lost it, a worker died, or the time of a
 * next attempt has come. The sweep runs from a timer of the process, not from a job: a job could be lost with the rest.
 */
export function startSweepLoop(deps: SweepDeps) {
  let timer: NodeJS.Timeout | null = null;
  let isStopping = false;
  /** The webhook with which the last round ended. */
  let afterKey = 0;

  const onEventsFailed = logRepeats(deps.log, 'late events could not be enqueued; the next round tries again');
  const onCalloutsFailed = logRepeats(deps.log, 'due callouts could not be enqueued; the next round tries again');

  /** Each step of a round runs separately: a step that fails again and again must not prevent the next. */
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
    async stop(): Promise<void> {
      isStopping = true;
      if (timer) clearTimeout(timer);
      await underWay;
    },
  };
}

/** A round over pending events. Concurrent workers get different events: claiming an event moves the next time. */
export async function sweepEvents({ claimLateEvents, producer, log, metrics }: SweepDeps): Promise<void> {
  for (let step = 0; step < maxStepsPerRound; step += 1) {
    if (!hasRoom(await producer.waitingJobs('match'), maxWaitingJobs)) return;
    const eventIds = await claimLateEvents(eventsAtOnce);
    if (eventIds.length === 0) return;
    log.info({ events: eventIds.length }, 'late events enqueued');
    metrics.onSwept('events', eventIds.length);
    producer.enqueueEvents(eventIds);
  }
}

/**
 * A round over due callouts, from the webhook after `afterKey`, by a single worker in each period: all would find the
 * same callouts.
 * @returns where the next round continues: at the beginning, when the round reached the end.
 */
export async function sweepCallouts(
  { webhooksWithDueCallouts, producer, everyMs, metrics }: SweepDeps,
  afterKey: number,
): Promise<number> {
  // A little less than a round, so that a single worker gets every period.
  if (!(await producer.claimPeriod('sweep', Math.ceil(everyMs * 0.8)))) return afterKey;
  let after = afterKey;
  for (let step = 0; step < maxStepsPerRound; step += 1) {
    const webhookKeys = await webhooksWithDueCallouts(after, webhooksPerJob);
    if (webhookKeys.length === 0) return 0;
    // Queried only now, since most rounds find nothing.
    if (!hasRoom(await producer.waitingJobs('deliver'), maxWaitingJobs)) return after;
    producer.enqueueWebhooks(webhookKeys);
    metrics.onSwept('webhooks', webhookKeys.length);
    if (webhookKeys.length < webhooksPerJob) return 0;
    after = webhookKeys.at(-1) ?? 0;
  }
  return after;
}

/** @param waiting null while Redis is away: anything enqueued now would be lost. */
function hasRoom(waiting: number | null, most: number): boolean {
  return waiting !== null && waiting < most;
}
