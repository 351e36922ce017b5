import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '@callout/domain/problem';
import { beforeAllEvents, pendingEvents, webhooksWithDueCallouts } from '@callout/pipeline/sweep/find-due';
import type { Database } from '@callout/database/connection/database';
import { maxMatchJobs } from '@callout/queue/job-sender';
import type { Producer } from '@callout/queue/producer';

interface RebuildDeps {
  readonly pool: Database['pool'];
  readonly producer: Pick<Producer, 'isReady' | 'enqueueWebhooks' | 'enqueueEvents' | 'waitingJobs'>;
  /** Whether Redis has refused something. */
  readonly hasFailed: () => boolean;
  /** How long a full queue may stay full. */
  readonly fullForMs?: number;
}

/** The number of enqueued items. */
export interface Enqueued {
  readonly events: number;
  readonly webhooks: number;
}

const EVENTS_AT_ONCE = 500;
const WEBHOOKS_PER_JOB = 100;
const REDIS_PATIENCE_MS = 5_000;
const FULL_FOR_MS = 10_000;
const LOOK_EVERY_MS = 100;

/**
 * Enqueues every webhook with due callouts and every pending event, independent of the present contents of Redis.
 * Events without capacity wait until the workers have freed some.
 * @throws a Problem: `unavailable` when Redis is not there, or goes away before all is enqueued, `conflict` when the
 * queue is full and stays full.
 */
export async function rebuildQueue(deps: RebuildDeps): Promise<Enqueued> {
  const { pool, producer } = deps;
  await untilReady(deps);
  let webhooks = 0;
  for (let after = 0; ;) {
    const webhookKeys = await webhooksWithDueCallouts(pool, after, WEBHOOKS_PER_JOB);
    const last = webhookKeys.at(-1);
    if (last === undefined) break;
    producer.enqueueWebhooks(webhookKeys);
    await waitingJobs(deps);
    webhooks += webhookKeys.length;
    after = last;
  }
  let events = 0;
  for (let after = beforeAllEvents; ;) {
    const eventIds = await pendingEvents(pool, after, EVENTS_AT_ONCE);
    const last = eventIds.at(-1);
    if (last === undefined) break;
    await untilRoom(deps, events);
    producer.enqueueEvents(eventIds);
    events += eventIds.length;
    after = last;
  }
  await waitingJobs(deps);
  return { events, webhooks };
}

async function untilReady({ producer }: RebuildDeps): Promise<void> {
  const deadline = Date.now() + REDIS_PATIENCE_MS;
  while (!producer.isReady()) {
    if (Date.now() >= deadline) throw redisIsAway('Redis cannot be reached; the log of the API says why.');
    await sleep(20);
  }
}

/** Enqueueing has no response; a later length of the queue shows whether Redis accepted the entries. */
async function waitingJobs({ producer, hasFailed }: RebuildDeps): Promise<number> {
  const waiting = await producer.waitingJobs('match');
  if (waiting !== null && !hasFailed()) return waiting;
  throw redisIsAway('Redis went away before everything was enqueued. Do it again.');
}

const redisIsAway = (message: string) => Problem.unavailable(message, REDIS_PATIENCE_MS / 1_000);

async function untilRoom(deps: RebuildDeps, enqueued: number): Promise<void> {
  const deadline = Date.now() + (deps.fullForMs ?? FULL_FOR_MS);
  // Producers drop entries beyond the limit a little later: entries of the API need some of the capacity too.
  while ((await waitingJobs(deps)) > maxMatchJobs / 2) {
    if (Date.now() >= deadline) {
      throw Problem.conflict(
        `The queue is full, and no worker takes events from it. ${enqueued} events were enqueued; once a worker runs, it finds the others by itself.`,
      );
    }
    await sleep(LOOK_EVERY_MS);
  }
}
